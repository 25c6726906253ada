// SPDX-License-Identifier: MIT

#include "bracket/simulator/platforms.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr PlatformEntry platform_table[] = {
    {{"cluster", "", "a star: one link from each node and one to it", "the default"},
     PlatformSpec::Kind::cluster},
    {{"backbone", ":bandwidth",
      "a star whose messages share another link, with this bandwidth in bytes/s",
      "SimGrid's cluster"},
     PlatformSpec::Kind::backbone},
    {{"fat-tree", ":Dx…:Ux…[:Px…]",
      "for each level from the nodes: D below a switch, U switches above each of those, P links",
      "Leiserson 1985; d-mod-k routing, Zahavi 2010"},
     PlatformSpec::Kind::fat_tree},
    {{"dragonfly", ":GxCxRxN[:LxLxL]",
      "G groups of C chassis of R routers of N nodes; all to all at each level, by L links",
      "Kim, Dally, Scott and Abts 2008; minimal routing"},
     PlatformSpec::Kind::dragonfly},
    {{"torus", ":XxYx…", "links to the next node in each dimension, which routes take in turn",
      "SimGrid's torus"},
     PlatformSpec::Kind::torus},
    {{"FILE.xml", "", "a SimGrid platform, with its own nodes and links", "SimGrid's XML"},
     PlatformSpec::Kind::file},
};

constexpr Index most_nodes = Index{1} << 24;

const PlatformEntry* named(const std::string& written) {
  const auto* const row = std::find_if(
      std::begin(platform_table), std::end(platform_table), [&](const PlatformEntry& candidate) {
        return candidate.kind != PlatformSpec::Kind::file &&
               candidate.entry.name == written.substr(0, written.find(':'));
      });
  return row == std::end(platform_table) ? nullptr : row;
}

/// Numbers in parameter `position`, separated by x. Each must be at least `least`.
std::vector<Index> numbers(const Spec& spec, std::size_t position, const char* what, Index least) {
  if (position >= spec.parameters.size()) {
    throw Error(text("'", spec.str(), "': ", what, " must be given"));
  }
  const std::string& written = spec.parameters[position];
  std::vector<Index> values;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = written.find('x', begin);
    const Index value =
        parse_integer(written.substr(begin, end - begin), text("'", spec.str(), "': ", what));
    if (value < least || value > most_nodes) {
      throw Error(text("'", spec.str(), "': ", what, " must be from ", least, " to ", most_nodes,
                       ", not ", value));
    }
    values.push_back(value);
  }
  return values;
}

std::vector<Index> numbers(const Spec& spec, std::size_t position, const char* what,
                           std::size_t count) {
  auto values = numbers(spec, position, what, Index{1});
  if (values.size() != count) {
    throw Error(text("'", spec.str(), "': ", count, " numbers are wanted for ", what, ", not ",
                     values.size()));
  }
  return values;
}

void check_nodes(const Spec& spec, const std::vector<Index>& factors, const char* what) {
  Index nodes = 1;
  for (const Index factor : factors) {
    nodes *= factor;
    if (nodes > most_nodes) {
      throw Error(text("'", spec.str(), "': more than ", most_nodes, " ", what));
    }
  }
}

void set_fat_tree(PlatformSpec& platform, const Spec& spec) {
  spec.expect_at_most(3);
  platform.sizes = numbers(spec, 0, "the links down", Index{1});
  const std::size_t levels = platform.sizes.size();
  platform.up = numbers(spec, 1, "the links up", levels);
  platform.parallel = spec.parameters.size() > 2 ? numbers(spec, 2, "the links in parallel", levels)
                                                 : std::vector<Index>(levels, 1);
  for (std::size_t level = 0; level <= levels; ++level) {
    std::vector<Index> factors(platform.up.begin(),
                               platform.up.begin() + static_cast<std::ptrdiff_t>(level));
    factors.insert(factors.end(), platform.sizes.begin() + static_cast<std::ptrdiff_t>(level),
                   platform.sizes.end());
    check_nodes(spec, factors, level == 0 ? "nodes" : "switches at a level");
  }
}

void set_dragonfly(PlatformSpec& platform, const Spec& spec) {
  spec.expect_at_most(2);
  platform.sizes = numbers(spec, 0, "groups, chassis, routers and nodes", std::size_t{4});
  platform.parallel =
      spec.parameters.size() > 1
          ? numbers(spec, 1, "the links of groups, chassis and routers", std::size_t{3})
          : std::vector<Index>(3, 1);
  check_nodes(spec, platform.sizes, "nodes");
  // SimGrid reaches group j through router j of a chassis, and does not check that it exists.
  if (platform.sizes[0] > platform.sizes[2]) {
    throw Error(text("'", spec.str(), "': ", platform.sizes[0], " groups need as many routers in ",
                     "each chassis, not ", platform.sizes[2]));
  }
}

/// Number of links that connect each node with every other.
double all_to_all(double nodes) { return nodes * (nodes - 1) / 2; }

double parts_of_fat_tree(const PlatformSpec& platform) {
  double level = static_cast<double>(platform.nodes());  // hosts, then switches
  double parts = level;
  for (std::size_t i = 0; i < platform.sizes.size(); ++i) {
    parts += level * static_cast<double>(platform.up[i] * platform.parallel[i]);
    level *= static_cast<double>(platform.up[i]) / static_cast<double>(platform.sizes[i]);
    parts += level;
  }
  return parts;
}

double parts_of_dragonfly(const PlatformSpec& platform) {
  const auto size = [&](std::size_t i) { return static_cast<double>(platform.sizes[i]); };
  const double groups = size(0);
  const double chassis = size(1);
  const double routers = size(2);
  return 2 * static_cast<double>(platform.nodes()) + groups * chassis * routers +
         groups * chassis * all_to_all(routers) + groups * routers * all_to_all(chassis) +
         all_to_all(groups);
}

/// Count of numbers in `radical`: "0-9,12" has 11.
double numbers_of(std::string_view radical) {
  double numbers = 0;
  while (!radical.empty()) {
    const std::string run(radical.substr(0, radical.find(',')));
    radical.remove_prefix(std::min(radical.size(), run.size() + 1));
    const auto dash = run.find('-');
    const double first = std::strtod(run.c_str(), nullptr);
    const double last =
        dash == std::string::npos ? first : std::strtod(run.c_str() + dash + 1, nullptr);
    if (last >= first) numbers += last - first + 1;
  }
  return numbers;
}

/// Counts a host and a link for each number of each `radical="0-9,12"`. SimGrid itself refuses text
/// that it cannot read.
double parts_of_file(const std::string& name) {
  constexpr std::string_view attribute = "radical";
  const std::string content = support::read_file(name);
  double parts = 0;
  for (auto at = content.find(attribute); at != std::string::npos;
       at = content.find(attribute, at + 1)) {
    const auto equals = content.find_first_not_of(" \t\r\n", at + attribute.size());
    if (equals == std::string::npos || content[equals] != '=') continue;
    const auto begin = content.find_first_of("\"'", equals);
    if (begin == std::string::npos) break;
    const auto end = content.find(content[begin], begin + 1);
    parts += 2 * numbers_of(std::string_view(content).substr(begin + 1, end - begin - 1));
  }
  return parts;
}

/// Reads the parameters of a platform by name.
void take(PlatformSpec& platform, const PlatformEntry& row, const Spec& spec) {
  platform.kind = row.kind;
  switch (platform.kind) {
    case PlatformSpec::Kind::backbone:
      spec.expect_at_most(1);
      platform.bandwidth = spec.number(0, "the bandwidth", 0);
      if (!(platform.bandwidth > 0)) {
        throw Error(text("'", excerpt(platform.written),
                         "': a bandwidth above 0 must be given, in bytes per second"));
      }
      break;
    case PlatformSpec::Kind::fat_tree:
      set_fat_tree(platform, spec);
      break;
    case PlatformSpec::Kind::dragonfly:
      set_dragonfly(platform, spec);
      break;
    case PlatformSpec::Kind::torus:
      spec.expect_at_most(1);
      platform.sizes = numbers(spec, 0, "each dimension", Index{2});
      check_nodes(spec, platform.sizes, "nodes");
      break;
    default:
      spec.expect_at_most(0);
  }
}

}  // namespace

std::span<const PlatformEntry> platforms() { return platform_table; }

PlatformSpec PlatformSpec::parse(const std::string& written) {
  PlatformSpec platform;
  platform.written = written;
  const PlatformEntry* const row = named(written);
  if (row == nullptr) {
    std::error_code ignored;
    if (!written.ends_with(".xml") && written.find('/') == std::string::npos &&
        !std::filesystem::exists(written, ignored)) {
      throw Error(unknown_name("platform", written, platforms()));
    }
    platform.kind = PlatformSpec::Kind::file;
    return platform;
  }
  try {
    take(platform, *row, Spec::parse(written));
  } catch (const Error& failure) {
    throw Error(text(failure.what(), "; it is written ", row->entry.name, row->entry.parameters));
  }
  return platform;
}

Index PlatformSpec::nodes() const {
  Index nodes = sizes.empty() ? 0 : 1;
  for (const Index size : sizes) nodes *= size;
  return nodes;
}

double PlatformSpec::parts() const {
  const auto node_count = static_cast<double>(nodes());
  switch (kind) {
    case Kind::fat_tree:
      return parts_of_fat_tree(*this);
    case Kind::dragonfly:
      return parts_of_dragonfly(*this);
    case Kind::torus:
      return node_count * static_cast<double>(1 + sizes.size());
    case Kind::file:
      return parts_of_file(written);
    default:
      return 0;
  }
}

void PlatformSpec::check_memory() const {
  check_room(text(written, ": its ", static_cast<Index>(std::min(parts(), 9e18)),
                  " hosts, switches and links"),
             parts() * bytes_of_part);
}

void check_room(const std::string& what, double bytes) {
  const double there =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes <= there) return;
  constexpr double gib = 1 << 30;
  throw Error(text(what, " need about ", std::ceil(bytes / gib),
                   " GiB of memory, this machine has ", std::floor(there / gib)));
}

}  // namespace bracket
