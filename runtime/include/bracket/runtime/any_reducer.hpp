// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/mpi.hpp"

#include "bracket/support/language.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/runtime/field.hpp"
#include "bracket/runtime/results.hpp"
#include "bracket/runtime/settings.hpp"

namespace bracket {

struct Schedule;
struct ScheduleHeader;

namespace runtime {
class OwnOperator;
}

/// A reducer without static types, which `Reducer` and the interfaces of other languages call.
class AnyReducer {
 public:
  virtual ~AnyReducer() = default;

  /// Begins a run. `fields` is the number of fields of the reducer, `arrays(k)` returns the array
  /// or arrays of field k, and `results` has room for `room` results: one for each field, or none
  /// on ranks without results. `arrays` is called as a const object.
  ///
  /// Throws `Error` on this rank if an earlier run failed, if MPI has ended, if a run is under way,
  /// or if another thread is in a call; the run and the call go on. Throws `CollectiveError` if a
  /// number is wrong, or if an array is missing or too short. The other ranks then throw the same
  /// error, in this run if they still wait for a message, otherwise in a later one.
  /// The reducer cannot be used any more.
  template <class ArraysOf>
  void start(std::size_t fields, ArraysOf&& arrays, void* results, std::size_t room) {
    start(call_with(fields, arrays, results, room));
  }

  /// Makes progress, and returns whether the run is complete; true without a run. Other ranks may
  /// wait for this rank. Throws as `start` does, and also if integers do not fit: an `Error` on the
  /// ranks with results. With a root, the other ranks then throw as described for `start`; without
  /// a root, all ranks throw it, and further runs are possible.
  bool test() {
    const UseGuard guard(*this);
    return do_test();
  }

  /// Completes the run, if there is one. Throws as `test` does.
  void wait() {
    const UseGuard guard(*this);
    do_wait();
  }

  /// `start` and `wait`.
  template <class ArraysOf>
  void run(std::size_t fields, ArraysOf&& arrays, void* results, std::size_t room) {
    run(call_with(fields, arrays, results, room));
  }

  /// The arguments of `start` and `run` as described there.
  struct Call {
    std::size_t fields = 0;
    FieldArrays (*arrays)(const void* context, std::size_t field) = nullptr;
    const void* context = nullptr;  ///< first argument of `arrays`
    void* results = nullptr;
    std::size_t room = 0;  ///< number of results

    [[nodiscard]] FieldArrays arrays_of(std::size_t field) const { return arrays(context, field); }
  };
  void start(const Call& call) {
    const UseGuard guard(*this);
    do_start(call);
  }
  void run(const Call& call) {
    const UseGuard guard(*this);
    do_run(call);
  }

  /// Changes the layout of a field from the next run on. The number of elements in each dimension
  /// must stay the same. Not collective. Throws as `start` does.
  void move(std::size_t field, const Layout& elements, const std::optional<Layout>& factors = {}) {
    const UseGuard guard(*this);
    do_move(field, elements, factors);
  }

  /// Refuses the run that the other ranks begin, with this message. Throws it as `start` does.
  [[noreturn]] void refuse(const std::string& words) {
    const UseGuard guard(*this);
    do_refuse(words);
    __builtin_unreachable();  // GCC does not take a virtual function's word for it
  }

  /// Accuracy of the latest result of a field, by the algorithm `stochastic`, on ranks that have
  /// the result. Not collective. Throws `Error` for other algorithms, on other ranks, and if no run
  /// is complete.
  [[nodiscard]] Accuracy accuracy(std::size_t field) {
    const UseGuard guard(*this);
    return do_accuracy(field);
  }

  /// Fields, or items of a vector, whose results this rank gets; may be empty.
  [[nodiscard]] virtual Range delivered() const = 0;
  /// Whether this rank gets any results.
  [[nodiscard]] virtual bool delivers() const = 0;
  [[nodiscard]] virtual std::size_t fields() const = 0;
  /// Elements of a field that this rank holds, as global indices.
  [[nodiscard]] virtual Range held(std::size_t field) const = 0;
  /// Elements of a field on all ranks.
  [[nodiscard]] virtual Index elements(std::size_t field) const = 0;
  /// Number of messages that this rank has sent in all runs.
  [[nodiscard]] virtual Index messages_sent() const = 0;
  /// Whether a thread is in a call. The reducer must not be destroyed meanwhile.
  [[nodiscard]] bool in_call() const { return busy_.test(std::memory_order_acquire); }

 private:
  /// Admits one thread at a time.
  class UseGuard {
   public:
    explicit UseGuard(AnyReducer& reducer) : busy_(reducer.busy_) {
      if (busy_.test_and_set(std::memory_order_acquire)) refuse();
    }
    ~UseGuard() { busy_.clear(std::memory_order_release); }
    UseGuard(const UseGuard&) = delete;
    UseGuard& operator=(const UseGuard&) = delete;

   private:
    [[noreturn]] static void refuse();

    std::atomic_flag& busy_;
  };

  template <class ArraysOf>
  static Call call_with(std::size_t fields, const ArraysOf& arrays, void* results,
                        std::size_t room) {
    return {fields,
            [](const void* context, std::size_t field) {
              return (*static_cast<const ArraysOf*>(context))(field);
            },
            std::addressof(arrays), results, room};
  }

  virtual void do_move(std::size_t field, const Layout& elements,
                       const std::optional<Layout>& factors) = 0;
  [[noreturn]] virtual void do_refuse(const std::string& words) = 0;
  virtual void do_start(const Call& call) = 0;
  virtual void do_run(const Call& call) = 0;
  virtual bool do_test() = 0;
  virtual void do_wait() = 0;
  [[nodiscard]] virtual Accuracy do_accuracy(std::size_t field) const = 0;

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

/// Makes a reducer, with the settings that `with_environment` returns. Results have the type of the
/// elements; locations have `Located` of it, and digests `Digest`. Collective. Throws the same
/// `CollectiveError` on every rank if a layout, a setting or the communicator is wrong on any of
/// them, if a combination makes no sense, and if ranks ask for different types, operators,
/// settings, fields or distributions.
std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const std::vector<Field>& fields,
                                         const Settings& settings = {});

/// Makes a reducer that executes a schedule with this header: the `given` one or, if that is null,
/// the one that the header's plan makes, of which each rank makes its own part. It has the
/// schedule's fields, or one field of elements side by side: single numbers, or vectors of several,
/// which need the elements' own arithmetic. Results are the items that the schedule delivers to
/// this rank. The schedule has the order, plan, root and distribution: the settings must not.
/// Collective. Throws `CollectiveError` as above, and if ranks have different schedules.
std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const ScheduleHeader& header, const Schedule* given,
                                         const Settings& settings = {});

/// Makes a reducer by an operator of a program. Collective. Throws `CollectiveError` as above, and
/// if preparing or copying the operator throws on any rank.
std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const runtime::OwnOperator& own,
                                             const std::vector<Field>& fields,
                                             const Settings& settings = {});
std::unique_ptr<AnyReducer> make_own_reducer(MPI_Comm communicator, const runtime::OwnOperator& own,
                                             const ScheduleHeader& header, const Schedule* given,
                                             const Settings& settings = {});

}  // namespace bracket
