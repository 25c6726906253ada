// SPDX-License-Identifier: MIT

#include "reveal/control_variable.hpp"

#include <array>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "reveal/described_values.hpp"

namespace bracket::tools {

namespace {

void check_tool(int code, const std::string& name, const char* call) {
  if (code == MPI_SUCCESS) return;
#ifdef MPI_T_ERR_INVALID_NAME
  if (code == MPI_T_ERR_INVALID_NAME) {
    throw Error(text("the MPI library has no variable ", name,
                     ": a library that can be told its algorithms was expected"));
  }
#endif
  throw Error(text("the MPI library's variable ", name, ": ", call, " fails with code ", code));
}

}  // namespace

ControlVariable::ControlVariable(const std::string& name) : name_(name) {
  int threads = 0;
  check_tool(MPI_T_init_thread(MPI_THREAD_SINGLE, &threads), name, "MPI_T_init_thread");
  try {
    check_tool(MPI_T_cvar_get_index(name.c_str(), &index_), name, "MPI_T_cvar_get_index");
    int count = 0;
    check_tool(MPI_T_cvar_handle_alloc(index_, nullptr, &handle_, &count), name,
               "MPI_T_cvar_handle_alloc");
    if (count != 1) throw Error(text("the MPI library's variable ", name, " is no integer"));
  } catch (const Error&) {
    MPI_T_finalize();
    throw;
  }
}

ControlVariable::~ControlVariable() {
  MPI_T_cvar_handle_free(&handle_);
  MPI_T_finalize();
}

int ControlVariable::value() const {
  std::array<int, 4> value{};  // room for a wider type
  check_tool(MPI_T_cvar_read(handle_, value.data()), name_, "MPI_T_cvar_read");
  return value[0];
}

void ControlVariable::set(int value) const {
  const std::array<int, 4> written{value};
  check_tool(MPI_T_cvar_write(handle_, written.data()), name_, "MPI_T_cvar_write");
}

std::vector<std::pair<std::string, int>> ControlVariable::named_values(
    std::span<const char* const> wanted) const {
  std::array<char, 256> name{};
  std::vector<char> description(1 << 16);
  int name_size = static_cast<int>(name.size());
  int description_size = static_cast<int>(description.size());
  int verbosity = 0;
  int binding = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;
  check_tool(MPI_T_cvar_get_info(index_, name.data(), &name_size, &verbosity, &type, &names,
                                 description.data(), &description_size, &binding, &scope),
             name_, "MPI_T_cvar_get_info");
  if (names == MPI_T_ENUM_NULL) return values_described_by(description.data(), wanted);
  int count = 0;
  name_size = static_cast<int>(name.size());
  check_tool(MPI_T_enum_get_info(names, &count, name.data(), &name_size), name_,
             "MPI_T_enum_get_info");
  std::vector<std::pair<std::string, int>> values;
  for (int i = 0; i < count; ++i) {
    int value = 0;
    name_size = static_cast<int>(name.size());
    check_tool(MPI_T_enum_get_item(names, i, &value, name.data(), &name_size), name_,
               "MPI_T_enum_get_item");
    values.emplace_back(name.data(), value);
  }
  return values;
}

}  // namespace bracket::tools
