#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/scorecard.hpp"
#include "cost/cost_models.hpp"

namespace bracket::tools {

/// How good each model is, by the rows of one comparison.
class Scorecards {
 public:
  /// A row of the reduction that `group` names, by the plan and distribution that `choice` names.
  void add(const CostModel& model, const std::string& group, const std::string& choice,
           const JudgedRow& row);

  /// A row for each model of which there are rows. Of a table, also what LogGP chooses for each
  /// reduction, in a sentence.
  void report(bool json) const;

 private:
  struct Group {
    std::string name;
    std::vector<JudgedRow> rows;
    std::vector<std::string> choices;
  };
  using Groups = std::vector<Group>;

  static void print_choices(const Groups& groups);

  std::map<std::string_view, Groups> models_;                              // by name
  std::map<std::string_view, std::map<std::string, std::size_t>> places_;  // of groups, likewise
};

}  // namespace bracket::tools
