#include "bench/bench_plots.hpp"

#include "bench/bench_candidates.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

std::vector<viz::Plot> bench_plots(const PlottedRows& rows) {
  const Measure time = measured_time("median time, with its 95 % interval");
  const Measure ratio{"ratio", text("ratio to ", baseline)};
  const auto names = RowNames::by(rows, {"candidate"});
  const bool several = numbers_in(rows, "elements").size() > 1;
  const auto plot = [&](const Measure& measure, viz::PlotUnit unit) {
    return several ? lines_over(rows, setting_axis(rows, "elements", "elements N"), "elements",
                                measure, names, unit)
                   : points_by_row(rows, {measure}, names, unit);
  };
  viz::Plot times = plot(time, viz::PlotUnit::seconds);
  times.title = several ? "Time over the number of elements" : "Time of each candidate";
  viz::Plot ratios = plot(ratio, viz::PlotUnit::number);
  ratios.title = "Time divided by that of the irreproducible sum";
  (several ? ratios.y_level : ratios.x_level) = viz::PlotLevel{1, ""};
  return {std::move(times), std::move(ratios)};
}

}  // namespace bracket::tools
