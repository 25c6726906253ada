#include <fmt/format.h>

#include "bracket/model/error.hpp"
#include "bracket/model/file.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/tune.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "report.hpp"

namespace bracket::tools {

namespace {

struct Options {
  SizeOptions size;
  double alpha = 0.2;
  ScoreOptions score;
  std::optional<std::string> rank_order;
  std::string output;
  bool json = false;
};

void tune(const Options& options) {
  const auto candidates =
      tune_by_score(options.size.elements, options.size.ranks, options.alpha,
                    options.score.costs(options.size.elements, options.size.ranks));
  const auto best = in_rank_order(candidates.front().distribution, options.rank_order);
  Report report({{"distribution", "distribution"},
                 {"largest_share", "largest share"},
                 {"messages", "messages"},
                 {"score_seconds", "score [us]", Column::Shown::microseconds}},
                options.json);
  for (const auto& candidate : candidates) {
    report.row({{"elements", options.size.elements},
                {"ranks", options.size.ranks},
                {"distribution", candidate.name},
                {"largest_share", candidate.distribution.largest_share()},
                {"messages", candidate.messages},
                {"score_seconds", candidate.score_seconds}});
  }
  if (!options.output.empty()) {
    write_file(options.output, to_json(best).dump() + '\n');
  }
  report.finish();
}

}  // namespace

void add_tune(CLI::App& app) {
  auto* const command =
      app.add_subcommand("tune", "distributions by score, the best first; writes the best");
  const auto options = std::make_shared<Options>();
  options->size.add_to(*command);
  add_number(*command, "--alpha", options->alpha, "furthest that a boundary may move, in shares");
  options->score.add_to(*command);
  auto* const output =
      command->add_option("-o,--output", options->output, "file for the best distribution, as JSON")
          ->type_name("FILE");
  add_rank_order(*command, options->rank_order)
      ->description("which rank holds which share of what is written; `bracket list` names them")
      ->needs(output);
  add_json(*command, options->json);
  command->callback([options] { tune(*options); });
}

}  // namespace bracket::tools
