// SPDX-License-Identifier: MIT

#include "sweep/share_sweep.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "bracket/runtime/measure.hpp"
#include "bracket/support/error.hpp"
#include "common/launch.hpp"
#include "common/programs.hpp"
#include "mpi/mpi_command.hpp"
#include "sweep/shared_launch.hpp"

namespace bracket::tools {

namespace {

using Kind = SweepMessage::Kind;

/// Number of cores for each rank of this host, out of the cores that these ranks may use; at least
/// 1.
int cores_for_each(const Communicator& world) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(world.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  // Each rank may be bound to its own cores. Count the cores of all ranks.
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const bool known = ::sched_getaffinity(0, sizeof mine, &mine) == 0;
  cpu_set_t all;
  MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host);
  int ranks = 1;
  MPI_Comm_size(host, &ranks);
  MPI_Comm_free(&host);
  const int cores = known ? CPU_COUNT(&all) : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / ranks);
}

/// Transfers messages between the program beside this rank and the programs beside the others.
class Relay {
 public:
  Relay(const Communicator& world, ProgramBeside& program)
      : world_(world), program_(program), tag_(world.message_tag()) {}

  int run() {
    const int cores = cores_for_each(world_);
    program_.channel().send({Kind::place, world_.rank(), static_cast<std::uint64_t>(world_.size()),
                             std::to_string(cores)});
    // MPI cannot sleep until a message arrives. After one message, more usually follow soon.
    constexpr std::chrono::microseconds shortest{50};
    constexpr std::chrono::microseconds longest{2000};
    auto pause = shortest;
    for (;;) {
      bool any = from_program();
      any |= from_ranks();
      if (ended_) return code_;
      program_.channel().flush();
      pause = any ? shortest : std::min(2 * pause, longest);
      if (!any) sleep(pause);
    }
  }

 private:
  bool from_program() {
    if (program_ended_) return false;
    Channel& channel = program_.channel();
    const auto messages = channel.receive();
    for (const SweepMessage& message : messages) send(message, first() ? message.rank : 0);
    if (channel.closed()) end_of_program();
    return !messages.empty();
  }

  void end_of_program() {
    program_ended_ = true;
    const support::ProcessEnd end = program_.wait();
    if (first()) {
      if (end.signal != 0) {
        fmt::print(stderr, "bracket: the program that writes the rows was ended by {}\n",
                   end.words());
      }
      end_all(end.signal != 0 ? exit_code_bad_input : end.code);
    } else {
      send({Kind::refused, 0, 0, "the program that simulates was ended by " + end.words()}, 0);
    }
  }

  /// Ends all ranks. Receives and drops what they send in the meantime: their sends may wait for
  /// it.
  void end_all(int code) {
    for (Rank rank = 1; rank < world_.size(); ++rank) {
      send({Kind::end, 0, 0, std::to_string(code)}, rank);
    }
    for (Rank left = world_.size() - 1; left > 0;) {
      if (const auto message = next()) {
        left -= message->kind == Kind::end ? 1 : 0;
      } else {
        sleep(std::chrono::microseconds(500));
      }
    }
    code_ = code;
    ended_ = true;
  }

  bool from_ranks() {
    bool any = false;
    while (!ended_) {
      const auto message = next();
      if (!message) break;
      any = true;
      if (message->kind == Kind::end) {
        send(*message, 0);
        code_ = std::stoi(message->content);
        ended_ = true;
      } else {
        program_.channel().send(*message);
      }
    }
    return any;
  }

  void send(const SweepMessage& message, Rank to) const {
    const std::string bytes = to_bytes(message);
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag_, world_.handle());
  }

  /// Returns the next message of any rank, with the number of that rank.
  [[nodiscard]] std::optional<SweepMessage> next() const {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag_, world_.handle(), &there, &status);
    if (there == 0) return {};
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag_, world_.handle(),
             MPI_STATUS_IGNORE);
    SweepMessage message = from_bytes(bytes);
    message.rank = status.MPI_SOURCE;
    return message;
  }

  /// Sleeps for `pause` at most, and only until the program sends something.
  void sleep(std::chrono::microseconds pause) {
    if (program_ended_) {
      std::this_thread::sleep_for(pause);
      return;
    }
    pollfd more{program_.channel().descriptor(), program_.channel().events(), 0};
    const timespec limit{0, static_cast<long>(1000 * pause.count())};
    ::ppoll(&more, 1, &limit, nullptr);
  }

  [[nodiscard]] bool first() const { return world_.rank() == 0; }

  const Communicator& world_;
  ProgramBeside& program_;
  int tag_;
  bool program_ended_ = false;
  bool ended_ = false;
  int code_ = 0;
};

}  // namespace

std::unique_ptr<ProgramBeside> start_simulating(char** argv) {
  std::vector<std::string> command{locate(command_named("simulate")).string()};
  for (char** word = argv + 1; *word != nullptr; ++word) command.emplace_back(*word);
  return std::make_unique<ProgramBeside>(command, shared_launch_variable);
}

int share_sweep(const Communicator& world, const std::string& refused, int argc, char** argv,
                ProgramBeside* program) {
  bool speaks = world.rank() == 0;
  try {
    if (world.size() == 1) {
      speaks = first_of_launch();  // for a launcher whose ranks do not see each other
      check_alone(runtime::environment(world).mpi_library);
      speaks = true;
    }
    start_together(world, refused, "simulate",
                   {{"the words of a sweep", std::vector<std::string>(argv + 2, argv + argc)}});
    return Relay(world, *program).run();
  } catch (const Error& failure) {
    if (speaks) fmt::print(stderr, "bracket: {}\n", failure.what());
    return exit_code_bad_input;
  }
}

}  // namespace bracket::tools
