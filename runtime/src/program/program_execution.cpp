// SPDX-License-Identifier: MIT

#include "bracket/runtime/program_execution.hpp"

#include <list>
#include <span>
#include <utility>

#include "bracket/runtime/simulated_time.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

ProgramExecution::~ProgramExecution() {
  if (running_) messages_.abandon();
  if (messages_.abandoned()) leave_behind();
}

void ProgramExecution::set_up(Computation& computation, const RankPart& part,
                              std::span<const Program::Item> fields, Range wanted) {
  computation_ = &computation;
  value_bytes_ = computation.value_bytes();
  program_ = Program(part, fields, wanted);
  slots_ = computation.make_slots(program_.slots());
  messages_ = ProgramMessages(communicator_, program_, slots_.get(), value_bytes_);
}

void ProgramExecution::check_idle() const {
  if (under_way_) throw Error(run_under_way);
  messages_.check_usable();
}

void ProgramExecution::start() {
  begin();
  advance(Patience::none);
}

void ProgramExecution::run() {
  begin();
  advance(Patience::all);
  under_way_ = false;
}

void ProgramExecution::begin() {
  messages_.begin_run();
  next_ = 0;
  running_ = under_way_ = true;
  guarded([&] {
    // Not in every run: asking MPI takes as long as a short message.
    if (program_.receives().empty() || messages_.notice_is_due()) messages_.look_for_notice();
    messages_.post_receives();
  });
}

std::string ProgramExecution::refuse(const std::string& words) {
  messages_.begin_run();
  return give_up(words);
}

bool ProgramExecution::test() {
  messages_.check_usable();
  if (running_ && !advance(Patience::none)) return false;
  under_way_ = false;
  return true;
}

void ProgramExecution::wait() {
  messages_.check_usable();
  if (running_) advance(Patience::all);
  under_way_ = false;
}

/// Runs on: to the end, or without patience up to the first message that has not arrived. Returns
/// whether the run is complete.
bool ProgramExecution::advance(Patience patience) {
  bool complete = false;
  guarded([&] { complete = run_on(patience); });
  if (complete) running_ = false;
  return complete;
}

bool ProgramExecution::run_on(Patience patience) {
  const std::span instructions = program_.instructions();
  while (next_ < instructions.size()) {
    const auto& step = instructions[next_];
    if (step.end > 0) {
      const auto steps = instructions.subspan(next_, step.end - next_);
      pass_time_before(next_, steps);
      computation_->execute(steps, slots_.get());
      next_ = step.end;
      continue;
    }
    pass_time_before(next_, {&step, 1});
    if (step.action == Program::Action::send) {
      messages_.start_send(step.message);
    } else if (patience == Patience::all) {
      messages_.wait_for_receive(step.message);
    } else if (!messages_.received(step.message)) {
      return false;
    }
    ++next_;
  }
  if (patience == Patience::none) return messages_.all_sent();
  messages_.wait_for_sends();
  return true;
}

/// Ends the run, tells the other ranks why, and returns the text they get.
std::string ProgramExecution::give_up(const std::string& words) {
  std::string told = text("rank ", communicator_.rank(), ": ", words);
  messages_.notify(told);
  end_for_good();
  return told;
}

void ProgramExecution::end_for_good() {
  running_ = under_way_ = false;
  messages_.abandon();
}

/// Keeps, until the process ends, the memory that MPI may still read and the communicator in which
/// messages may still be under way.
void ProgramExecution::leave_behind() {
  static auto* const left = new std::list<std::shared_ptr<void>>;
  left->push_back(std::move(slots_));
  communicator_.leave();
}

}  // namespace bracket::runtime
