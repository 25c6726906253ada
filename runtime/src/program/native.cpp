#include "bracket/runtime/native.hpp"
#include "bracket/support/text.hpp"

#include <algorithm>
#include <limits>

namespace bracket {

namespace frontier_message {

namespace {

constexpr std::size_t room_for_words = 240;
constexpr Index failure_mark = -1;  // marks a failure, in place of the beginning of a range

}  // namespace

std::size_t bytes(Index values, std::size_t value_bytes) {
  constexpr Index most = std::numeric_limits<int>::max();
  if (values > (most - static_cast<Index>(header)) / static_cast<Index>(value_bytes)) {
    throw Error(text("a frontier of up to ", values, " values of ", value_bytes,
                     " bytes is longer than MPI's ", most, " bytes"));
  }
  return header + std::max(static_cast<std::size_t>(values) * value_bytes, room_for_words);
}

Range range(const std::byte* message) {
  Range range;
  std::memcpy(&range, message, sizeof range);
  return range;
}

void set_range(std::byte* message, Range range) { std::memcpy(message, &range, sizeof range); }

void fail(std::byte* message, const std::string& words) {
  const std::size_t length = std::min(words.size(), room_for_words);
  set_range(message, {failure_mark, static_cast<Index>(length)});
  std::memcpy(message + header, words.data(), length);
}

bool failed(const std::byte* message) { return range(message).begin == failure_mark; }

void rethrow(const std::byte* message) {
  std::string words(static_cast<std::size_t>(range(message).end), '\0');
  std::memcpy(words.data(), message + header, words.size());
  throw Error(words);
}

}  // namespace frontier_message

NativeReduction::NativeReduction(std::size_t message_bytes, Join join) : NativeReduction() {
  context_ = {message_bytes, std::move(join)};
  check_mpi(MPI_Type_contiguous(static_cast<int>(message_bytes), MPI_BYTE, &type_),
            "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Type_set_attr(type_, context_key(), &context_), "MPI_Type_set_attr");
  check_mpi(MPI_Op_create(apply, 0, &op_), "MPI_Op_create");
}

NativeReduction::~NativeReduction() {
  if (mpi_has_ended()) return;
  if (op_ != MPI_OP_NULL) MPI_Op_free(&op_);
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

void NativeReduction::run(const Communicator& communicator, std::byte* message) const {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, message, 1, type_, op_, communicator.handle()),
            "MPI_Allreduce");
}

MPI_Request NativeReduction::start(const Communicator& communicator, std::byte* message) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, message, 1, type_, op_, communicator.handle(), &request),
            "MPI_Iallreduce");
  return request;
}

int NativeReduction::context_key() {
  // One key for the process. A library that duplicates the type copies the attribute as well.
  static const int key = [] {
    int created = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &created, nullptr),
              "MPI_Type_create_keyval");
    return created;
  }();
  return key;
}

void NativeReduction::apply(void* left, void* right, int* count, MPI_Datatype* type) noexcept {
  auto* const from = static_cast<const std::byte*>(left);
  auto* const to = static_cast<std::byte*>(right);
  void* found = nullptr;
  int is_there = 0;
  if (MPI_Type_get_attr(*type, context_key(), &found, &is_there) != MPI_SUCCESS || is_there == 0) {
    frontier_message::fail(to, "MPI_Allreduce calls the operator with another datatype");
    return;
  }
  const auto& context = *static_cast<const Context*>(found);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    context.join(from + i * context.message_bytes, to + i * context.message_bytes);
  }
}

template class NativeExecutor<DoubleSum>;

}  // namespace bracket
