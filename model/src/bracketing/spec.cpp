// SPDX-License-Identifier: MIT

#include "bracket/model/spec.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

template <class Number>
Number parse_whole(std::string_view written, std::string_view what, std::string_view expected) {
  Number value{};
  const char* const end = written.data() + written.size();
  const auto [stop, failure] = std::from_chars(written.data(), end, value);
  if (failure == std::errc::result_out_of_range) {
    throw Error(text(what, ": '", excerpt(written), "' is out of range"));
  }
  if (failure != std::errc{} || stop != end) {
    throw Error(text(what, ": '", excerpt(written), "' is not ", expected));
  }
  return value;
}

}  // namespace

Index parse_integer(std::string_view written, std::string_view what) {
  return parse_whole<Index>(written, what, "a whole number");
}

double parse_number(std::string_view written, std::string_view what) {
  const auto value = parse_whole<double>(written, what, "a number");
  if (!std::isfinite(value))
    throw Error(text(what, ": '", excerpt(written), "' is not a finite number"));
  return value;
}

Spec Spec::parse(std::string_view written) {
  Spec spec;
  std::size_t begin = 0;
  bool first = true;
  while (true) {
    const std::size_t colon = written.find(':', begin);
    const auto part = written.substr(begin, colon - begin);
    if (first) {
      spec.name = part;
    } else {
      spec.parameters.emplace_back(part);
    }
    first = false;
    if (colon == std::string_view::npos) break;
    begin = colon + 1;
  }
  if (spec.name.empty()) {
    throw Error(written.empty() ? "a name was expected, not ''"
                                : text("'", excerpt(written), "': a name is missing before ':'"));
  }
  return spec;
}

void Spec::expect_at_most(std::size_t limit) const {
  if (parameters.size() > limit) {
    throw Error(text("'", excerpt(str()), "': ", excerpt(name), " takes at most ", limit,
                     " parameter(s), ", parameters.size(), " given"));
  }
}

Index Spec::integer(std::size_t position, std::string_view what, Index fallback,
                    Index least) const {
  if (position >= parameters.size()) return fallback;
  const Index value = parse_integer(parameters[position], text("'", excerpt(str()), "': ", what));
  if (value < least) {
    throw Error(
        text("'", excerpt(str()), "': ", what, " must be at least ", least, ", not ", value));
  }
  return value;
}

double Spec::number(std::size_t position, std::string_view what, double fallback) const {
  if (position >= parameters.size()) return fallback;
  const double value = parse_number(parameters[position], text("'", excerpt(str()), "': ", what));
  if (value < 0) {
    throw Error(text("'", excerpt(str()), "': ", what, " must not be negative, not ", value));
  }
  return value;
}

std::string Spec::str() const {
  std::string written = name;
  for (const auto& parameter : parameters) written += ':' + parameter;
  return written;
}

std::string alternatives(std::span<const CatalogueEntry> rows) {
  std::string words;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) words += i + 1 < rows.size() ? ", " : " or ";
    words.append(rows[i].name).append(rows[i].parameters);
  }
  return words;
}

}  // namespace bracket
