#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sweep/channel.hpp"
#include "sweep/sweep_jobs.hpp"

namespace bracket::tools {

/// The side of a job: has `simulate` work on the pieces that arrive.
class SweepJob {
 public:
  using Json = nlohmann::ordered_json;

  explicit SweepJob(Channel& channel, bool asks) : channel_(channel), asks_(asks) {}

  /// Until the channel is closed. What `simulate` throws is sent as the reason of a failure.
  void run(const std::function<void(std::uint64_t piece)>& simulate);

  /// For `simulate`: whether the row need not be simulated, which only jobs that ask learn, a row
  /// that is complete, and the progress.
  bool is_known(const Json& row);
  void take(const Json& row);
  void say(const std::string& progress);

 private:
  void send(Message::Kind kind, std::string content = {});

  Channel& channel_;
  bool asks_;
  std::uint64_t piece_ = 0;
};

/// Shares pieces among the jobs of this process and those of the other ranks of a launch, and takes
/// their rows in the order of the pieces, as if one job had done all: up to the first that fails.
class SweepSharing {
 public:
  using Json = nlohmann::ordered_json;

  /// What becomes of rows. Each may throw `Error`.
  struct Uses {
    std::function<bool(const Json& row)> is_known;  ///< whether it need not be simulated or taken
    std::function<void(Json row)> take;
    std::function<void(const std::string& progress)> say;
    /// What the message of a failure begins with: where the piece is.
    std::function<std::string(std::uint64_t piece)> where;
  };

  /// `ranks` is the channel to `others`, the other ranks; null without a launcher.
  SweepSharing(std::uint64_t pieces, SweepJobs& jobs, Channel* ranks, Rank others, Uses uses);

  /// Throws the `Error` of the first piece that fails, once those before it are complete.
  void run();

 private:
  void hand_out();
  void receive();
  void take(Message message);
  void answer(const Message& question);
  void deliver();
  void deliver(const Message& message);

  std::uint64_t pieces_;
  SweepJobs& jobs_;
  Channel* ranks_;
  std::size_t others_;
  Uses uses_;
  std::uint64_t next_ = 0;                                 // to be handed out
  std::uint64_t due_ = 0;                                  // to be delivered
  std::uint64_t end_;                                      // of those to be handed out
  std::map<Rank, int> room_;                               // pieces that a rank would take now
  std::map<std::uint64_t, Rank> rank_of_;                  // who works on a piece, of other ranks
  std::map<std::uint64_t, std::vector<Message>> arrived_;  // of pieces that are not delivered
};

/// The side of another rank: passes pieces that arrive over `ranks` to the jobs, and back what
/// comes of them, until the channel is closed. Takes `most` pieces at once.
void serve_sweep(Channel& ranks, SweepJobs& jobs, int most);

}  // namespace bracket::tools
