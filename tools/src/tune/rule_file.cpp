// SPDX-License-Identifier: MIT

#include "tune/rule_file.hpp"

#include <algorithm>
#include <array>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index item_bytes = 8;  // of float64

/// Names and numbers that the libraries have for a collective.
struct CollectiveNames {
  SumCollective collective;
  int open_mpi;                // number in the table of coll_base_functions.h
  const char* mpich;           // as in `collective=allreduce`
  const char* mpich_function;  // as in `MPIR_Allreduce_intra_smp`
  const char* mpich_size;      // condition on the vector of a rank or, of a scatter, the whole one
  const char* mpich_divided;   // algorithm for at least as many items as a power of two ranks
  const char* mpich_for_few;   // algorithm for fewer items
};

constexpr std::array collectives_of_libraries{
    CollectiveNames{SumCollective::all_reduce, 2, "allreduce", "MPIR_Allreduce_intra_",
                    "avg_msg_size", "reduce_scatter_allgather", "recursive_doubling"},
    CollectiveNames{SumCollective::reduce, 11, "reduce", "MPIR_Reduce_intra_", "avg_msg_size",
                    "reduce_scatter_gather", "binomial"},
    CollectiveNames{SumCollective::reduce_scatter, 12, "reduce_scatter",
                    "MPIR_Reduce_scatter_intra_", "total_msg_size", "", ""}};

const CollectiveNames& names_in_libraries(SumCollective collective) {
  for (const CollectiveNames& row : collectives_of_libraries) {
    if (row.collective == collective) return row;
  }
  throw Error(text("rules of MPI libraries are for all-reduce, reduce and reduce-scatter, not for ",
                   name_of(collective)));
}

/// The children of a node of Open MPI's chain; other algorithms ignore the number.
int fan_out(const std::string& algorithm) { return algorithm == "chain" ? 4 : 0; }

/// A node `condition: what`.
Json node(const std::string& condition, Json what) { return Json{{condition, std::move(what)}}; }

Json mpich_algorithm(const CollectiveNames& names, const std::string& algorithm) {
  return node(text("algorithm=", names.mpich_function, algorithm), Json::object());
}

/// The node of one rule. MPICH's own selection has the same fallback.
Json mpich_rule(const CollectiveNames& names, const std::string& algorithm) {
  if (algorithm != names.mpich_divided) return mpich_algorithm(names, algorithm);
  return {{"count<pow2", mpich_algorithm(names, names.mpich_for_few)},
          {"count=any", mpich_algorithm(names, algorithm)}};
}

Json mpich_rules_by_size(const CollectiveNames& names, const std::vector<AlgorithmRule>& rules) {
  Json by_size = Json::object();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string condition =
        i + 1 < rules.size()
            ? text(names.mpich_size, "<=", rules[i + 1].from_items * item_bytes - 1)
            : text(names.mpich_size, "=any");
    by_size[condition] = mpich_rule(names, rules[i].algorithm);
  }
  return by_size;
}

}  // namespace

std::string open_mpi_rules(SumCollective collective, const std::vector<RankRules>& ranks,
                           const std::vector<std::string>& comments) {
  // A number of ranks without rules of its own takes those of the next smaller one, so entries
  // without an algorithm end those of `ranks`.
  std::vector<RankRules> entries{{0, {{0, "", 0}}}};
  for (const RankRules& one : ranks) {
    if (entries.back().ranks == one.ranks) entries.pop_back();
    entries.push_back(one);
    entries.push_back({one.ranks + 1, {{0, "", 0}}});
  }
  std::string content;
  for (const std::string& line : comments) content += "# " + line + '\n';
  content += text("1  # collectives\n", names_in_libraries(collective).open_mpi, "  # ",
                  name_of(collective), '\n', entries.size(), "  # numbers of ranks\n");
  for (const auto& [count, rules] : entries) {
    content += text(count, ' ', rules.size(), "  # from ", count, " ranks on, number of rules\n");
    for (const AlgorithmRule& rule : rules) {
      Spec spec{rule.algorithm, {}};
      if (!rule.algorithm.empty()) spec = Spec::parse(rule.algorithm);
      content += text(rule.from_items * item_bytes, ' ', rule.number, ' ', fan_out(spec.name), ' ',
                      spec.integer(0, "size of segments", 0, 0), "  # bytes, ",
                      rule.algorithm.empty() ? "the library's own choice" : rule.algorithm, '\n');
    }
  }
  return content;
}

std::string mpich_rules(const Json& selection, SumCollective collective,
                        const std::vector<RankRules>& ranks) {
  const CollectiveNames& names = names_in_libraries(collective);
  const std::string key = text("collective=", names.mpich);
  const std::string kind = "comm_type=intra";
  if (!selection.is_object() || !selection.contains(key) || !selection[key].contains(kind)) {
    throw Error(text("MPICH's selection of algorithms has no ", key, " with ", kind,
                     ": that of MPICH 4 was expected"));
  }
  const Json& own = selection[key][kind];
  Json by_ranks = Json::object();
  Rank covered = 0;
  for (const RankRules& one : ranks) {
    if (one.ranks > covered + 1) by_ranks[text("comm_size<=", one.ranks - 1)] = own;
    Json by_operator{{"is_op_built_in=yes", mpich_rules_by_size(names, one.rules)},
                     {"is_op_built_in=no", own}};
    // MPICH knows the kind of operator only of these collectives.
    if (collective == SumCollective::reduce_scatter) {
      by_operator = {{"is_commutative=yes", mpich_rules_by_size(names, one.rules)},
                     {"is_commutative=no", own}};
    }
    by_ranks[text("comm_size<=", one.ranks)] = std::move(by_operator);
    covered = one.ranks;
  }
  by_ranks["comm_size=any"] = own;
  Json all = selection;
  all[key][kind] = std::move(by_ranks);
  std::string content = all.dump(1) + '\n';
  // MPICH maps the file into memory and reads it up to a zero byte. There is none after a file that
  // fills its last page.
  constexpr std::size_t page = 4096;
  if (content.size() % page == 0) content += '\n';
  return content;
}

Json selection_in(std::string_view library, const std::string& file) {
  constexpr std::string_view begin = "{\"collective=";
  for (auto at = library.find(begin); at != std::string_view::npos;
       at = library.find(begin, at + 1)) {
    const std::string_view words = library.substr(at, library.find('\0', at) - at);
    // The device has selections, too, whose algorithms have other names.
    if (words.find("algorithm=MPIR_Allreduce_intra_") == std::string_view::npos) continue;
    Json selection = Json::parse(words, nullptr, false);
    if (!selection.is_discarded()) return selection;
  }
  throw Error(
      text(file, ": it has no selection of algorithms: the library of MPICH 4 was expected"));
}

std::vector<std::string> rule_settings(MpiLibrary library, SumCollective collective,
                                       const std::string& file) {
  if (library == MpiLibrary::open_mpi) {
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
            "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + file};
  }
  return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + file,
          mpich_device_variable(collective) + "=0"};
}

}  // namespace bracket::tools
