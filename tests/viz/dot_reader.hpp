// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::testing {

using DotAttributes = std::map<std::string, std::string>;

/// True if the attribute `class` contains `word`.
inline bool is_a(const DotAttributes& attributes, const std::string& word) {
  const auto found = attributes.find("class");
  std::istringstream words(found == attributes.end() ? "" : found->second);
  for (std::string each; words >> each;) {
    if (each == word) return true;
  }
  return false;
}

/// A parsed digraph: nodes with the cluster around them, and edges with their ends.
struct DotNode {
  std::string id;
  std::string cluster;
  DotAttributes attributes;
};
struct DotEdge {
  std::string from;
  std::string to;
  DotAttributes attributes;
};
struct DotGraph {
  DotAttributes attributes;
  std::map<std::string, DotAttributes> clusters;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;

  [[nodiscard]] const DotNode& node(const std::string& id) const {
    for (const auto& node : nodes) {
      if (node.id == id) return node;
    }
    throw std::runtime_error("no node " + id);
  }
};

/// Number of nodes or edges of class `word`.
template <class Things>
Index count_of_class(const Things& things, const std::string& word) {
  return std::count_if(things.begin(), things.end(),
                       [&](const auto& thing) { return is_a(thing.attributes, word); });
}

/// Reads the subset of DOT that drawings use: attributes, nodes, edges with two ends, clusters.
class DotReader {
 public:
  static DotGraph read(std::string_view dot) {
    DotReader reader(dot);
    reader.expect("digraph");
    reader.next();
    reader.block("");
    if (!reader.token_.empty()) throw std::runtime_error("text behind the graph");
    return std::move(reader.graph_);
  }

 private:
  explicit DotReader(std::string_view dot) : rest_(dot) { next(); }

  /// Reads the statements of `{…}` in `cluster`.
  void block(const std::string& cluster) {
    expect("{");
    while (token_ != "}") statement(cluster);
    next();
  }

  void statement(const std::string& cluster) {
    const std::string first = take();
    if (first == "subgraph") {
      const std::string name = take();
      block(name);
      return;
    }
    if (token_ == "=") {
      next();
      graph_.attributes[first] = take();
    } else if (token_ == "->") {
      next();
      const std::string to = take();
      graph_.edges.push_back({first, to, list()});
    } else if (first == "graph") {
      graph_.clusters[cluster] = list();
    } else if (first == "node" || first == "edge") {
      list();
    } else {
      graph_.nodes.push_back({first, cluster, list()});
    }
    expect(";");
  }

  DotAttributes list() {
    DotAttributes attributes;
    if (token_ != "[") return attributes;
    next();
    while (token_ != "]") {
      const std::string name = take();
      expect("=");
      if (!attributes.emplace(name, take()).second) throw std::runtime_error("twice: " + name);
      if (token_ == ",") next();
    }
    next();
    return attributes;
  }

  std::string take() {
    std::string token = token_;
    next();
    return token;
  }

  void expect(std::string_view token) {
    if (token_ != token) {
      throw std::runtime_error("expected " + std::string(token) + " before " + std::string(rest_));
    }
    next();
  }

  void next() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) cut(1);
    token_.clear();
    if (rest_.empty()) return;
    if (rest_.front() == '"') return quoted();
    if (rest_.front() == '<') return html();
    std::size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_')) {
      ++length;
    }
    if (length == 0) length = rest_.starts_with("->") ? 2 : 1;
    token_ = rest_.substr(0, length);
    cut(length);
  }

  void quoted() {
    for (cut(1); front() != '"'; cut(1)) {
      const bool escaped = front() == '\\';
      if (escaped) cut(1);
      token_ += escaped && front() == 'n' ? '\n' : front();
    }
    cut(1);
  }

  void html() {
    int depth = 0;
    do {
      if (front() == '<') ++depth;
      if (front() == '>') --depth;
      token_ += front();
      cut(1);
    } while (depth > 0);
  }

  [[nodiscard]] char front() const {
    if (rest_.empty()) throw std::runtime_error("the text ends too early");
    return rest_.front();
  }
  void cut(std::size_t length) { rest_.remove_prefix(length); }

  std::string_view rest_;
  std::string token_;
  DotGraph graph_;
};

}  // namespace bracket::testing
