// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "common/mpi_library.hpp"
#include "common/sum_collective.hpp"
#include "reveal/control_variable.hpp"

namespace bracket::tools {

/// An algorithm that the MPI library can be told to use for a collective.
struct LibraryAlgorithm {
  std::string name;    ///< as the library has it, with the size of segments: `segmented_ring:65536`
  int number = 0;      ///< of the library's numbering
  Communicator world;  ///< whose calls use the algorithm after `choose`
  std::vector<std::pair<const ControlVariable*, int>> settings;

  /// Makes the library use it in the calls that follow. Throws `Error` if the library refuses it.
  void choose() const;
};

/// Algorithms of the MPI library for a collective.
class LibraryAlgorithms {
 public:
  /// Takes the algorithms with these `names`, or every one if `names` is the word `all`. Throws
  /// `CollectiveError` for an unknown name, for a library or a collective whose algorithms cannot
  /// be chosen, and if the environment has settings that would take precedence. Collective.
  LibraryAlgorithms(const Communicator& world, const std::string& library, SumCollective collective,
                    const std::vector<std::string>& names);

  [[nodiscard]] const std::vector<LibraryAlgorithm>& all() const { return algorithms_; }

 private:
  /// A variable of the library, which gets back its value at the end.
  class Changed {
   public:
    explicit Changed(const char* name) : variable_(name), first_(variable_.value()) {}
    ~Changed();
    Changed(const Changed&) = delete;
    Changed& operator=(const Changed&) = delete;
    [[nodiscard]] const ControlVariable& variable() const { return variable_; }
    [[nodiscard]] int first() const { return first_; }

   private:
    ControlVariable variable_;
    int first_;
  };

  std::vector<std::unique_ptr<Changed>> variables_;
  std::vector<LibraryAlgorithm> algorithms_;
};

/// Sets the environment variable without which Open MPI lets nobody choose an algorithm, if the
/// command line asks `reveal` for algorithms. Call it before MPI starts.
void let_algorithms_be_chosen(int argc, char** argv);

/// The file of the MPI library that this program uses.
std::string library_file();

/// The file of a preloaded library (LD_PRELOAD) that gets the calls of the collective before the
/// MPI library; empty if there is none. Bracket's own libraries do not count where they leave the
/// sum to the MPI library: the recorder, and for scans the library of reproducible reductions.
std::string preloaded_library(SumCollective collective);

}  // namespace bracket::tools
