// SPDX-License-Identifier: MIT

#include "bracket/model/machine_fit.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bracket/model/loggp_fit.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "cost/machine_shape.hpp"

namespace bracket {

namespace {

/// The function that `search` minimises. See `fit_machine`.
class Loss {
 public:
  Loss(std::span<const FitRow> rows, const model::MachineShape& shape,
       const std::function<void(Index)>& progress)
      : rows_(rows), shape_(shape), progress_(progress) {}

  /// Loss of parameter values. Writes its gradient, by finite differences, unless `gradient` is
  /// null.
  double operator()(std::span<const double> values, double* gradient) {
    const double loss = of(values);
    if (gradient == nullptr) return loss;
    constexpr double step = 1e-6;
    std::vector<double> moved(values.begin(), values.end());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] = values[i] + step;
      gradient[i] = (of(moved) - loss) / step;
      moved[i] = values[i];
    }
    return loss;
  }

  [[nodiscard]] Index evaluations() const { return evaluations_; }

 private:
  double of(std::span<const double> values) {
    ++evaluations_;
    if (progress_) progress_(evaluations_);
    const Machine machine = shape_.machine(values);
    constexpr double quadratic = 0.05;
    double loss = 0;
    for (const FitRow& row : rows_) {
      const double off =
          std::abs(std::log(std::max(row.predict(machine), 1e-300) / row.measured)) / quadratic;
      loss += off < 1 ? off * off / 2 : off - 0.5;
    }
    const auto& parameters = shape_.parameters();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = (values[i] - parameters[i].usual) / parameters[i].deviation;
      loss += off * off / 2;
    }
    return std::isfinite(loss) ? loss : 1e300;
  }

  std::span<const FitRow> rows_;
  const model::MachineShape& shape_;
  const std::function<void(Index)>& progress_;
  Index evaluations_ = 0;
};

double loss_for_nlopt(unsigned count, const double* values, double* gradient, void* loss) {
  return (*static_cast<Loss*>(loss))({values, count}, gradient);
}

/// Moves `values` to a local minimum.
void minimise(nlopt_algorithm algorithm, int most_evaluations, Loss& loss,
              std::vector<double>& values) {
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> search(
      nlopt_create(algorithm, static_cast<unsigned>(values.size())), nlopt_destroy);
  nlopt_set_min_objective(search.get(), loss_for_nlopt, &loss);
  constexpr double widest = 12;  // a factor of 160 000
  std::vector<double> low = values;
  std::vector<double> high = values;
  for (double& value : low) value -= widest;
  for (double& value : high) value += widest;
  nlopt_set_lower_bounds(search.get(), low.data());
  nlopt_set_upper_bounds(search.get(), high.data());
  nlopt_set_ftol_rel(search.get(), 1e-9);
  nlopt_set_maxeval(search.get(), most_evaluations);
  nlopt_set_initial_step1(search.get(), 0.2);
  std::vector<double> found = values;
  double least = 0;
  const double before = loss(values, nullptr);
  // A search that ends without convergence still returns its best values.
  nlopt_optimize(search.get(), found.data(), &least);
  if (loss(found, nullptr) < before) values = std::move(found);
}

/// Alternates three algorithms, because each gets stuck where another continues. A change of the
/// longest path is a kink, where gradients and quadratic models fail; simplices are slow along
/// narrow valleys.
void search(Loss& loss, std::vector<double>& values) {
  constexpr int most_rounds = 10;
  constexpr double enough = 1e-4;
  const auto count = static_cast<int>(values.size());
  for (int round = 0; round < most_rounds; ++round) {
    const double before = loss(values, nullptr);
    minimise(NLOPT_LD_SLSQP, 200, loss, values);
    if (count > 1) minimise(NLOPT_LN_BOBYQA, 100 * count, loss, values);
    minimise(NLOPT_LN_SBPLX, 100 * count, loss, values);
    if (before - loss(values, nullptr) < enough * before) return;
  }
}

void check(std::span<const FitRow> rows) {
  constexpr double most_numbers = 1e15;
  if (rows.empty()) throw Error("a machine is fitted to measured rows: there are none");
  for (const FitRow& row : rows) {
    if (!(row.measured > 0) || !std::isfinite(row.measured)) {
      throw Error(
          text("a measured time of ", row.measured, " seconds: it must be finite and above 0"));
    }
    if (!(row.message_bytes < most_numbers) || !(row.folded < most_numbers)) {
      throw Error(text("messages of ", row.message_bytes, " bytes and folds of ", row.folded,
                       " numbers: below ", most_numbers, " was expected"));
    }
    if (row.value_bytes != rows[0].value_bytes) {
      throw Error(text("rows with values of ", rows[0].value_bytes, " and of ", row.value_bytes,
                       " bytes: a machine is fitted to one type"));
    }
  }
}

}  // namespace

MachineFit fit_machine(std::span<const FitRow> rows,
                       const std::function<void(Index evaluations)>& progress) {
  check(rows);
  const model::MachineShape shape(rows);
  std::vector<double> values;
  for (const auto& parameter : shape.parameters()) values.push_back(parameter.start);
  Loss loss(rows, shape, progress);
  if (!values.empty()) {
    search(loss, values);
  }
  MachineFit fit{shape.machine(values), shape.combine_share(values), loss.evaluations(),
                 shape.assumed()};
  // LogGP figures as well, for consumers that do not read the table.
  Machine& machine = fit.machine;
  if (machine.messages.size() >= 2) {
    const auto messages = machine.messages;
    machine.set_between_nodes(fit_loggp(messages, machine.eager_bytes).costs(messages));
  }
  machine.check();
  return fit;
}

}  // namespace bracket
