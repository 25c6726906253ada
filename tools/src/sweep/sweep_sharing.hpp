// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sweep/channel.hpp"
#include "sweep/sweep_jobs.hpp"

namespace bracket::tools {

/// The side of a job: calls `simulate` for each piece that arrives.
class SweepJob {
 public:
  using Json = nlohmann::ordered_json;

  explicit SweepJob(Channel& channel, bool asks) : channel_(channel), asks_(asks) {}

  /// Works until the channel is closed. Sends an exception of `simulate` as the reason of a
  /// failure.
  void run(const std::function<void(std::uint64_t piece)>& simulate);

  /// Functions for `simulate`: `is_known` returns whether a row need not be simulated (false in a
  /// job that does not ask), `take` sends a complete row, and `say` sends the progress.
  bool is_known(const Json& row);
  void take(const Json& row);
  void say(const std::string& progress);

 private:
  void send(SweepMessage::Kind kind, std::string content = {});

  Channel& channel_;
  bool asks_;
  std::uint64_t piece_ = 0;
};

/// Shares pieces among the jobs of this process and of the other ranks of a launch. Takes their
/// rows in the order of the pieces, up to the first piece that fails, as if one job had done all.
class SweepSharing {
 public:
  using Json = nlohmann::ordered_json;

  /// Functions that use the rows. Each may throw `Error`.
  struct Uses {
    std::function<bool(const Json& row)> is_known;  ///< whether to skip the row
    std::function<void(Json row)> take;
    std::function<void(const std::string& progress)> say;
    /// Returns the beginning of an error message: the place of the piece.
    std::function<std::string(std::uint64_t piece)> where;
  };

  /// `ranks` is the channel to the other ranks, or null without a launcher; `others` is their
  /// number.
  SweepSharing(std::uint64_t pieces, SweepJobs& jobs, Channel* ranks, Rank others, Uses uses);

  /// Throws the `Error` of the first piece that fails, once all pieces before it are complete.
  void run();

 private:
  void hand_out();
  void receive();
  void take(SweepMessage message);
  void answer(const SweepMessage& question);
  void deliver();
  void deliver(const SweepMessage& message);

  std::uint64_t pieces_;
  SweepJobs& jobs_;
  Channel* ranks_;
  std::size_t others_;
  Uses uses_;
  std::uint64_t next_ = 0;                 // next piece to hand out
  std::uint64_t due_ = 0;                  // next piece to deliver
  std::uint64_t end_;                      // end of the pieces to hand out
  std::map<Rank, int> room_;               // number of pieces that a rank can take now
  std::map<std::uint64_t, Rank> rank_of_;  // the other rank that works on a piece
  std::map<std::uint64_t, std::vector<SweepMessage>> arrived_;  // messages of undelivered pieces
};

/// The side of another rank: passes pieces that arrive over `ranks` to the jobs, and their messages
/// back, until the channel is closed. Takes `most` pieces at the same time.
void serve_sweep(Channel& ranks, SweepJobs& jobs, int most);

}  // namespace bracket::tools
