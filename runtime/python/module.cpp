// SPDX-License-Identifier: MIT

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/plan_file.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/field_reducer.hpp"
#include "bracket/runtime/planned.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "module.hpp"
#include "own_operator.hpp"

/// The extension `bracket._bracket`: `AnyReducer` and its arguments, for the package's own modules,
/// which check and convert the user's arguments.
namespace bracket::python {

using Ranges = std::optional<std::vector<std::pair<Index, Index>>>;

Layout layout_of(const py::array& array, const std::vector<Range>& ranges) {
  const auto dimensions = static_cast<std::size_t>(array.ndim());
  Layout layout;
  layout.extents.assign(array.shape(), array.shape() + dimensions);
  layout.strides.assign(array.strides(), array.strides() + dimensions);
  layout.ranges = ranges;
  return layout;
}

/// One field's arrays in a call.
struct GivenArrays {
  py::object elements;  // an array, or a function of a first number and a count that returns one
  std::optional<py::array> factors;

  [[nodiscard]] bool by_function() const { return !py::isinstance<py::array>(elements); }
  [[nodiscard]] py::array array() const { return elements.cast<py::array>(); }
};

/// A `MakeElements` that calls a Python function, whose results the package checks. Any thread
/// calls it, without the interpreter's lock.
void make_by_function(const void* function, Index first, Index count, void* into) {
  const py::gil_scoped_acquire acquired;
  std::string wrong;
  try {
    const auto block = py::reinterpret_borrow<py::function>(
        static_cast<PyObject*>(const_cast<void*>(function)))(first, count);
    const auto elements = block.cast<py::array>();
    std::memcpy(into, elements.data(), static_cast<std::size_t>(elements.nbytes()));
  } catch (const py::error_already_set& raised) {
    wrong = words_of(raised);  // here, since the message needs the lock
  }
  if (!wrong.empty()) throw Error(wrong);
}

/// Description of a field.
struct Described {
  std::vector<Range> ranges;
  Layout elements;  // as of the latest run
  std::optional<Layout> factors;
};

class PyReducer {
 public:
  struct FieldArguments {
    py::array elements;
    std::optional<py::array> factors;
    Ranges ranges;
    std::optional<Distribution> distribution;
    Op op = Op::sum;
  };

  /// `type` is the name of a `Type` or, with an operator `own` of the program, any.
  PyReducer(std::uintptr_t communicator, const std::string& type, Op op,
            const std::vector<FieldArguments>& arguments, const Settings& settings, py::object own)
      : own_(std::move(own)), type_(type) {
    const bool has_own = !own_.is_none();
    std::size_t bytes = 0;
    std::vector<Field> fields;
    for (const FieldArguments& given : arguments) {
      Described field;
      if (given.ranges) {
        for (const auto& [begin, end] : *given.ranges) field.ranges.push_back({begin, end});
      }
      field.elements = layout_of(given.elements, field.ranges);
      if (given.factors) field.factors = layout_of(*given.factors, field.ranges);
      fields.emplace_back(field.elements);
      fields.back().factors = field.factors;
      fields.back().distribution = given.distribution;
      if (!has_own) fields.back().op = given.op;
      fields_.push_back(std::move(field));
      bytes = static_cast<std::size_t>(given.elements.itemsize());
    }
    const auto by = has_own ? make_python_operator(own_, bytes, type_) : nullptr;
    const MPI_Comm ranks = communicator_at(communicator);
    const py::gil_scoped_release released;
    reducer_ = has_own ? make_own_reducer(ranks, *by, fields, settings)
                       : make_reducer(ranks, type_named(type_), op, fields, settings);
  }

  /// `results` is an array with room for a result of each field. The caller must keep arrays and
  /// results until the run is complete.
  void start(const std::vector<GivenArrays>& operands, py::array& results) {
    const CallGuard guard(inside_, busy);
    const auto reducer = alive();
    move_to(*reducer, operands);
    std::vector<FieldArrays> arrays;
    for (const GivenArrays& given : operands) {
      FieldArrays field;
      if (given.by_function()) {
        field.elements = given.elements.ptr();
        field.make = make_by_function;
      } else {
        field.elements = given.array().data();
      }
      if (given.factors) field.factors = given.factors->data();
      arrays.push_back(field);
    }
    void* const into = results.mutable_data();
    const auto room = static_cast<std::size_t>(results.size());
    const py::gil_scoped_release released;
    reducer->start(
        arrays.size(), [&](std::size_t k) { return arrays[k]; }, into, room);
  }

  bool test() {
    const CallGuard guard(inside_, busy);
    const auto reducer = alive();
    const py::gil_scoped_release released;
    return reducer->test();
  }

  void wait() {
    const CallGuard guard(inside_, busy);
    const auto reducer = alive();
    const py::gil_scoped_release released;
    reducer->wait();
  }

  void refuse(const std::string& words) {
    const CallGuard guard(inside_, busy);
    const auto reducer = alive();
    const py::gil_scoped_release released;
    reducer->refuse(words);
  }

  /// A thread in a call keeps the reducer until the call ends.
  void free() {
    auto ending = std::exchange(reducer_, nullptr);
    const py::gil_scoped_release released;
    ending.reset();
  }

  [[nodiscard]] bool freed() const { return reducer_ == nullptr; }
  [[nodiscard]] bool delivers() const { return alive()->delivers(); }
  [[nodiscard]] std::pair<Index, Index> held(std::size_t field) const {
    const Range range = alive()->held(field);
    return {range.begin, range.end};
  }
  [[nodiscard]] Index elements(std::size_t field) const { return alive()->elements(field); }
  [[nodiscard]] std::pair<double, std::int64_t> accuracy(std::size_t field) const {
    const Accuracy found = alive()->accuracy(field);
    return {found.digits, found.cancellations};
  }
  [[nodiscard]] Index messages_sent() const { return alive()->messages_sent(); }

 private:
  static constexpr const char* busy =
      "a reducer is used by two threads at once, or by a function that it calls";

  [[nodiscard]] std::shared_ptr<AnyReducer> alive() const {
    if (reducer_ == nullptr) throw Error("the reducer was freed");
    return reducer_;
  }

  static std::string words_of(const std::vector<Index>& extents) {
    std::string words;
    for (const Index extent : extents) words += text(words.empty() ? "" : ", ", extent);
    return text("(", words, extents.size() == 1 ? ",)" : ")");
  }

  /// Gives the reducer the new layouts of arrays that have moved; refuses arrays of another shape.
  void move_to(AnyReducer& reducer, const std::vector<GivenArrays>& operands) {
    for (std::size_t k = 0; k < std::min(operands.size(), fields_.size()); ++k) {
      if (operands[k].by_function()) continue;
      Described& field = fields_[k];
      const Layout elements = layout_of(operands[k].array(), field.ranges);
      std::optional<Layout> factors;
      if (operands[k].factors) factors = layout_of(*operands[k].factors, field.ranges);
      if (factors.has_value() != field.factors.has_value()) {
        reducer.refuse(text("field ", k, ": ", factors ? "factors" : "no factors",
                            " given, the reducer was made ", factors ? "without" : "with them"));
      }
      check_shape(reducer, k, "an array", elements, field.elements);
      if (factors) check_shape(reducer, k, "factors", *factors, *field.factors);
      if (elements.strides == field.elements.strides &&
          (!factors || factors->strides == field.factors->strides)) {
        continue;
      }
      reducer.move(k, elements, factors);
      field.elements = elements;
      field.factors = factors;
    }
  }

  static void check_shape(AnyReducer& reducer, std::size_t k, const char* what, const Layout& given,
                          const Layout& made_for) {
    if (given.extents == made_for.extents) return;
    reducer.refuse(text("field ", k, ": ", what, " of shape ", words_of(given.extents),
                        ", the reducer was made for ", words_of(made_for.extents)));
  }

  py::object own_;    // the operator of the program, or None
  std::string type_;  // of elements
  std::vector<Described> fields_;
  std::shared_ptr<AnyReducer> reducer_;
  bool inside_ = false;  // whether a thread is in a call
};

Distribution distribution_of(const std::vector<Index>& counts,
                             const std::optional<std::vector<Rank>>& rank_order) {
  const Distribution distribution = Distribution::from_counts(counts);
  return rank_order ? distribution.with_rank_order(*rank_order) : distribution;
}

}  // namespace bracket::python

PYBIND11_MODULE(_bracket, module) {
  using namespace bracket;
  using namespace bracket::python;
  const auto& error = py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
  py::setattr(error, "__doc__", py::str("Bad input or a failure, on this rank."));
  const auto& collective =
      py::register_exception<CollectiveError>(module, "CollectiveError", error);
  py::setattr(collective, "__doc__", py::str("An Error that every rank raises at the same point."));

  py::register_exception<Busy>(module, "Busy", error);

  py::class_<Distribution>(module, "Distribution",
                           "Assignment of the global sequence of elements to ranks.\n\n"
                           "Distribution(counts, rank_order=None): number of elements at each "
                           "position. Rank k holds\nposition k, or rank_order[k] does.")
      .def(py::init(&distribution_of), py::arg("counts"), py::arg("rank_order") = py::none())
      .def_static(
          "make",
          [](const std::string& name, Index elements, Rank ranks) {
            return make_distribution(name, elements, ranks);
          },
          "The distribution of that name, such as 'upper' or 'optimized:0.2'; `bracket list` names "
          "them.",
          py::arg("name"), py::arg("elements"), py::arg("ranks"))
      .def_property_readonly("elements", &Distribution::elements)
      .def_property_readonly("ranks", &Distribution::ranks)
      .def(
          "held",
          [](const Distribution& distribution, Rank rank) {
            if (rank < 0 || rank >= distribution.ranks()) {
              throw Error(text("there is no rank ", rank, ": the distribution has ",
                               distribution.ranks(), " ranks"));
            }
            const Range range = distribution.range(rank);
            return py::module_::import("builtins").attr("range")(range.begin, range.end);
          },
          "Global indices of the elements that a rank holds, as a range.", py::arg("rank"));

  py::class_<PyReducer>(module, "Reducer")
      .def(py::init([](std::uintptr_t communicator, const std::string& type, const std::string& op,
                       const std::vector<py::tuple>& fields, const std::string& algorithm,
                       bool widened, bool checked, std::optional<Rank> root,
                       const std::string& plan, int threads, const std::string& kernel,
                       const std::string& memory, py::object own) {
        const Settings settings =
            make_settings(algorithm, widened, checked, root, plan, threads, kernel, memory);
        std::vector<PyReducer::FieldArguments> arguments;
        for (const py::tuple& field : fields) {
          arguments.push_back({field[0].cast<py::array>(),
                               field[1].cast<std::optional<py::array>>(), field[2].cast<Ranges>(),
                               field[3].cast<std::optional<Distribution>>(),
                               op_named(field[4].cast<std::string>())});
        }
        return std::make_unique<PyReducer>(communicator, type, op_named(op), arguments, settings,
                                           std::move(own));
      }))
      .def(
          "start",
          [](PyReducer& self, const std::vector<py::tuple>& fields, py::array results) {
            std::vector<GivenArrays> operands;
            for (const py::tuple& field : fields) {
              operands.push_back({py::object(field[0]), field[1].cast<std::optional<py::array>>()});
            }
            self.start(operands, results);
          })
      .def("test", &PyReducer::test)
      .def("wait", &PyReducer::wait)
      .def("refuse", &PyReducer::refuse)
      .def("free", &PyReducer::free)
      .def_property_readonly("freed", &PyReducer::freed)
      .def_property_readonly("delivers", &PyReducer::delivers)
      .def("held", &PyReducer::held)
      .def("elements", &PyReducer::elements)
      .def("accuracy", &PyReducer::accuracy)
      .def_property_readonly("messages_sent", &PyReducer::messages_sent);

  module.def("read_plan", [](std::uintptr_t communicator, const std::string& refused,
                             const std::string& path, Index elements) {
    std::optional<ScheduleHeader> planned;
    {
      const py::gil_scoped_release released;
      const Communicator ranks(communicator_at(communicator));
      together(ranks, [&] {
        if (!refused.empty()) throw Error(refused);
#ifdef BRACKET_HAS_JSON
        planned = read_planned_reduction(path, elements, ranks.size());
        static_cast<void>(settings_of(*planned));
#else
        throw Error("this package reads no plan files: it was built without nlohmann-json");
#endif
      });
    }
    const Settings settings = settings_of(*planned);
    return py::make_tuple(planned->distribution, settings.algorithm, settings.plan, settings.root);
  });
  define_accumulator(module);
  define_dlpack(module);

  module.def("wait_for_stream", [](std::uintptr_t stream) {
    const py::gil_scoped_release released;
    runtime::device::wait_for_stream(stream);
  });

  module.def("refuse", [](std::uintptr_t communicator, const std::string& words) {
    const py::gil_scoped_release released;
    runtime::refuse_fields(communicator_at(communicator), words);
  });
}
