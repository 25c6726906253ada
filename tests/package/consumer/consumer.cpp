// SPDX-License-Identifier: MIT

#include <bracket/model/messages.hpp>
#include <bracket/model/plan.hpp>
#include <bracket/model/verify.hpp>
#include <iostream>

int main() {
  const auto distribution = bracket::make_distribution("upper", 504850, 256);
  const auto schedule = bracket::make_schedule(bracket::make_order("tree", 504850), distribution,
                                               *bracket::make_plan("direct"));
  std::cout << bracket::message_count(distribution) << " messages, "
            << (bracket::verify(schedule).ok() ? "verified" : "refused") << '\n';
}
