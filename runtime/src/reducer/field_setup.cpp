// SPDX-License-Identifier: MIT

#include "reducer/field_setup.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "bracket/model/fields.hpp"
#include "bracket/model/order.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/fnv1a.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

/// Runs `action` and names the field in its errors.
template <class Action>
auto about_field(std::size_t field, Action&& action) {
  try {
    return action();
  } catch (const Error& wrong) {
    throw Error(text("field ", field, ": ", wrong.what()));
  }
}

/// Such as `3 x 4`.
std::string shape_words(const Cells& cells) {
  std::string words;
  for (const Index count : cells.shape()) words += text(words.empty() ? "" : " x ", count);
  return words;
}

/// The cells of a field, without their place among those of all ranks.
FieldCells cells_of(const Field& field, std::size_t element_bytes) {
  FieldCells cells{Cells(field.elements, element_bytes), std::nullopt, 0};
  if (field.factors) {
    cells.factors.emplace(*field.factors, element_bytes);
    if (cells.factors->shape() != cells.elements.shape()) {
      throw Error(text("the factors are not as many as the elements in each dimension: ",
                       shape_words(*cells.factors), ", not ", shape_words(cells.elements)));
    }
  }
  return cells;
}

/// Elements of each field on each rank, field after field for each rank.
std::vector<Index> all_counts(const Communicator& communicator,
                              const std::vector<FieldCells>& fields) {
  std::vector<Index> own;
  for (const FieldCells& field : fields) own.push_back(field.elements.count());
  std::vector<Index> all(own.size() * static_cast<std::size_t>(communicator.size()));
  const auto count = static_cast<int>(own.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(own.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T,
                           communicator.handle(), &request),
            "MPI_Iallgather");
  wait(request);
  return all;
}

/// Throws `Error` unless a field is distributed as the plan requires, whichever distribution was
/// `given`. `counts` are the numbers of elements on each rank.
void check_held(const Distribution& planned, const std::vector<Index>& counts,
                const std::optional<Distribution>& given) {
  const auto ranks = static_cast<Rank>(counts.size());
  if (planned.ranks() != ranks) {
    throw Error(text("the plan is for p = ", planned.ranks(), ", the communicator has ", ranks));
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Index count = counts[static_cast<std::size_t>(rank)];
    if (count != planned.range(rank).size()) {
      throw Error(text("rank ", rank, " holds ", count, " elements, the plan is for ",
                       planned.range(rank).size(), " there"));
    }
  }
  if (given && *given != planned) throw Error("the plan is for another distribution");
}

std::string default_plan(const Settings& settings, std::size_t participants) {
  if (settings.root) return "aggregated";
  return std::has_single_bit(participants) ? "butterfly" : "dissemination";
}

/// Determines the distribution of the fields and this rank's task.
class FieldSetup {
 public:
  FieldSetup(const Communicator& communicator, const std::vector<Field>& fields,
             const Settings& settings, const ReducerKind& kind)
      : communicator_(communicator), fields_(fields), settings_(settings), kind_(kind) {}

  FieldTask run(std::string failure) {
    if (failure.empty()) failure = words_of([&] { describe_own(); });
    agree_on_what(failure);
    const std::vector<Index> counts = all_counts(communicator_, task_.cells);
    failure = words_of([&] {
      distribute(counts);
      schedule();
    });
    support::Fnv1a digest;
    for (const std::uint64_t fingerprint : fingerprints_) digest.number(fingerprint);
    const Agreement agreement{digest.value(), "the ranks ask for different distributions"};
    fail_together(communicator_, failure, {&agreement, 1});
    return std::move(task_);
  }

 private:
  void describe_own() {
    if (fields_.empty()) throw Error("a reducer of no fields");
    if (fields_.size() > std::size_t{Items::most_fields}) {
      throw Error(text(fields_.size(), " fields: at most ", Items::most_fields));
    }
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      task_.cells.push_back(
          about_field(k, [&] { return cells_of(fields_[k], kind_.element_bytes); }));
    }
  }

  void agree_on_what(const std::string& failure) const {
    support::Fnv1a products;
    support::Fnv1a distributed;
    for (const Field& field : fields_) {
      products.number(field.factors ? 1 : 0);
      distributed.number(field.distribution ? 1 : 0);
    }
    std::vector<Agreement> agreements{
        {fields_.size(), "the ranks ask for different numbers of fields"},
        {digest_of(kind_.type), "the ranks ask for elements of different types"},
        {digest_of(kind_.op), "the ranks ask for different operators"},
        {products.value(), "the ranks ask for products in different fields"},
        {distributed.value(), "some ranks give a distribution, others do not"},
    };
    append_agreements(settings_, agreements);
    fail_together(communicator_, failure, agreements);
  }

  void distribute(const std::vector<Index>& counts) {
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    const Rank self = communicator_.rank();
    task_.elements.resize(fields_.size());
    task_.held.resize(fields_.size());
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      std::vector<Index> of_field;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        of_field.push_back(counts[rank * fields_.size() + k]);
      }
      about_field(k, [&] {
        const auto& planned = settings_.held;
        if (planned) check_held(*planned, of_field, fields_[k].distribution);
        const auto& given = planned ? planned : fields_[k].distribution;
        if (!given && is_zero(of_field)) {
          if (kind_.of_nothing) return;
          throw Error(
              "no rank has elements, and an operator of one's own has no result for zero elements: "
              "give some rank at least one element");
        }
        const Distribution distribution = given ? *given : Distribution::from_counts(of_field);
        if (distribution.ranks() != communicator_.size()) {
          throw Error(text("the distribution is over ", distribution.ranks(),
                           " ranks, the communicator has ", communicator_.size()));
        }
        task_.held[k] = distribution.range(self);
        task_.elements[k] = distribution.elements();
        FieldCells& cells = task_.cells[k];
        if (cells.elements.count() != task_.held[k].size()) {
          throw Error(text("the index ranges hold ", cells.elements.count(),
                           " elements, the distribution gives this rank ", task_.held[k].size()));
        }
        cells.begin = task_.held[k].begin;
        task_.scheduled.push_back(k);
        task_.item_cells.push_back(cells);
        task_.items.push_back({task_.held[k], task_.elements[k]});
        distributions_.push_back(distribution);
      });
    }
  }

  static bool is_zero(const std::vector<Index>& counts) {
    return std::all_of(counts.begin(), counts.end(), [](Index count) { return count == 0; });
  }

  void schedule() {
    const Delivery delivery = settings_.root ? Delivery::to(*settings_.root) : Delivery::to_all();
    const Rank self = communicator_.rank();
    if (delivery.root < 0 || delivery.root >= communicator_.size()) {
      throw Error(
          text("root ", delivery.root, " is no rank: they are 0 to ", communicator_.size() - 1));
    }
    task_.everywhere = !settings_.root;
    task_.delivers = task_.everywhere || *settings_.root == self;
    if (task_.delivers) task_.delivered = {0, static_cast<Index>(fields_.size())};
    const std::vector<Rank> participants = participants_of(distributions_);
    const auto plan = make_plan(
        settings_.plan.empty() ? default_plan(settings_, participants.size()) : settings_.plan);
    if (!plan->scheduled() && distributions_.size() > 1) {
      throw Error(text("the plan ", plan->spec(), " reduces one field, there are ",
                       distributions_.size(), ": make a reducer for each"));
    }
    std::vector<RankPart> parts;
    for (const Distribution& distribution : distributions_) {
      const auto order = make_order(kind_.order, distribution.elements());
      const Problem problem{order, distribution, delivery, 1, participants};
      const ScheduleHeader header = header_of(problem, *plan);
      check_executable(header, order, communicator_, kind_.associative, settings_.threads);
      check_fit(problem, *plan);
      fingerprints_.push_back(digest(header));
      task_.chunk = order.chunk_size();
      task_.order = order.spec();
      if (plan->scheduled()) {
        parts.push_back(plan->part(problem, self));
      } else {
        task_.native = distribution;
      }
    }
    if (task_.native) return;
    if (parts.empty()) {
      task_.part = RankPart(0);
      return;
    }
    try {
      task_.part = merge_fields(parts);
    } catch (const Error& wrong) {
      throw Error(text("the plan ", plan->spec(), ": ", wrong.what(),
                       "; plans that carry frontiers, aggregated or butterfly, take any fields"));
    }
  }

  const Communicator& communicator_;
  const std::vector<Field>& fields_;
  const Settings& settings_;
  const ReducerKind& kind_;
  FieldTask task_;
  std::vector<Distribution> distributions_;  // of the fields that have elements
  std::vector<std::uint64_t> fingerprints_;  // of the same fields
};

}  // namespace

void check_executable(const ScheduleHeader& header, const Order& order,
                      const Communicator& communicator, bool associative, int threads) {
  check_floating_point();
  int thread_level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&thread_level), "MPI_Query_thread");
  if (threads > 1 && thread_level < MPI_THREAD_FUNNELED) {
    throw Error(text(threads, " threads: MPI was initialised for one thread; MPI_Init_thread with ",
                     "MPI_THREAD_FUNNELED allows more"));
  }
  if (header.ranks() != communicator.size()) {
    throw Error(text("the schedule is for ", header.ranks(), " ranks, the communicator has ",
                     communicator.size()));
  }
  if (header.order_version != order.version()) {
    throw Error(text("the schedule is for version ", header.order_version, " of the ", header.order,
                     " order, this is version ", order.version()));
  }
  if (!order.fixed() && !associative) {
    throw Error(text("the ", header.order,
                     " order leaves the bracketing open, and the operator's result depends on it"));
  }
}

void append_agreements(const Settings& settings, std::vector<Agreement>& agreements) {
  support::Fnv1a held;
  held.number(settings.held ? 1 : 0);
  if (settings.held) {
    for (const Index boundary : settings.held->boundaries()) {
      held.number(static_cast<std::uint64_t>(boundary));
    }
    for (const Rank rank : settings.held->rank_order()) {
      held.number(static_cast<std::uint64_t>(rank));
    }
  }
  const std::string algorithm = settings.algorithm.empty() ? "tree" : settings.algorithm;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  agreements.insert(
      agreements.end(),
      {{digest_of(algorithm), "the ranks ask for different algorithms"},
       {number(settings.widened), "some ranks ask for widened arithmetic, others do not"},
       {number(settings.checked), "some ranks ask for checked results, others do not"},
       {number(settings.root.value_or(-1)), "the ranks ask for different roots"},
       {digest_of(settings.plan), "the ranks ask for different plans"},
       {held.value(), "the ranks have the distributions of different plan files"}});
}

std::uint64_t digest_of(const std::string& words) {
  support::Fnv1a digest;
  digest.string(words);
  return digest.value();
}

void refuse_fields(MPI_Comm communicator, const std::string& failure) {
  const std::vector<Field> no_fields;
  set_up_fields(Communicator(communicator), no_fields, {}, {}, failure);
  throw CollectiveError(failure);  // not reached: the call above throws for a failure
}

Algorithm checked_algorithm(Settings& settings) {
  check_threads(settings.threads);
  if (settings.algorithm.empty()) return {};
  Algorithm algorithm = make_algorithm(settings.algorithm);
  settings.algorithm = algorithm.spec();
  return algorithm;
}

FieldTask set_up_fields(const Communicator& communicator, const std::vector<Field>& fields,
                        const Settings& settings, const ReducerKind& kind,
                        const std::string& failure) {
  return FieldSetup(communicator, fields, settings, kind).run(failure);
}

void move_cells(FieldTask& task, std::size_t field, const Layout& elements,
                const std::optional<Layout>& factors, std::size_t element_bytes) {
  if (task.vector_items > 0) throw Error("the elements of a schedule are side by side: no layout");
  if (field >= task.cells.size()) {
    throw Error(text("there is no field ", field, ", the reducer has ", task.cells.size()));
  }
  about_field(field, [&] {
    FieldCells& before = task.cells[field];
    Field described(elements);
    described.factors = factors;
    FieldCells moved = cells_of(described, element_bytes);
    if (moved.elements.shape() != before.elements.shape() ||
        moved.factors.has_value() != before.factors.has_value()) {
      throw Error("the elements are not those that the reducer was made for");
    }
    moved.begin = before.begin;
    before = std::move(moved);
  });
  for (std::size_t item = 0; item < task.items.size(); ++item) {
    if (task.scheduled[item] == field) task.item_cells[item] = task.cells[field];
  }
}

namespace {

void check_array(const char* name, const Cells& cells, const void* array, std::size_t bytes) {
  if (covers(array, bytes, cells)) return;
  if (array == nullptr) throw Error(text("no array of ", name));
  const Cells::Reach reach = cells.reach();
  throw Error(text("the array of ", name, " has ", bytes, " bytes (", bytes / cells.element_bytes(),
                   " elements of ", cells.element_bytes(), " bytes), its index ranges reach from ",
                   "byte ", reach.begin, " to ", reach.end,
                   reach.begin < 0 ? ": its layout's origin says where index 0 lies" : ""));
}

}  // namespace

void refuse_arrays(std::size_t field, const FieldCells& cells, const FieldArrays& arrays) {
  about_field(field, [&] {
    if (arrays.make == nullptr) {
      check_array("elements", cells.elements, arrays.elements, arrays.element_bytes);
    } else if (cells.factors) {
      throw Error("elements by a function for a field of products: multiply in the function");
    }
    if (cells.factors) check_array("factors", *cells.factors, arrays.factors, arrays.factor_bytes);
    throw Error("an array of factors for a field that is not of products");
  });
  __builtin_unreachable();  // the action throws
}

}  // namespace bracket::runtime
