// SPDX-License-Identifier: MIT

#include "bracket/model/known_orders.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/model/rank_order.hpp"
#include "bracket/runtime/kernel.hpp"
#include "models/cost_models.hpp"
#include "tools/cli.hpp"

namespace list_command_test {

using namespace bracket::testing;
using Catch::Contains;

TEST_CASE("list names every order, distribution, rank order, plan and kernel") {
  const auto text = cli({"list"});
  REQUIRE(text.code == 0);
  const auto plans = cli({"list", "plans", "rank-orders"});
  CHECK(plans.code == 0);
  CHECK_THAT(plans.out, Catch::StartsWith("plans: ") && Contains("\nrank orders: "));
  CHECK(text.out.find(plans.out.substr(0, plans.out.find("rank orders"))) != std::string::npos);
  CHECK(Json::parse(cli({"list", "plans", "--json"}).out).size() == 1);
  check_refused({"list", "plan"}, "no list of 'plan'; did you mean plans? there are: orders, ");
  check_refused({"list", "row-keys"}, "row-keys are a list for programs: give --json");
  CHECK(cli({"list", "rank_orders"}).out == cli({"list", "rank-orders"}).out);
  CHECK_THAT(cli({"list", "--help"}).out, Contains(" rank-orders, ") && !Contains("rank_orders"));
  const auto rows = rows_of(cli({"list", "--json"}));
  REQUIRE(rows.size() == 1);
  const auto names = [&](const char* kind) {
    std::vector<std::string> all;
    for (const auto& row : rows[0].at(kind)) {
      const auto name = row.at("name").get<std::string>();
      all.push_back(name);
      CHECK_THAT(text.out, Contains("\n  " + name + row.at("parameters").get<std::string>()) &&
                               Contains(row.at("summary").get<std::string>()));
    }
    return all;
  };
  const auto expected = [](const auto& table) {
    std::vector<std::string> all;
    for (const auto& row : table) all.emplace_back(row.entry.name);
    return all;
  };
  auto all_orders = expected(bracket::orders());
  all_orders.emplace_back(bracket::explicit_order().name);
  CHECK(names("orders") == all_orders);
  CHECK(names("known_orders") == expected(bracket::known_orders()));
  CHECK(names("distributions") == expected(bracket::distributions()));
  CHECK(names("rank_orders") == expected(bracket::rank_orders()));
  CHECK(names("plans") == expected(bracket::plans()));
  CHECK(names("engines") == expected(bracket::tools::engines()));
  CHECK(names("objectives") == expected(bracket::tools::objectives()));
  // The fuzzer's readers take them from a file.
  CHECK(Json(names("objectives")) ==
        Json::parse(content_of(BRACKET_SOURCE "/tests/fuzz/objectives.json")));
  const auto& kernels = rows[0].at("kernels");
  REQUIRE(kernels.size() == bracket::runtime::kernels().size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto& kernel = bracket::runtime::kernels()[i];
    CHECK(kernels[i].at("name") == std::string(kernel.name));
    CHECK(kernels[i].at("supported") == kernel.supported());
    CHECK_THAT(text.out, Contains("\n  " + std::string(kernel.name) + " ") &&
                             Contains(std::string(kernel.summary)));
  }
}

}  // namespace list_command_test
