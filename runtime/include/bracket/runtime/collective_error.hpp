// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/support/error.hpp"

namespace bracket {

/// An `Error` that every rank of a communicator throws at the same point.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

}  // namespace bracket
