// SPDX-License-Identifier: MIT

#include "sweep/sweep_sharing.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;
using Kind = SweepMessage::Kind;

/// Uses CBOR, which keeps every number and every byte of a name, unlike JSON.
std::string packed(const Json& row) {
  const auto bytes = Json::to_cbor(row);
  return {bytes.begin(), bytes.end()};
}

Json unpacked(const std::string& bytes) { return Json::from_cbor(bytes); }

/// Waits until a job or another rank has sent something or can receive again.
void wait_for(const SweepJobs& jobs, const Channel* ranks) {
  std::vector<pollfd> polled;
  jobs.add_to(polled);
  if (ranks != nullptr && !ranks->closed()) {
    polled.push_back({ranks->descriptor(), ranks->events(), 0});
  }
  ::poll(polled.data(), polled.size(), -1);
}

}  // namespace

void SweepJob::run(const std::function<void(std::uint64_t piece)>& simulate) {
  while (const auto work = channel_.wait()) {
    piece_ = work->piece;
    try {
      simulate(piece_);
      send(Kind::done);
    } catch (const std::exception& failure) {
      send(Kind::failed, failure.what());
    }
  }
}

bool SweepJob::is_known(const Json& row) {
  if (!asks_) return false;
  send(Kind::question, packed(row));
  const auto answer = channel_.wait();
  if (!answer) throw Error("nobody answers");  // not seen: the parent is gone
  if (answer->kind == Kind::refusal) throw Error(answer->content);
  return answer->content == "yes";
}

void SweepJob::take(const Json& row) { send(Kind::row, packed(row)); }

void SweepJob::say(const std::string& progress) { send(Kind::say, progress); }

void SweepJob::send(Kind kind, std::string content) {
  channel_.send_now({kind, 0, piece_, std::move(content)});
}

SweepSharing::SweepSharing(std::uint64_t pieces, SweepJobs& jobs, Channel* ranks, Rank others,
                           Uses uses)
    : pieces_(pieces),
      jobs_(jobs),
      ranks_(ranks),
      others_(static_cast<std::size_t>(others)),
      uses_(std::move(uses)),
      end_(pieces) {}

void SweepSharing::run() {
  // Receive before waiting: messages may have arrived together with earlier ones.
  for (receive(); room_.size() < others_; receive()) wait_for(jobs_, ranks_);
  // Every rank has answered, so a rank that cannot take part was always reported.
  while (due_ < pieces_) {
    hand_out();
    wait_for(jobs_, ranks_);
    receive();
    deliver();
  }
}

void SweepSharing::receive() {
  jobs_.receive([this](SweepMessage message) { take(std::move(message)); });
  if (ranks_ == nullptr) return;
  ranks_->flush();
  for (SweepMessage& message : ranks_->receive()) take(std::move(message));
  if (ranks_->closed()) throw Error("the connection to the other ranks has ended");
}

void SweepSharing::hand_out() {
  // A limit on pieces that complete out of order, so that they do not fill the memory.
  constexpr std::uint64_t most_ahead = 65536;
  const auto any_left = [&] { return next_ < end_ && next_ - due_ < most_ahead; };
  // Jobs and ranks take turns, so that neither gets all the long pieces at the end.
  for (bool given = true; given && any_left();) {
    given = false;
    if (jobs_.any_idle()) {
      jobs_.give({Kind::work, 0, next_++});
      given = true;
    }
    for (auto& [rank, room] : room_) {
      if (room == 0 || !any_left()) continue;
      --room;
      rank_of_[next_] = rank;
      ranks_->send({Kind::work, rank, next_++});
      given = true;
    }
  }
  const bool others =
      std::any_of(room_.begin(), room_.end(), [](auto& one) { return one.second > 0; });
  if (jobs_.alive() == 0 && !others && rank_of_.empty()) {
    throw Error("all processes of this sweep have ended before it was complete");
  }
}

void SweepSharing::take(SweepMessage message) {
  switch (message.kind) {
    case Kind::hello:
      room_[message.rank] = std::stoi(message.content);
      return;
    case Kind::refused:
      throw Error(text("rank ", message.rank, ": ", message.content));
    case Kind::say:
      uses_.say(fmt::format("{} of {} done, {}", due_, pieces_, message.content));
      return;
    case Kind::question:
      answer(message);
      return;
    case Kind::failed:
    case Kind::lost:
      // Later pieces are not needed.
      end_ = std::min(end_, message.piece + 1);
      [[fallthrough]];
    case Kind::done:
      if (const auto found = rank_of_.find(message.piece); found != rank_of_.end()) {
        ++room_[found->second];
        rank_of_.erase(found);
      }
      [[fallthrough]];
    default:
      arrived_[message.piece].push_back(std::move(message));
  }
}

void SweepSharing::answer(const SweepMessage& question) {
  SweepMessage answer{Kind::answer, question.rank, question.piece};
  try {
    answer.content = uses_.is_known(unpacked(question.content)) ? "yes" : "no";
  } catch (const Error& error) {
    answer.kind = Kind::refusal;
    answer.content = error.what();
  }
  if (const auto found = rank_of_.find(question.piece); found != rank_of_.end()) {
    answer.rank = found->second;
    ranks_->send(answer);
  } else {
    jobs_.answer(answer);
  }
}

void SweepSharing::deliver() {
  for (auto due = arrived_.find(due_); due != arrived_.end(); due = arrived_.find(due_)) {
    const bool complete = due->second.back().kind == Kind::done;
    for (const SweepMessage& message : due->second) deliver(message);
    arrived_.erase(due);
    if (!complete) return;
    ++due_;
  }
}

void SweepSharing::deliver(const SweepMessage& message) {
  const std::string where = uses_.where(message.piece);
  switch (message.kind) {
    case Kind::row: {
      Json row = unpacked(message.content);
      try {
        // An equal row may have been simulated at the same time.
        if (!uses_.is_known(row)) uses_.take(std::move(row));
      } catch (const Error& error) {
        throw Error(where + error.what());
      }
      return;
    }
    case Kind::failed:
      throw Error(message.content);
    case Kind::lost:
      throw Error(text(where, "the process that simulated this was ended by ", message.content,
                       "; if memory is short, a smaller --jobs needs less"));
    default:
      return;
  }
}

void serve_sweep(Channel& ranks, SweepJobs& jobs, int most) {
  ranks.send({Kind::hello, 0, 0, std::to_string(most)});
  std::deque<SweepMessage> waiting;
  while (!ranks.closed()) {
    for (; !waiting.empty() && jobs.any_idle(); waiting.pop_front()) jobs.give(waiting.front());
    wait_for(jobs, &ranks);
    jobs.receive([&](const SweepMessage& message) { ranks.send(message); });
    ranks.flush();
    for (SweepMessage& message : ranks.receive()) {
      if (message.kind == Kind::work) {
        waiting.push_back(std::move(message));
      } else {
        jobs.answer(message);
      }
    }
    if (jobs.alive() == 0) {
      for (const SweepMessage& message : waiting) {
        ranks.send({Kind::lost, 0, message.piece, "its rank has no process left"});
      }
      waiting.clear();
    }
  }
}

}  // namespace bracket::tools
