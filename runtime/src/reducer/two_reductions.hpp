// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/runtime/field_reducer.hpp"

namespace bracket::runtime {

/// A reducer of sums that first all-reduces the largest magnitude of each field, and then the sums
/// of numbers that are rounded by it (see `PreRounding`). Elements by a function are made twice.
class TwoReductions final : public AnyReducer {
 public:
  /// `asked` is what the operation of each field computes. Collective. Throws as `make_reducer`
  /// does.
  TwoReductions(MPI_Comm communicator, const std::vector<Field>& fields, const Settings& settings,
                const std::vector<Operation>& asked);

  [[nodiscard]] bool delivers() const override { return sums_->delivers(); }
  [[nodiscard]] Range delivered() const override { return sums_->delivered(); }
  [[nodiscard]] std::size_t fields() const override { return sums_->fields(); }
  [[nodiscard]] Range held(std::size_t field) const override { return sums_->held(field); }
  [[nodiscard]] Index elements(std::size_t field) const override { return sums_->elements(field); }
  [[nodiscard]] Index messages_sent() const override {
    return largest_->messages_sent() + sums_->messages_sent();
  }

 private:
  enum class Stage : std::uint8_t { none, largest, sums };

  void do_move(std::size_t field, const Layout& elements,
               const std::optional<Layout>& factors) override;
  [[noreturn]] void do_refuse(const std::string& words) override;
  void do_start(const Call& call) override;
  void do_run(const Call& call) override;
  bool do_test() override;
  void do_wait() override;
  [[nodiscard]] Accuracy do_accuracy(std::size_t field) const override;

  template <class Action>
  auto guarded(Action&& action);
  void end_first(const std::string& words);
  void start_sums();

  Rank rank_ = 0;
  std::vector<const FieldOperation*> operations_;  // of each field; `sums_` owns them
  std::unique_ptr<AnyReducer> largest_;
  std::unique_ptr<AnyReducer> sums_;
  std::vector<double> magnitudes_;  // of each field

  // The run under way.
  Stage stage_ = Stage::none;
  std::vector<FieldArrays> arrays_;
  std::size_t room_ = 0;
  void* results_ = nullptr;
};

}  // namespace bracket::runtime
