// SPDX-License-Identifier: MIT

#pragma once

#include <string>

namespace bracket::viz {

/// Returns the style sheet of pages, with the colours of both colour schemes.
std::string page_style();

}  // namespace bracket::viz
