// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/computation.hpp"
#include "bracket/runtime/execution.hpp"
#include "bracket/runtime/mpi.hpp"

namespace bracket::runtime {

/// The MPI library's `MPI_Iallreduce` over one message of each rank, by an operator that is
/// associative but not commutative. A message is one element of a datatype of its own, so that no
/// library splits it.
class NativeReduction {
 public:
  /// right := left ∘ right, where `left` comes from lower ranks. Must not throw, since C calls it.
  using Join = std::function<void(const std::byte* left, std::byte* right)>;

  NativeReduction(std::size_t message_bytes, Join join);
  ~NativeReduction();
  NativeReduction(const NativeReduction&) = delete;
  NativeReduction& operator=(const NativeReduction&) = delete;

  /// Begins `message` := all ranks' messages, joined in the communicator's rank order. Collective.
  /// The reduction is complete when the request is.
  [[nodiscard]] MPI_Request start(const Communicator& communicator, std::byte* message) const;

 private:
  NativeReduction() = default;

  /// Attribute of the datatype, which the operator reads.
  struct Context {
    std::size_t message_bytes = 0;
    Join join;
  };
  static void apply(void* left, void* right, int* count, MPI_Datatype* type) noexcept;
  static int context_key();

  Context context_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

/// Executes the plan `native`: reduces numbers that the ranks of a communicator hold by the MPI
/// library's own `MPI_Iallreduce`. Messages carry the frontiers of contiguous ranges. Joining
/// frontiers is associative although the operation is not: whichever ranks the library combines
/// first, the same joins take place. If the operation throws, every rank throws `Error` with its
/// message, since the joins are the same for all, and further runs are possible. After a failure of
/// MPI no run is possible.
class NativeExecution final : public Execution {
 public:
  /// Collective.
  explicit NativeExecution(MPI_Comm communicator)
      : communicator_(communicator, Communicator::Use::alone) {}

  /// Waits for a run under way, since MPI cannot cancel it.
  ~NativeExecution() override;
  NativeExecution(const NativeExecution&) = delete;
  NativeExecution& operator=(const NativeExecution&) = delete;

  /// Sets the order, the range that this rank holds and the computation, which must exist as long
  /// as the execution. Call it once, before `settle`. Throws `Error` if a message with room for the
  /// order's largest frontier has more bytes than MPI can count.
  void set_up(Computation& computation, const Order& order, Range held);

  /// Numbers the ranks by the position of their elements. Call it once, before the first run.
  /// Collective.
  void settle(const Distribution& distribution);

  [[nodiscard]] const Communicator& communicator() const override { return communicator_; }
  void check_idle() const override;
  void start() override;
  bool test() override;
  void wait() override;
  [[nodiscard]] bool under_way() const override { return request_ != MPI_REQUEST_NULL; }
  [[nodiscard]] const void* result() const override { return slots_.get(); }
  [[nodiscard]] Index messages_sent() const override { return 0; }

 private:
  std::string refuse(const std::string& words) override;
  std::string give_up(const std::string& words) override;
  void prepare();
  void finish();
  void fold_own();
  void join(const std::byte* left, std::byte* right);
  void join_frontiers(const std::byte* left, Range l, std::byte* right, Range r);
  [[nodiscard]] std::byte* slot(std::size_t number) const {
    return static_cast<std::byte*>(slots_.get()) + number * value_bytes_;
  }

  Communicator communicator_;  // ranks in element order, in which the library joins
  std::size_t value_bytes_ = 0;
  std::optional<Order> order_;
  Range held_;
  std::vector<Partial> own_;  // the frontier of `held_`
  std::optional<NativeReduction> reduction_;
  std::vector<std::byte> message_;
  MPI_Request request_ = MPI_REQUEST_NULL;  // of the run under way
  bool ended_ = false;                      // no run is possible any more
  // Scratch space of a join: frontiers, and the values of two.
  std::vector<Partial> partials_;
  std::vector<Partial> added_;
  std::vector<JoinPair> joins_;
  std::shared_ptr<void> slots_;
};

}  // namespace bracket::runtime
