#include "own_operator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"

namespace bracket {

namespace {

/// An element, padded with zeros.
template <std::size_t size>
struct Block {
  alignas(std::max_align_t) std::array<std::byte, size> bytes{};
};

template <std::size_t size>
struct JoinBlocks : OwnOperator {
  Block<size> operator()(const Block<size>& left, const Block<size>& right) const {
    Block<size> result;
    join(left.bytes.data(), right.bytes.data(), result.bytes.data(), context);
    return result;
  }
};

template <std::size_t size>
using OwnReduction = detail::UserReduction<Block<size>, JoinBlocks<size>>;

}  // namespace

/// The source of fields whose elements are shorter than their blocks.
template <std::size_t size>
class Arrays<OwnReduction<size>, Block<size>> {
 public:
  using Operation = OwnReduction<size>;
  using Value = Block<size>;

  Arrays() = default;
  Arrays(const FieldCells* fields, const FieldArrays* arrays) : fields_(fields), arrays_(arrays) {}

  void fold(const Operation& operation, Index chunk, Index first, Index count, Index item,
            Index items, Value* target) const {
    const auto& join = operation.join_function;
    for (Index i = 0; i < items; ++i) {
      Walk walk(fields_[item + i].elements, arrays_[item + i], first);
      *target++ = fold_elements<Value>(
          count, chunk, [&](Index) { return walk.next(join.bytes); }, join);
    }
  }

  void copy(const Operation& operation, Index first, Index count, Index item, Index items,
            Value* target) const {
    for (Index k = first; k < first + count; ++k) {
      for (Index i = 0; i < items; ++i) {
        Walk walk(fields_[item + i].elements, arrays_[item + i], k);
        *target++ = walk.next(operation.join_function.bytes);
      }
    }
  }

 private:
  /// Reads elements one after the other.
  class Walk {
   public:
    Walk(const Cells& cells, const FieldArrays& arrays, Index first)
        : cells_(cells), arrays_(arrays), next_(first) {}

    Value next(std::size_t bytes) {
      Value value;
      if (arrays_.make != nullptr) {
        arrays_.make(arrays_.elements, next_++, 1, value.bytes.data());
        return value;
      }
      if (left_in_row_ == 0) begin_row();
      std::memcpy(value.bytes.data(), static_cast<const std::byte*>(arrays_.elements) + address_,
                  bytes);
      address_ += stride_;
      --left_in_row_;
      ++next_;
      return value;
    }

   private:
    void begin_row() {
      const Index left = cells_.count() - next_;
      // Takes only the first row; the next call begins where it ends.
      bool first = true;
      cells_.for_each_row(next_, std::min(left, most), [&](Index address, Index stride, Index n) {
        if (!std::exchange(first, false)) return;
        address_ = address;
        stride_ = stride;
        left_in_row_ = n;
      });
    }

    static constexpr Index most = 256;  // most elements in a row
    const Cells& cells_;
    const FieldArrays& arrays_;
    Index next_;
    Index address_ = 0;
    Index stride_ = 0;
    Index left_in_row_ = 0;
  };

  const FieldCells* fields_ = nullptr;
  const FieldArrays* arrays_ = nullptr;
};

namespace {

template <std::size_t size>
std::unique_ptr<AnyReducer> make(MPI_Comm communicator, const OwnOperator& own,
                                 const std::vector<Field>& fields, const Settings& settings) {
  const detail::Kind kind{text("elements of ", own.bytes, " bytes"),
                          "operator of one's own",
                          own.bytes,
                          detail::order_of(settings, false),
                          false,
                          false};
  using Operation = detail::FieldOperationOf<OwnReduction<size>, Block<size>>;
  auto operation = std::make_unique<Operation>(std::nullopt, JoinBlocks<size>{own}, settings,
                                               detail::of_products(fields));
  return std::make_unique<detail::FieldReducer>(communicator, fields, settings, kind,
                                                detail::only(std::move(operation), fields));
}

}  // namespace

std::size_t own_block_bytes(std::size_t element_bytes) {
  return std::max(std::bit_ceil(element_bytes), alignof(std::max_align_t));
}

std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const OwnOperator& own,
                                             const std::vector<Field>& fields,
                                             const Settings& settings) {
  if (own.join == nullptr) throw Error("no function that combines two elements: give one");
  switch (own_block_bytes(own.bytes)) {
    case 16:
      return make<16>(communicator, own, fields, settings);
    case 32:
      return make<32>(communicator, own, fields, settings);
    case 64:
      return make<64>(communicator, own, fields, settings);
    case 128:
      return make<128>(communicator, own, fields, settings);
    default:
      static_assert(BRACKET_MOST_BYTES == 256);
      return make<256>(communicator, own, fields, settings);
  }
}

}  // namespace bracket
