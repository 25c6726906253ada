// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

/// Files of elements as other programs write them.
namespace bracket::testing {

template <class Value>
std::string raw(const Value& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class Value>
std::string raw_values(std::span<const Value> values) {
  std::string bytes;
  for (const Value value : values) bytes += raw(value);
  return bytes;
}

inline std::string binpsllh_file(std::span<const double> values) {
  return raw(std::uint64_t{values.size()}) + raw_values(values);
}

/// A file as NumPy writes it: magic, version 1.0, the dictionary padded to 64 bytes.
template <class Value>
std::string npy_file(std::span<const Value> values) {
  std::string dictionary = "{'descr': '<f" + std::to_string(sizeof(Value)) +
                           "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) +
                           ",), }";
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + raw(static_cast<std::uint16_t>(dictionary.size())) +
         dictionary + raw_values(values);
}

}  // namespace bracket::testing
