// SPDX-License-Identifier: MIT

#include "reducer/own_operation.hpp"

#include <algorithm>
#include <cstring>

#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/memory.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

std::size_t bytes_of(Index elements, std::size_t element_bytes) {
  return static_cast<std::size_t>(elements) * element_bytes;
}

/// The elements of a field, from their arrays.
class FieldElements final : public OwnElements {
 public:
  FieldElements(const OwnOperator& own, const FieldCells& cells, const FieldArrays& arrays)
      : own_(own), cells_(cells), arrays_(arrays) {}

  const void* get(Index first, Index count, void* room) const override {
    if (arrays_.make == nullptr && !cells_.factors && cells_.elements.contiguous(first, count)) {
      const std::byte* const place = at(arrays_.elements, cells_.elements.address(first));
      if (reinterpret_cast<std::uintptr_t>(place) % own_.alignment == 0) return place;
    }
    if (room == nullptr) return nullptr;
    if (arrays_.make != nullptr) {
      arrays_.make(arrays_.elements, first, count, room);
      return room;
    }
    gather(cells_.elements, arrays_.elements, first, count, room);
    if (cells_.factors) multiply(first, count, static_cast<std::byte*>(room));
    return room;
  }

 private:
  static const std::byte* at(const void* array, Index address) {
    return static_cast<const std::byte*>(array) + address;
  }

  void gather(const Cells& cells, const void* array, Index first, Index count, void* room) const {
    auto* next = static_cast<std::byte*>(room);
    cells.for_each_row(first, count, [&](Index address, Index stride, Index size) {
      const std::byte* from = at(array, address);
      if (stride == static_cast<Index>(own_.bytes)) {
        std::memcpy(next, from, bytes_of(size, own_.bytes));
        next += bytes_of(size, own_.bytes);
        return;
      }
      for (Index i = 0; i < size; ++i, from += stride, next += own_.bytes) {
        std::memcpy(next, from, own_.bytes);
      }
    });
  }

  /// Multiplies the elements in `room` by their factors, some at a time.
  void multiply(Index first, Index count, std::byte* room) const {
    constexpr std::size_t most_bytes = 4096;
    alignas(most_bytes) std::byte factors[most_bytes];
    const auto some = static_cast<Index>(most_bytes / own_.bytes);
    for (Index done = 0; done < count; done += some) {
      const Index size = std::min(some, count - done);
      gather(*cells_.factors, arrays_.factors, first + done, size, factors);
      own_.multiply(room + bytes_of(done, own_.bytes), factors, size);
    }
  }

  const OwnOperator& own_;
  const FieldCells& cells_;
  const FieldArrays& arrays_;
};

/// One item of vectors of partials, which lie `stride` slots apart.
class SlotElements final : public OwnElements {
 public:
  SlotElements(const OwnOperator& own, const void* from, Index stride)
      : own_(own), from_(static_cast<const std::byte*>(from)), stride_(stride) {}

  const void* get(Index first, Index count, void* room) const override {
    const std::size_t apart = bytes_of(stride_, own_.bytes);
    const std::byte* from = from_ + static_cast<std::size_t>(first) * apart;
    if (stride_ == 1 || count == 1) return from;
    if (room == nullptr) return nullptr;
    auto* next = static_cast<std::byte*>(room);
    for (Index i = 0; i < count; ++i, from += apart, next += own_.bytes) {
      std::memcpy(next, from, own_.bytes);
    }
    return room;
  }

 private:
  const OwnOperator& own_;
  const std::byte* from_;
  Index stride_;
};

class OwnComputation final : public Computation {
 public:
  OwnComputation(const OwnOperator& own, const FieldCells* cells, const FieldArrays* arrays,
                 Index chunk, int threads)
      : own_(own.copy()),
        cells_(cells),
        arrays_(arrays),
        chunk_(chunk),
        shared_(chunk, 1, threads, own.bytes, alignment()) {}

  /// Over vectors of `items` elements.
  OwnComputation(const OwnOperator& own, const FieldArrays* arrays, Index items, Index chunk,
                 int threads)
      : own_(own.copy()),
        arrays_(arrays),
        items_(items),
        chunk_(chunk),
        shared_(chunk, items, threads, own.bytes, alignment()) {}

  [[nodiscard]] std::size_t value_bytes() const override { return own_->bytes; }

  [[nodiscard]] std::shared_ptr<void> make_slots(std::size_t count) const override {
    return make_zeroed(count * own_->bytes, alignment());
  }

  void fold_own(Index first, Index count, Index item, Index items, void* target) override {
    if (cells_ == nullptr) {
      return fold([&](Index k) { return SlotElements(*own_, vector(0, k), items_); }, first, count,
                  item, items, target);
    }
    fold([&](Index k) { return FieldElements(*own_, cells_[k], arrays_[k]); }, first, count, item,
         items, target);
  }

  void copy_own(Index first, Index count, Index item, Index items, void* target) override {
    auto* next = static_cast<std::byte*>(target);
    if (cells_ == nullptr) {
      for (Index element = first; element < first + count; ++element) {
        std::memcpy(next, vector(element, item), bytes_of(items, own_->bytes));
        next += bytes_of(items, own_->bytes);
      }
      return;
    }
    for (Index element = first; element < first + count; ++element) {
      for (Index k = item; k < item + items; ++k, next += own_->bytes) {
        const FieldElements elements(*own_, cells_[k], arrays_[k]);
        if (const void* const place = elements.get(element, 1, next); place != next) {
          std::memcpy(next, place, own_->bytes);
        }
      }
    }
  }

  void fold(const void* from, Index stride, Index count, Index /*item*/, Index items,
            void* target) override {
    fold(
        [&](Index k) {
          return SlotElements(*own_, static_cast<const std::byte*>(from) + bytes_of(k, own_->bytes),
                              stride);
        },
        0, count, 0, items, target);
  }

  void copy(const void* from, Index stride, Index count, Index items, void* target) override {
    for (Index k = 0; k < count; ++k) {
      std::memmove(static_cast<std::byte*>(target) + bytes_of(k * items, own_->bytes),
                   static_cast<const std::byte*>(from) + bytes_of(k * stride, own_->bytes),
                   bytes_of(items, own_->bytes));
    }
  }

  void join(const void* left, const void* right, Index /*item*/, Index items,
            void* target) override {
    for (Index i = 0; i < items; ++i) {
      const std::size_t offset = bytes_of(i, own_->bytes);
      own_->join(static_cast<const std::byte*>(left) + offset,
                 static_cast<const std::byte*>(right) + offset,
                 static_cast<std::byte*>(target) + offset);
    }
  }

 private:
  /// The items of an own vector, from `item` on.
  [[nodiscard]] const std::byte* vector(Index number, Index item) const {
    return static_cast<const std::byte*>(arrays_->elements) +
           bytes_of(number * items_ + item, own_->bytes);
  }

  [[nodiscard]] std::size_t alignment() const { return std::max<std::size_t>(own_->alignment, 64); }

  /// Folds items by their elements, `elements_of(item)`.
  template <class ElementsOf>
  void fold(const ElementsOf& elements_of, Index first, Index count, Index item, Index items,
            void* target) {
    const auto part = [&](Index begin, Index size, Index from, Index some, void* to) {
      for (Index k = 0; k < some; ++k) {
        own_->fold(elements_of(from + k), begin, size, chunk_,
                   static_cast<std::byte*>(to) + bytes_of(k, own_->bytes));
      }
    };
    if (!shared_.pays(count * items, static_cast<Index>(own_->bytes))) {
      part(first, count, item, items, target);
      return;
    }
    using Part = decltype(part);
    shared_.run([](const void* context, Index begin, Index size, Index from, Index some,
                   void* to) { (*static_cast<const Part*>(context))(begin, size, from, some, to); },
                &part,
                [](const void* own, void* left, const void* right) {
                  static_cast<const OwnOperator*>(own)->join(left, right, left);
                },
                own_.get(), first, count, item, items, target);
  }

  std::unique_ptr<const OwnOperator> own_;
  const FieldCells* cells_ = nullptr;  // null for vectors
  const FieldArrays* arrays_;
  Index items_ = 1;  // of a vector
  Index chunk_;
  SharedFold shared_;
};

class OwnOperation final : public FieldOperation {
 public:
  OwnOperation(const OwnOperator& own, const Settings& settings, bool of_products)
      : own_(own), bytes_(own.bytes), settings_(settings), of_products_(of_products) {}

  [[nodiscard]] bool associative() const override { return false; }

  void prepare() override {
    if (!own_.callable()) throw Error("the operator is null: give a function");
    if (of_products_ && !own_.multiplies()) {
      throw Error("a field of products needs elements that have an operator *");
    }
    const Algorithm algorithm = checked_algorithm(settings_);
    if (algorithm.arithmetic != Arithmetic::plain || algorithm.order == "associative") {
      throw Error(text("the algorithm ", algorithm.spec(),
                       " does not support an operator of your own: use ", fixed_orders()));
    }
    if (settings_.widened || settings_.checked) {
      throw Error("an operator of your own can be neither widened nor checked");
    }
  }

  [[nodiscard]] std::unique_ptr<Computation> computation(const FieldCells* cells,
                                                         const FieldArrays* arrays, Index chunk,
                                                         int threads) const override {
    return std::make_unique<OwnComputation>(own_, cells, arrays, chunk, threads);
  }

  [[nodiscard]] std::unique_ptr<Computation> vectors(const FieldArrays* arrays, Index items,
                                                     Index chunk, int threads) const override {
    return std::make_unique<OwnComputation>(own_, arrays, items, chunk, threads);
  }

  [[nodiscard]] std::size_t result_bytes() const override { return bytes_; }

  void finish(const void* partials, Index count, void* results, std::size_t field) const override {
    std::memcpy(static_cast<std::byte*>(results) + field * bytes_, partials,
                static_cast<std::size_t>(count) * bytes_);
  }

  void finish_of_nothing(void* /*results*/, std::size_t /*field*/) const override {
    throw Error("an operator of one's own has no result for zero elements");
  }

 private:
  const OwnOperator& own_;  // only until the computation is made
  std::size_t bytes_;
  Settings settings_;
  bool of_products_;
};

}  // namespace

std::unique_ptr<FieldOperation> make_own_operation(const OwnOperator& own, const Settings& settings,
                                                   bool of_products) {
  return std::make_unique<OwnOperation>(own, settings, of_products);
}

}  // namespace bracket::runtime
