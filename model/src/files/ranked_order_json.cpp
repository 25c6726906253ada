// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "bracket/model/distribution.hpp"
#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "files/json_fields.hpp"

namespace bracket {

using json_fields::about;
using json_fields::Json;

namespace {

constexpr const char* order_format = "bracket-order";

}  // namespace

nlohmann::ordered_json to_json(const RankedOrder& order) {
  return {{"format", order_format},
          {"version", json_fields::format_version},
          {"order", order.order.spec()},
          {"order_version", order.order.version()},
          {"ranks", order.ranks}};
}

RankedOrder ranked_order_from_json(const nlohmann::ordered_json& json) {
  json_fields::check_header(json, order_format);
  json_fields::check_keys(json, {"format", "version", "order", "order_version", "ranks"},
                          order_format);
  const auto field = [&](const char* key) -> const Json& {
    return json_fields::member(json, key, order_format);
  };
  std::vector<Rank> ranks;
  for (const auto& rank : json_fields::array(field("ranks"), "\"ranks\"")) {
    ranks.push_back(json_fields::rank_number(rank, text("\"ranks\" at position ", ranks.size())));
  }
  const auto elements = static_cast<Index>(ranks.size());
  about("\"ranks\"", [&] {
    if (ranks.empty()) throw Error("at least one rank was expected");
    // Checks that each rank is there once.
    static_cast<void>(
        lower_distribution(elements, static_cast<Rank>(elements)).with_rank_order(ranks));
  });
  const Order order = about("\"order\"", [&] {
    Order made = make_order(json_fields::string(field("order"), "the order"), elements);
    if (made.explicit_tree() == nullptr) {
      throw Error(text("an explicit order was expected, not ", made.spec()));
    }
    return made;
  });
  json_fields::integer(field("order_version"), "\"order_version\"", order.version(),
                       order.version());
  return {order, std::move(ranks)};
}

RankedOrder read_ranked_order(const std::filesystem::path& path) {
  const auto json = read_json(path);
  return about(path.string(), [&] { return ranked_order_from_json(json); });
}

}  // namespace bracket
