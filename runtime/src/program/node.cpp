// SPDX-License-Identifier: MIT

#include "bracket/runtime/node.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

[[noreturn]] void throw_not_shared(const std::string& what) {
  throw Error(text("memory for messages cannot be shared: ", what));
}

[[noreturn]] void throw_not_shared(const char* call, int code) {
  throw_not_shared(text(call, ": ", std::strerror(code)));
}

/// Bytes that this process shares with others.
std::atomic<std::size_t> shared_bytes = 0;

/// Limit on them: /dev/shm has 64 MB in many containers, and the MPI library needs some of it.
constexpr std::size_t most_shared = std::size_t{32} << 20;

/// Memory with a name. Other processes find it by the name until the maker destroys this object.
class SharedFile {
 public:
  /// Makes so many bytes of zeros.
  SharedFile(std::int64_t number, std::size_t bytes)
      : SharedFile(number, bytes, O_RDWR | O_CREAT | O_EXCL) {
    made_ = true;
    if (shared_bytes + bytes > most_shared) {
      throw_not_shared(text("this process shares ", shared_bytes.load(), " bytes already, and ",
                            bytes, " more are over the limit of ", most_shared));
    }
    // Reserves the memory: without room for it, a later write would end the program.
    int code = EINTR;
    while (code == EINTR) code = posix_fallocate(file_, 0, static_cast<off_t>(bytes));
    if (code != 0) throw_not_shared("posix_fallocate", code);
  }
  /// Opens those that another process has made.
  static SharedFile opened(std::int64_t number, std::size_t bytes) {
    return {number, bytes, O_RDWR};
  }
  ~SharedFile() {
    if (file_ < 0) return;
    close(file_);
    if (made_) shm_unlink(name_.c_str());
  }
  SharedFile(SharedFile&& other) noexcept
      : name_(std::move(other.name_)),
        bytes_(other.bytes_),
        made_(other.made_),
        file_(std::exchange(other.file_, -1)) {}
  SharedFile& operator=(SharedFile&&) = delete;

  [[nodiscard]] std::shared_ptr<std::byte> map() const {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) throw_not_shared("mmap", errno);
    shared_bytes += bytes_;
    return {static_cast<std::byte*>(memory), [bytes = bytes_](std::byte* mapped) {
              munmap(mapped, bytes);
              shared_bytes -= bytes;
            }};
  }

 private:
  SharedFile(std::int64_t number, std::size_t bytes, int flags)
      : name_(text("/bracket-", number)), bytes_(bytes) {
    file_ = shm_open(name_.c_str(), flags, 0600);
    if (file_ >= 0) return;
    if (errno == ENOENT && (flags & O_CREAT) == 0) {
      throw_not_shared("this rank and the first one of its node do not have the same /dev/shm");
    }
    throw_not_shared("shm_open", errno);
  }

  std::string name_;
  std::size_t bytes_;
  bool made_ = false;
  int file_ = -1;
};

/// More than 0.
std::int64_t random_number() {
  std::random_device random;
  return static_cast<std::int64_t>((std::uint64_t{random()} << 31 | random()) >> 1 | 1);
}

}  // namespace

int count_cores(MPI_Comm host) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  // Fails where the kernel knows more cores than the set can hold.
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  cpu_set_t all;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host, &request),
            "MPI_Iallreduce");
  wait(request);
  return known ? CPU_COUNT(&all) : static_cast<int>(std::thread::hardware_concurrency());
}

Node::Node(MPI_Comm all) {
  failure_ = words_of([&] {
    find_members(all);
    if (ranks_.size() == 1) return;
    if (static_cast<int>(ranks_.size()) > count_cores(communicator_)) tries_before_yield_ = 0;
    // For several reducers, each with some messages of each member.
    segment_ = make_segment(std::max<std::size_t>(65536, 16384 * ranks_.size()));
    slots_ = segment_.memory;
    segment_.used = 2 * line * ranks_.size();
  });
  if (!shares()) free();
}

void Node::find_members(MPI_Comm all) {
  check_mpi(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &communicator_),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int place = 0;
  int size = 0;
  check_mpi(MPI_Comm_rank(communicator_, &place), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(communicator_, &size), "MPI_Comm_size");
  place_ = static_cast<std::size_t>(place);
  std::vector<int> here(static_cast<std::size_t>(size));
  std::iota(here.begin(), here.end(), 0);
  ranks_.resize(here.size());
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Group everyone = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(communicator_, &members), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(all, &everyone), "MPI_Comm_group");
  const int code = MPI_Group_translate_ranks(members, size, here.data(), everyone, ranks_.data());
  MPI_Group_free(&members);
  MPI_Group_free(&everyone);
  check_mpi(code, "MPI_Group_translate_ranks");
}

std::shared_ptr<std::byte> Node::memory(std::size_t bytes) {
  // A large part gets a segment of its own, which ends with it.
  if (bytes > segment_.bytes / 4) return make_segment(bytes).memory;
  if (bytes > segment_.bytes - segment_.used) {
    Segment made = make_segment(segment_.bytes);
    if (made.memory == nullptr) return nullptr;
    segment_ = std::move(made);
  }
  std::byte* const first = segment_.memory.get() + segment_.used;
  segment_.used += bytes;
  return {segment_.memory, first};
}

Node::Segment Node::make_segment(std::size_t bytes) const {
  Segment segment{.bytes = bytes};
  std::optional<SharedFile> file;
  std::int64_t number = 0;
  std::string failure;
  // The first member makes the file before the others open it.
  if (place_ == 0) {
    failure = words_of([&] {
      const std::int64_t random = random_number();
      file.emplace(random, bytes);
      number = random;
    });
  }
  number = exchange_by_mpi(number).front();
  if (number != 0) {
    failure = words_of([&] {
      if (!file) file.emplace(SharedFile::opened(number, bytes));
      segment.memory = file->map();
    });
    // After it, all members have opened the file.
    const auto failed = exchange_by_mpi(failure.empty() ? 0 : 1);
    if (std::find(failed.begin(), failed.end(), 1) != failed.end()) segment.memory.reset();
  }
  if (!failure.empty()) throw Error(failure);
  return segment;
}

std::vector<std::int64_t> Node::exchange_by_mpi(std::int64_t own) const {
  std::vector<std::int64_t> all(ranks_.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, communicator_, &request),
      "MPI_Iallgather");
  wait(request);
  return all;
}

void Node::make_progress() const {
  int found = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &found, MPI_STATUS_IGNORE),
            "MPI_Iprobe");
}

}  // namespace bracket::runtime
