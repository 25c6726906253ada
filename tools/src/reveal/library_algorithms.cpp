// SPDX-License-Identifier: MIT

#include "reveal/library_algorithms.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/value_list.hpp"

namespace bracket::tools {

namespace {

/// The file that has the function of a name.
std::string file_with(const char* name) {
  Dl_info info{};
  void* const function = ::dlsym(RTLD_DEFAULT, name);
  if (function == nullptr || ::dladdr(function, &info) == 0) return "/proc/self/exe";  // static
  return info.dli_fname;
}

/// How a library is told to use an algorithm for a collective.
struct ChoiceOfAlgorithm {
  MpiLibrary library;
  SumCollective collective;
  const char* variable;                     // has a value for each algorithm
  const char* segments;                     // variable of the size of segments, or null
  std::vector<const char*> names{};         // of MPICH's algorithms
  std::vector<std::string_view> divided{};  // algorithms with segments
  std::vector<Index> sizes{};               // of segments, in bytes; 0: one segment
};

/// MPICH's `smp` is left out because its order depends on the placement of the ranks, `nb` because
/// it takes the algorithm of another collective, and `noncommutative` because it ends the program
/// if p is no power of two.
const std::vector<ChoiceOfAlgorithm>& choices_of_algorithms() {
  using enum MpiLibrary;
  using enum SumCollective;
  static const std::vector<ChoiceOfAlgorithm> all{
      {open_mpi,
       all_reduce,
       "coll_tuned_allreduce_algorithm",
       "coll_tuned_allreduce_algorithm_segmentsize",
       {},
       {"segmented_ring"},
       {1 << 16, 1 << 20}},
      {open_mpi,
       reduce,
       "coll_tuned_reduce_algorithm",
       "coll_tuned_reduce_algorithm_segmentsize",
       {},
       {"chain", "pipeline", "binary", "binomial", "in-order_binary"},
       {0, 1 << 15}},
      {open_mpi, reduce_scatter, "coll_tuned_reduce_scatter_algorithm", nullptr},
      {mpich,
       all_reduce,
       "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
       nullptr,
       {"recursive_doubling", "reduce_scatter_allgather"}},
      {mpich,
       reduce,
       "MPIR_CVAR_REDUCE_INTRA_ALGORITHM",
       nullptr,
       {"binomial", "reduce_scatter_gather"}},
      {mpich,
       reduce_scatter,
       "MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM",
       nullptr,
       {"pairwise", "recursive_doubling", "recursive_halving"}},
  };
  return all;
}

const ChoiceOfAlgorithm& choice_for(const std::string& library, SumCollective collective) {
  const auto known = mpi_library_of(library);
  if (!known) {
    throw Error(text("--algorithms: the MPI library is ", library,
                     ": algorithms of Open MPI and MPICH alone can be chosen"));
  }
  for (const ChoiceOfAlgorithm& row : choices_of_algorithms()) {
    if (row.library == *known && row.collective == collective) return row;
  }
  throw Error(text("--algorithms: algorithms for --collective ", name_of(collective),
                   " cannot be chosen, only for all-reduce, reduce and reduce-scatter"));
}

/// Throws `Error` if the environment has a variable that takes precedence over a choice, or that
/// changes the library's own choice.
void check_precedence(const ChoiceOfAlgorithm& choice) {
  const bool open_mpi = choice.library == MpiLibrary::open_mpi;
  const std::string own = (open_mpi ? "OMPI_MCA_" : "") + std::string(choice.variable);
  for (const std::string& name : {own, std::string("OMPI_MCA_coll_tuned_dynamic_rules_filename"),
                                  std::string("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"),
                                  std::string("MPIR_CVAR_DEVICE_COLLECTIVES")}) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') continue;
    throw Error(text("the environment has ", name, "=", excerpt(value),
                     ", which chooses algorithms as --algorithms does: unset it"));
  }
}

/// Throws `Error` if Open MPI was told not to use the component whose algorithms are chosen.
void check_component() {
  const char* const written = std::getenv("OMPI_MCA_coll");
  if (written == nullptr || *written == '\0') return;
  const bool without = *written == '^';
  const auto names = split(written + (without ? 1 : 0), ',');
  const bool named = std::find(names.begin(), names.end(), "tuned") != names.end();
  if (named != without) return;
  throw Error(text("the environment has OMPI_MCA_coll=", excerpt(written),
                   ", which switches off the component tuned, whose algorithms --algorithms "
                   "chooses: ",
                   without ? "unset it" : "add tuned or unset it"));
}

/// An algorithm by its name, its value and its size of segments.
struct NamedAlgorithm {
  std::string name;
  int number;
  int segment;
};

bool is_divided(const ChoiceOfAlgorithm& choice, const std::string& name) {
  return std::find(choice.divided.begin(), choice.divided.end(), name) != choice.divided.end();
}

NamedAlgorithm with_segments(const std::pair<std::string, int>& value, Index size) {
  return {size == 0 ? value.first : text(value.first, ':', size), value.second,
          static_cast<int>(size)};
}

std::vector<NamedAlgorithm> every(const ChoiceOfAlgorithm& choice,
                                  const std::vector<std::pair<std::string, int>>& values) {
  std::vector<NamedAlgorithm> all;
  for (const auto& value : values) {
    if (!is_divided(choice, value.first)) {
      all.push_back(with_segments(value, 0));
      continue;
    }
    for (const Index size : choice.sizes) all.push_back(with_segments(value, size));
  }
  return all;
}

NamedAlgorithm algorithm_named(const std::string& written, const ChoiceOfAlgorithm& choice,
                               const std::vector<std::pair<std::string, int>>& values) {
  const Spec spec = Spec::parse(written);
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == spec.name; });
  if (found == values.end()) {
    std::string known = default_algorithm;
    for (const auto& value : values) known += ", " + value.first;
    throw Error(text("--algorithms ", excerpt(written), ": no algorithm for ",
                     name_of(choice.collective), " of the MPI library; known: all, ", known));
  }
  spec.expect_at_most(is_divided(choice, spec.name) ? 1 : 0);
  const Index size = spec.integer(0, "size of segments in bytes", 0, 0);
  if (size > 1 << 30) throw Error(text("--algorithms ", excerpt(written), ": at most 1Gi bytes"));
  return with_segments(*found, size);
}

}  // namespace

void LibraryAlgorithm::choose() const {
  for (const auto& [variable, value] : settings) variable->set(value);
}

LibraryAlgorithms::Changed::~Changed() {
  try {
    variable_.set(first_);
  } catch (const Error&) {  // it keeps the value of the latest algorithm
  }
}

LibraryAlgorithms::LibraryAlgorithms(const Communicator& world, const std::string& library,
                                     SumCollective collective,
                                     const std::vector<std::string>& names) {
  std::vector<NamedAlgorithm> chosen;
  const ControlVariable* segments = nullptr;
  const ControlVariable* device = nullptr;
  together(world, [&] {
    const ChoiceOfAlgorithm& choice = choice_for(library, collective);
    check_precedence(choice);
    if (choice.library == MpiLibrary::open_mpi) check_component();
    const auto open = [&](const char* name) -> const ControlVariable* {
      if (name == nullptr) return nullptr;
      return &variables_.emplace_back(std::make_unique<Changed>(name))->variable();
    };
    const ControlVariable* const algorithm = open(choice.variable);
    segments = open(choice.segments);
    if (choice.library == MpiLibrary::mpich) {
      device = open(mpich_device_variable(collective).c_str());
    }
    auto values = algorithm->named_values(choice.names);
    std::erase_if(values, [](const auto& value) { return value.first == "ignore"; });
    if (names == std::vector<std::string>{"all"}) {
      chosen = every(choice, values);
      chosen.insert(chosen.begin(), {default_algorithm, 0, 0});
      return;
    }
    for (const std::string& name : names) {
      chosen.push_back(name == default_algorithm ? NamedAlgorithm{default_algorithm, 0, 0}
                                                 : algorithm_named(name, choice, values));
    }
  });
  for (const NamedAlgorithm& one : chosen) {
    std::vector<std::pair<const ControlVariable*, int>> settings;
    for (const auto& changed : variables_) {
      const ControlVariable* const variable = &changed->variable();
      int value = variable == segments ? one.segment : variable == device ? 0 : one.number;
      if (one.name == default_algorithm) value = changed->first();
      settings.emplace_back(variable, value);
    }
    together(world, [&] {
      for (const auto& [variable, value] : settings) variable->set(value);
    });
    // Open MPI fixes the algorithms of a communicator when it makes it.
    algorithms_.push_back(
        {one.name, one.number, world.reordered(world.rank()), std::move(settings)});
  }
}

void let_algorithms_be_chosen(int argc, char** argv) {
  if (argc < 2 || argv[1] != std::string_view("reveal")) return;
  const bool asked = std::any_of(argv + 2, argv + argc, [](const char* word) {
    return std::string_view(word).starts_with("--algorithms");
  });
  if (asked) ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
}

namespace {

std::string function_of(SumCollective collective) {
  switch (collective) {
    case SumCollective::reduce:
      return "MPI_Reduce";
    case SumCollective::reduce_scatter:
      return "MPI_Reduce_scatter";
    case SumCollective::scan:
      return "MPI_Scan";
    default:
      return "MPI_Allreduce";
  }
}

}  // namespace

std::string library_file() { return file_with("PMPI_Get_library_version"); }

std::string preloaded_library(SumCollective collective) {
  const std::string name = function_of(collective);
  for (const std::string& file : {file_with(name.c_str()), file_with(('P' + name).c_str())}) {
    const bool leaves_sum =
        file.ends_with("/libbracket_recorder.so") ||
        (collective == SumCollective::scan && file.ends_with("/libbracket_reproducible.so"));
    if (file != library_file() && !leaves_sum) return file;
  }
  return "";
}

}  // namespace bracket::tools
