// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "files/json_fields.hpp"

/// Measured times of computing in a machine file.
namespace bracket::model {

json_fields::Json work_to_json(const MeasuredWork& work);
json_fields::Json operations_to_json(const std::vector<Machine::MeasuredOperation>& operations);

/// Read what the functions above wrote. `where` names the place in the file. Throw `Error`.
MeasuredWork work_from_json(const json_fields::Json& json, const std::string& where);
std::vector<Machine::MeasuredOperation> operations_from_json(const json_fields::Json& json,
                                                             const std::string& where);

}  // namespace bracket::model
