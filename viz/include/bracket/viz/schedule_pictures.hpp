// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/schedule.hpp"
#include "bracket/viz/picture.hpp"
#include "bracket/viz/schedule_times.hpp"

namespace bracket {

/// Most ranks that have a row each in `timeline_picture`. With more ranks, the other pictures say
/// more than a timeline alone.
inline constexpr Rank most_rows_of_one_rank = 100;

/// A timeline: ranks down, time across, with the critical path on top. Waiting ranks are blank. Up
/// to some number of steps, each has a bar. With more steps, each colour of a row is as high as its
/// activity's share of the time. With more than `most_rows_of_one_rank` ranks, ranks share rows,
/// except for ranks that the critical path visits. This function and the others throw `Error` if a
/// message has no partner, if ranks wait for each other in a cycle, or if the times belong to
/// another schedule.
Picture timeline_picture(const Schedule& schedule, const ScheduleTimes& times);

/// A matrix of the bytes that each rank sends (down) to each other (across). Of many ranks, several
/// share a row and a column.
Picture matrix_picture(const Schedule& schedule, const ScheduleTimes& times);

/// A table of levels: numbers of messages, bytes and active ranks, and the time from the start of
/// the first send to the end of the last receive. The level of a message is the number of messages
/// in the longest chain that ends with it, in which each message starts on the rank where the one
/// before it ended.
Picture levels_picture(const Schedule& schedule, const ScheduleTimes& times);

/// All three in one picture.
Picture overview_picture(const Schedule& schedule, const ScheduleTimes& times);

}  // namespace bracket
