#pragma once

#include <map>
#include <string>
#include <vector>

#include "bracket/model/scorecard.hpp"
#include "correlations.hpp"

namespace bracket::tools {

/// How good each model is, by the rows of one comparison.
class Scorecards {
 public:
  /// `group` names the reduction that the row is of.
  void add(const PredictionModel& model, const std::string& group, const JudgedRow& row);

  /// A row for each model of which there are rows.
  void report(bool json) const;

 private:
  using Groups = std::map<std::string, std::vector<JudgedRow>>;
  std::map<std::string, Groups> models_;  // by name
};

}  // namespace bracket::tools
