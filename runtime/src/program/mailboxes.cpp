// SPDX-License-Identifier: MIT

#include "bracket/runtime/mailboxes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

/// The ranks of a communicator that share memory with this one.
class Node {
 public:
  explicit Node(const Communicator& all) : node_(all.node()) {
    int size = 0;
    check_mpi(MPI_Comm_rank(node_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(node_, &size), "MPI_Comm_size");
    std::vector<int> here(static_cast<std::size_t>(size));
    std::iota(here.begin(), here.end(), 0);
    ranks_.resize(here.size());
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Group everyone = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(node_, &members), "MPI_Comm_group");
    check_mpi(MPI_Comm_group(all.handle(), &everyone), "MPI_Comm_group");
    const int code = MPI_Group_translate_ranks(members, size, here.data(), everyone, ranks_.data());
    MPI_Group_free(&members);
    MPI_Group_free(&everyone);
    check_mpi(code, "MPI_Group_translate_ranks");
  }

  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(rank_); }

  /// The members in the communicator, ascending.
  [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }

  /// The numbers of each member, one after the other.
  template <std::size_t Count>
  [[nodiscard]] std::vector<std::array<std::int64_t, Count>> all(
      const std::array<std::int64_t, Count>& own) const {
    std::vector<std::array<std::int64_t, Count>> found(ranks_.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallgather(own.data(), Count, MPI_INT64_T, found.data(), Count, MPI_INT64_T,
                             node_, &request),
              "MPI_Iallgather");
    wait(request);
    return found;
  }

  void barrier() const {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(node_, &request), "MPI_Ibarrier");
    wait(request);
  }

 private:
  MPI_Comm node_;
  int rank_ = 0;
  std::vector<int> ranks_;
};

/// Memory with a name. Other processes find it by the name until the maker destroys this object.
class SharedFile {
 public:
  /// Opens the memory with a number, or makes it with so many bytes of zeros.
  SharedFile(std::int64_t number, std::size_t bytes, bool make)
      : name_(text("/bracket-", number)), bytes_(bytes), made_(make) {
    file_ = shm_open(name_.c_str(), make ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (file_ < 0) {
      throw_shared(errno == ENOENT && !make ? "this rank and the first one of its node do not have "
                                              "the same /dev/shm"
                                            : "shm_open");
    }
    if (!make) return;
    // Reserves the memory: without room for it, a later write would end the program.
    int code = EINTR;
    while (code == EINTR) code = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
    if (code == 0) return;
    close_all();
    errno = code;
    throw_shared("posix_fallocate");
  }
  ~SharedFile() { close_all(); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  [[nodiscard]] std::shared_ptr<std::byte> map() const {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) throw_shared("mmap");
    return {static_cast<std::byte*>(memory),
            [bytes = bytes_](std::byte* mapped) { munmap(mapped, bytes); }};
  }

 private:
  [[noreturn]] static void throw_shared(const char* what) {
    throw Error(text("memory for messages cannot be shared: ", what, ": ", std::strerror(errno)));
  }
  void close_all() const {
    close(file_);
    if (made_) shm_unlink(name_.c_str());
  }

  std::string name_;
  std::size_t bytes_;
  bool made_;
  int file_ = -1;
};

std::int64_t random_number() {
  std::random_device random;
  return static_cast<std::int64_t>((std::uint64_t{random()} << 31 | random()) >> 1);
}

/// Describes the mailbox of a receive. The part of each rank begins with the entries of its
/// receives, in their sequence.
struct Entry {
  std::int64_t from = 0;    // rank
  std::int64_t bytes = 0;   // of the message
  std::int64_t offset = 0;  // of the mailbox, in the memory
};

constexpr std::size_t in_lines(std::size_t bytes) {
  return (bytes + Mailbox::line - 1) / Mailbox::line * Mailbox::line;
}

/// The part of a rank.
struct Part {
  std::size_t begin = 0;
  std::size_t entries = 0;
};

/// Whether a message has a mailbox. Its sender and its receiver get the same answer.
bool has_mailbox(const Mailboxes::Message& message, const std::vector<int>& ranks) {
  return message.bytes <= Mailboxes::most_bytes &&
         std::binary_search(ranks.begin(), ranks.end(), message.peer);
}

/// The memory of the node. Collective over the communicator; throws on every rank if `failure` is
/// not empty on any.
std::shared_ptr<std::byte> share(const Communicator& communicator, const Node& node,
                                 std::int64_t number, std::size_t bytes, std::string failure) {
  std::shared_ptr<std::byte> memory;
  std::optional<SharedFile> file;
  const auto map = [&] {
    if (bytes == 0 || !failure.empty()) return;
    failure = words_of([&] { memory = file.emplace(number, bytes, node.rank() == 0).map(); });
  };
  // The first rank makes the file before the others open it.
  if (node.rank() == 0) map();
  node.barrier();
  if (node.rank() != 0) map();
  node.barrier();
  file.reset();
  fail_together(communicator, failure);
  return memory;
}

}  // namespace

Mailboxes::Mailboxes(const Communicator& communicator, std::span<const Message> sends,
                     std::span<const Message> receives)
    : sends_(sends.size()), receives_(receives.size()) {
  const Node node(communicator);
  const std::vector<int>& ranks = node.ranks();
  std::vector<Entry> entries;
  std::size_t used = 0;
  std::int64_t number = 0;  // of the first rank
  const std::string why_not = words_of([&] {
    for (const Message& message : receives) {
      if (!has_mailbox(message, ranks)) continue;
      entries.push_back({message.peer, message.bytes, static_cast<std::int64_t>(used)});
      used += Mailbox::room(static_cast<std::size_t>(message.bytes));
    }
    if (node.rank() == 0) number = random_number();
  });
  const std::size_t boxes = in_lines(entries.size() * sizeof(Entry));  // behind the entries
  std::vector<Part> parts;
  std::size_t total = 0;
  const auto all = node.all<3>(
      {static_cast<std::int64_t>(entries.size()), static_cast<std::int64_t>(boxes + used), number});
  for (const auto& [count, bytes, _] : all) {
    parts.push_back({total, static_cast<std::size_t>(count)});
    total += static_cast<std::size_t>(bytes);
  }
  memory_ = share(communicator, node, all[0][2], total, why_not);
  if (!entries.empty()) {
    std::byte* const own = memory_.get() + parts[node.rank()].begin;
    for (Entry& entry : entries) {
      entry.offset += own + boxes - memory_.get();
    }
    std::memcpy(own, entries.data(), entries.size() * sizeof(Entry));
    for (std::size_t i = 0, box = 0; i < receives.size(); ++i) {
      if (!has_mailbox(receives[i], ranks)) continue;
      receives_[i] = Mailbox(memory_.get() + entries[box++].offset,
                             static_cast<std::size_t>(receives[i].bytes));
    }
  }
  node.barrier();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The entries of each rank for messages of this one.
  std::vector<std::size_t> next(ranks.size(), 0);
  const auto next_entry = [&](std::size_t place) {
    std::optional<Entry> found;
    while (!found && next[place] < parts[place].entries) {
      Entry entry;
      std::memcpy(&entry, memory_.get() + parts[place].begin + next[place] * sizeof(Entry),
                  sizeof(Entry));
      ++next[place];
      if (entry.from == communicator.rank()) found = entry;
    }
    return found;
  };
  const std::string failure = words_of([&] {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Message& message = sends[i];
      if (!has_mailbox(message, ranks)) continue;
      const auto place = static_cast<std::size_t>(
          std::lower_bound(ranks.begin(), ranks.end(), message.peer) - ranks.begin());
      const auto entry = next_entry(place);
      if (!entry || entry->bytes != message.bytes) {
        throw Error(text("rank ", message.peer, " does not receive this message of ", message.bytes,
                         " bytes"));
      }
      sends_[i] = Mailbox(memory_.get() + entry->offset, static_cast<std::size_t>(entry->bytes));
    }
    for (std::size_t place = 0; place < ranks.size(); ++place) {
      if (const auto entry = next_entry(place)) {
        throw Error(text("rank ", ranks[place], " waits for a message of ", entry->bytes,
                         " bytes that is not sent"));
      }
    }
  });
  fail_together(communicator, failure);
}

bool messages_by_mailboxes() {
  constexpr const char* variable = "BRACKET_MESSAGES";
  const char* const value = std::getenv(variable);
  const std::string_view name = value == nullptr ? "" : value;
  if (name == "shared") return true;
  if (name.empty() || name == "mpi") return false;
  throw Error(text(variable, " is ", excerpt(name), "; known: mpi or shared"));
}

Agreement on_messages(bool by_mailboxes) {
  return {by_mailboxes ? 1u : 0u,
          "BRACKET_MESSAGES is not the same on all ranks: set it on every rank"};
}

}  // namespace bracket::runtime
