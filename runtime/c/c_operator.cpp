// SPDX-License-Identifier: MIT

#include "c_operator.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace bracket {

namespace {

/// An operator for elements of at most `size` bytes.
template <std::size_t size>
class COperator final : public runtime::OwnOperator {
 public:
  COperator(std::size_t element_bytes, bracket_join* function, void* context)
      : OwnOperator(element_bytes, 1, "element of a C program", "operator of a C program"),
        join_(function),
        context_(context) {}

  [[nodiscard]] OwnOperator* copy() const override { return new COperator(bytes, join_, context_); }
  [[nodiscard]] bool callable() const override { return join_ != nullptr; }

  // The function of a program may write its result before it has read its operands.
  void join(const void* left, const void* right, void* target) const override {
    Element result;
    join_(left, right, result.bytes, context_);
    std::memcpy(target, result.bytes, bytes);
  }

  void fold(const runtime::OwnElements& elements, Index first, Index count, Index chunk,
            void* target) const override {
    std::byte room[runtime::own_block_bytes];
    const auto most = static_cast<Index>(sizeof room / bytes);
    const std::byte* next = nullptr;
    Index loaded = 0;  // elements from `next` on
    const auto element = [&](Index i) {
      if (loaded == 0) {
        loaded = std::min(most, count - i);
        next = static_cast<const std::byte*>(elements.get(first + i, loaded, room));
      }
      Element value;
      std::memcpy(value.bytes, next, bytes);
      next += bytes;
      --loaded;
      return value;
    };
    const auto join_two = [this](const Element& left, const Element& right) {
      Element result;
      join_(left.bytes, right.bytes, result.bytes, context_);
      return result;
    };
    const auto result = fold_elements<Element>(count, chunk, element, join_two);
    std::memcpy(target, result.bytes, bytes);
  }

 private:
  /// An element with the alignment that C programs may expect.
  struct Element {
    alignas(std::max_align_t) std::byte bytes[size]{};
  };

  bracket_join* join_;
  void* context_;
};

}  // namespace

std::unique_ptr<runtime::OwnOperator> make_c_operator(std::size_t bytes, bracket_join* join,
                                                      void* context) {
  switch (std::bit_ceil(std::max(bytes, alignof(std::max_align_t)))) {
    case 16:
      return std::make_unique<COperator<16>>(bytes, join, context);
    case 32:
      return std::make_unique<COperator<32>>(bytes, join, context);
    case 64:
      return std::make_unique<COperator<64>>(bytes, join, context);
    case 128:
      return std::make_unique<COperator<128>>(bytes, join, context);
    default:
      static_assert(BRACKET_MOST_BYTES == 256);
      return std::make_unique<COperator<256>>(bytes, join, context);
  }
}

}  // namespace bracket
