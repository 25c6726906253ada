#pragma once

#include <memory>

#include "bracket/model/plan.hpp"

/// Factories of the plans, one for each file of this folder.
namespace bracket {

std::unique_ptr<Plan> make_direct_plan(const Spec& spec);
std::unique_ptr<Plan> make_buffered_plan(const Spec& spec);
std::unique_ptr<Plan> make_aggregated_plan(const Spec& spec);
std::unique_ptr<Plan> make_binomial_plan(const Spec& spec);
std::unique_ptr<Plan> make_gather_plan(const Spec& spec);
std::unique_ptr<Plan> make_butterfly_plan(const Spec& spec);
std::unique_ptr<Plan> make_elimination_plan(const Spec& spec);
std::unique_ptr<Plan> make_overlapping_elimination_plan(const Spec& spec);
std::unique_ptr<Plan> make_ring_plan(const Spec& spec);
std::unique_ptr<Plan> make_dissemination_plan(const Spec& spec);
std::unique_ptr<Plan> make_composed_plan(const Spec& spec);
std::unique_ptr<Plan> make_native_plan(const Spec& spec);

}  // namespace bracket
