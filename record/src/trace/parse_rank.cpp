// SPDX-License-Identifier: MIT

#include <cstring>
#include <utility>

#include "bracket/record/check.h"
#include "bracket/record/format.h"
#include "bracket/record/trace.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::record {

namespace {

class Parser {
 public:
  Parser(std::vector<unsigned char> content, const std::string& name) : name_(name) {
    trace_.content = std::move(content);
  }

  RankTrace parse() {
    header();
    while (record()) {
    }
    if (trace_.end == End::cut) trace_.ended = last_completed();
    return std::move(trace_);
  }

 private:
  static constexpr int most_ranks = 1 << 24;  // more are damage, and would take much memory

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(text(name_, ": damaged at byte ", at_, ": ", what));
  }

  [[nodiscard]] std::size_t left() const { return trace_.content.size() - at_; }

  template <class Struct>
  Struct get() const {
    Struct result;
    std::memcpy(&result, trace_.content.data() + at_, sizeof result);
    return result;
  }

  template <std::size_t size>
  static std::string words(const char (&field)[size]) {
    return {field, strnlen(field, size)};
  }

  void header() {
    if (left() == 0) throw Error(text(name_, ": an empty file: nothing was recorded"));
    if (left() < sizeof(format::header) && left() >= 8 &&
        std::memcmp(trace_.content.data(), BRACKET_TRACE_MAGIC, 8) == 0) {
      throw Error(text(name_, ": cut at byte ", left(), ", in the header of ",
                       sizeof(format::header), " bytes: there is nothing to read"));
    }
    if (left() < sizeof(format::header) ||
        std::memcmp(trace_.content.data(), BRACKET_TRACE_MAGIC, 8) != 0) {
      throw Error(text(name_, ": not a trace file of `bracket record`: its first ",
                       sizeof(format::header), " bytes are no header"));
    }
    auto header = get<format::header>();
    if (header.version != format::trace_version) {
      throw Error(text(name_, ": version ", header.version, " of the format; this program reads ",
                       "version ", int{format::trace_version},
                       ": record the run again by the same installation"));
    }
    const auto check = std::exchange(header.check, 0);
    if (bracket_check(&header, sizeof header, 0) != check || header.bytes != sizeof header ||
        header.rank < 0 || header.rank >= header.ranks || header.ranks > most_ranks) {
      damaged("the header does not match its check");
    }
    std::copy(std::begin(header.run), std::end(header.run), trace_.run.begin());
    trace_.rank = header.rank;
    trace_.ranks = header.ranks;
    trace_.keep = header.keep;
    trace_.realtime = header.realtime;
    trace_.monotonic = header.monotonic;
    trace_.host = words(header.host);
    trace_.library = words(header.library);
    trace_.program = words(header.program);
    at_ = sizeof header;
  }

  /// Reads a record. Returns false at the end.
  bool record() {
    if (trace_.end != End::cut && left() > 0) damaged("the file goes on after its end");
    if (left() < sizeof(format::head)) return false;
    const auto head = get<format::head>();
    if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > most_bytes()) {
      damaged(text("a record of ", head.bytes, " bytes"));
    }
    if (left() < head.bytes) return false;
    constexpr std::size_t checked = offsetof(format::head, kind);
    ++number_;
    if (bracket_check(trace_.content.data() + at_ + checked, head.bytes - checked, number_) !=
        head.check) {
      damaged(text("record ", number_,
                   " does not match its check: it was changed, or one before it is missing"));
    }
    switch (head.kind) {
      case format::kind_communicator:
      case format::kind_type:
      case format::kind_op:
      case format::kind_site:
      case format::kind_call:
        define(head);
        break;
      case format::kind_reduction:
        reduction(head);
        break;
      case format::kind_repeat:
        repeat(head);
        break;
      case format::kind_other:
        other(head);
        break;
      case format::kind_end:
        if (head.call >= format::end_count) damaged(text("an end of kind ", head.call));
        trace_.end = static_cast<End>(head.call);
        trace_.ended = fixed<format::end_record>(head).time;
        break;
      default:
        damaged(text("a record of kind ", head.kind));
    }
    at_ += head.bytes;
    return true;
  }

  [[nodiscard]] std::size_t most_bytes() const {
    const std::size_t members = static_cast<std::size_t>(trace_.ranks) * sizeof(format::members);
    return sizeof(format::reduction_record) + 2 * std::size_t{trace_.keep} + members +
           2 * std::size_t{format::most_name} + 64;
  }

  /// Throws `Error` unless the record has the fixed part of `Struct` and so many bytes after it.
  template <class Struct>
  Struct fixed(const format::head& head) const {
    if (head.bytes < sizeof(Struct)) damaged("a record that is too short");
    return get<Struct>();
  }

  void check_size(const format::head& head, std::size_t bytes) const {
    if ((bytes + 7) / 8 * 8 != head.bytes) damaged("a record whose parts have another size");
  }

  template <class List, class Item>
  void add(List& list, std::uint32_t id, Item item) {
    if (id != list.size()) damaged(text("definition ", id, " after ", list.size(), " of its kind"));
    list.push_back(std::move(item));
  }

  void define(const format::head& head) {
    const auto definition = fixed<format::definition>(head);
    const std::size_t first = definition.first;
    check_size(head, sizeof definition + first + definition.second);
    const unsigned char* const begin = trace_.content.data() + at_ + sizeof definition;
    const std::string name(begin, begin + first);
    const std::string second(begin + first, begin + first + definition.second);
    switch (head.kind) {
      case format::kind_communicator:
        add(trace_.communicators, definition.id, communicator(definition, begin, second));
        break;
      case format::kind_type:
        if (definition.element >= format::element_count) damaged("an unknown kind of numbers");
        add(trace_.types, definition.id,
            Type{name, definition.size, static_cast<Element>(definition.element),
                 definition.number});
        break;
      case format::kind_op:
        add(trace_.operators, definition.id, Operator{name, definition.number != 0});
        break;
      case format::kind_site:
        add(trace_.sites, definition.id, Site{name, definition.offset, second, definition.number});
        break;
      default:
        add(trace_.calls, definition.id, name);
    }
  }

  [[nodiscard]] Communicator communicator(const format::definition& definition,
                                          const unsigned char* begin, std::string name) const {
    std::vector<std::uint32_t> path(std::min<std::uint32_t>(definition.number, format::most_path));
    const std::size_t path_bytes = path.size() * sizeof path[0];
    if (path.size() != definition.number || path_bytes > definition.first) {
      damaged("a communicator with too long a path");
    }
    const std::size_t bytes = definition.first - path_bytes;
    if (path_bytes > 0) std::memcpy(path.data(), begin + bytes, path_bytes);
    // The number is known when all ranks have been read.
    return {members(begin, bytes),
            0,
            std::move(name),
            {definition.size, std::move(path), definition.offset}};
  }

  [[nodiscard]] std::vector<int> members(const unsigned char* begin, std::size_t bytes) const {
    std::vector<int> all;
    if (bytes % sizeof(format::members) != 0) damaged("members of another size");
    for (std::size_t at = 0; at < bytes; at += sizeof(format::members)) {
      format::members run;
      std::memcpy(&run, begin + at, sizeof run);
      const auto ranks = static_cast<std::size_t>(trace_.ranks);
      if (run.count < 1 || run.first < 0 || run.count > trace_.ranks - run.first ||
          all.size() + static_cast<std::size_t>(run.count) > ranks) {
        damaged("members that are no ranks");
      }
      for (int i = 0; i < run.count; ++i) all.push_back(run.first + i);
    }
    return all;
  }

  void reduction(const format::head& head) {
    const auto record = fixed<format::reduction_record>(head);
    check_size(head,
               sizeof record + std::size_t{record.kept_input} + std::size_t{record.kept_output});
    if (head.call >= format::call_count || (head.flags & ~unsigned{format::all_flags}) != 0 ||
        record.communicator >= trace_.communicators.size() || record.type >= trace_.types.size() ||
        record.op >= trace_.operators.size() || record.site >= trace_.sites.size() ||
        record.kept_input > record.input_bytes || record.kept_output > record.output_bytes) {
      damaged("a reduction that refers to what is not defined");
    }
    const unsigned char* const kept = trace_.content.data() + at_ + sizeof record;
    Reduction result;
    result.call = static_cast<Call>(head.call);
    const auto has = [&](unsigned flag) { return (head.flags & flag) != 0; };
    result.form = has(format::flag_persistent)    ? Form::persistent
                  : has(format::flag_nonblocking) ? Form::nonblocking
                                                  : Form::blocking;
    result.in_place = has(format::flag_in_place);
    result.unfinished = has(format::flag_unfinished);
    result.failed = has(format::flag_failed);
    result.communicator = record.communicator;
    result.type = record.type;
    result.op = record.op;
    result.site = record.site;
    result.root = record.root;
    result.sequence = record.sequence;
    result.count = record.count;
    result.entry = record.entry;
    result.returned = record.returned;
    result.completed = record.completed;
    result.recording = record.recording;
    result.input = {has(format::flag_input),
                    record.input_bytes,
                    record.input_digest,
                    {kept, record.kept_input}};
    result.output = {has(format::flag_output),
                     record.output_bytes,
                     record.output_digest,
                     {kept + record.kept_input, record.kept_output}};
    const bool whole = result.form == Form::blocking && record.kept_input == record.input_bytes &&
                       record.kept_output == record.output_bytes;
    latest_.resize(trace_.sites.size());
    latest_[record.site] = {trace_.reductions.size(), whole};
    append(result);
  }

  void append(const Reduction& one) {
    next_.resize(trace_.communicators.size());
    next_[one.communicator] = one.sequence + 1;
    trace_.reductions.push_back(one);
  }

  /// A digest of data of which all bytes are kept.
  static void digest(Data& data) {
    if (data.present) data.digest = XXH3_64bits(data.kept.data(), data.kept.size());
  }

  void repeat(const format::head& head) {
    const auto record = fixed<format::repeat_record>(head);
    if (head.flags >= latest_.size() || !latest_[head.flags].whole) {
      damaged("a repeat of a reduction that nothing is known of");
    }
    Reduction result = trace_.reductions[latest_[head.flags].index];
    check_size(head, sizeof record + result.input.bytes + result.output.bytes);
    result.sequence = next_[result.communicator];
    result.entry = record.entry;
    // Unsigned numbers do not overflow if a damaged file has a large time.
    result.returned = result.completed =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(record.entry) + record.nanoseconds);
    result.recording = record.recording;
    const unsigned char* const kept = trace_.content.data() + at_ + sizeof record;
    result.input.kept = {kept, result.input.bytes};
    result.output.kept = {kept + result.input.bytes, result.output.bytes};
    digest(result.input);
    digest(result.output);
    append(result);
  }

  [[nodiscard]] std::int64_t last_completed() const {
    std::int64_t last = trace_.monotonic;
    for (const Reduction& one : trace_.reductions) last = std::max(last, one.completed);
    for (const OtherCalls& one : trace_.others) last = std::max(last, one.completed);
    return last;
  }

  void other(const format::head& head) {
    const auto record = fixed<format::other_record>(head);
    check_size(head, sizeof record);
    if (head.flags >= trace_.calls.size()) damaged("a call that is not defined");
    trace_.others.push_back(
        {head.flags, record.count, record.entry, record.completed, record.nanoseconds});
  }

  /// The last reduction of a site that has a record of its own, and whether others can repeat it.
  struct Latest {
    std::size_t index = 0;
    bool whole = false;
  };

  const std::string& name_;
  RankTrace trace_;
  std::vector<Latest> latest_;       ///< by site
  std::vector<std::uint64_t> next_;  ///< by communicator: the sequence of a repeat
  std::uint64_t number_ = 0;         ///< of the record that was read last
  std::size_t at_ = 0;
};

}  // namespace

RankTrace parse_rank(std::vector<unsigned char> content, const std::string& name) {
  return Parser(std::move(content), name).parse();
}

}  // namespace bracket::record
