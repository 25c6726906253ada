// SPDX-License-Identifier: MIT

#include "bracket/runtime/reducer.hpp"

#include <utility>

#include "bracket/model/schedule.hpp"
#include "bracket/runtime/any_reducer.hpp"

namespace bracket::runtime {

ReducerHandle::ReducerHandle(MPI_Comm communicator, Type type, Op op, std::span<const Field> fields,
                             const Settings& settings)
    : ReducerHandle(make_reducer(communicator, type, op,
                                 std::vector<Field>(fields.begin(), fields.end()), settings)
                        .release()) {}

ReducerHandle::ReducerHandle(MPI_Comm communicator, const OwnOperator& own,
                             std::span<const Field> fields, const Settings& settings)
    : ReducerHandle(make_own_reducer(communicator, own,
                                     std::vector<Field>(fields.begin(), fields.end()), settings)
                        .release()) {}

ReducerHandle::ReducerHandle(MPI_Comm communicator, Type type, Op op, const Schedule& schedule,
                             const Settings& settings)
    : ReducerHandle(make_reducer(communicator, type, op, schedule, &schedule, settings).release()) {
}

ReducerHandle::ReducerHandle(MPI_Comm communicator, const OwnOperator& own,
                             const Schedule& schedule, const Settings& settings)
    : ReducerHandle(make_own_reducer(communicator, own, schedule, &schedule, settings).release()) {}

ReducerHandle::ReducerHandle(MPI_Comm communicator, Type type, Op op, const ScheduleHeader& header,
                             const Settings& settings)
    : ReducerHandle(make_reducer(communicator, type, op, header, nullptr, settings).release()) {}

ReducerHandle::ReducerHandle(MPI_Comm communicator, const OwnOperator& own,
                             const ScheduleHeader& header, const Settings& settings)
    : ReducerHandle(make_own_reducer(communicator, own, header, nullptr, settings).release()) {}

ReducerHandle::~ReducerHandle() { delete reducer_; }

ReducerHandle::ReducerHandle(ReducerHandle&& other) noexcept
    : reducer_(std::exchange(other.reducer_, nullptr)), delivers_(other.delivers_) {}

ReducerHandle& ReducerHandle::operator=(ReducerHandle&& other) noexcept {
  std::swap(reducer_, other.reducer_);
  std::swap(delivers_, other.delivers_);
  return *this;
}

ReducerHandle::ReducerHandle(AnyReducer* reducer)
    : reducer_(reducer), delivers_(reducer->delivers()) {}

void ReducerHandle::refuse() { throw Error("the reducer was moved to another one: use that one"); }

void ReducerHandle::run(std::size_t fields, ArraysOf* arrays, const void* operands, void* results,
                        std::size_t room) {
  reducer().run({fields, arrays, operands, results, room});
}

void ReducerHandle::start(std::size_t fields, ArraysOf* arrays, const void* operands, void* results,
                          std::size_t room) {
  reducer().start({fields, arrays, operands, results, room});
}

bool ReducerHandle::test() { return reducer().test(); }
void ReducerHandle::wait() { reducer().wait(); }
Range ReducerHandle::delivered() const { return reducer().delivered(); }
Range ReducerHandle::held(std::size_t field) const { return reducer().held(field); }
Index ReducerHandle::elements(std::size_t field) const { return reducer().elements(field); }
Accuracy ReducerHandle::accuracy(std::size_t field) const { return reducer().accuracy(field); }
Index ReducerHandle::messages_sent() const { return reducer().messages_sent(); }

}  // namespace bracket::runtime
