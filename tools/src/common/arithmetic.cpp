#include "common/arithmetic.hpp"

#include <algorithm>
#include <array>

#include "bracket/model/algorithm.hpp"
#include "bracket/support/text.hpp"
#include "common/help.hpp"

namespace bracket::tools {

namespace {

constexpr std::array arithmetic_options{"--algorithm", "--op", "--type", "--widened", "--checked"};

}  // namespace

void ArithmeticOptions::add_to(CLI::App& command) {
  command_ = &command;
  const HelpGroup group(command, "Arithmetic");
  command
      .add_option(
          "--algorithm", algorithm,
          text(
              other_arithmetics(),
              ", in place of adding in the order of --order. binned sums elements in any sequence "
              "to the same bits, but takes longer; it uses K bins, by default 3, and more bins are "
              "more accurate. double-double adds in tree order, with intermediate results of about "
              "twice the digits. `bracket list algorithms` explains each. Do not also give "
              "--order; a name of --order means the same here"))
      ->type_name("NAME");
  command
      .add_option("--op", op,
                  "operator that combines the elements; `bracket list operators` explains each")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--type", type, "type of the elements; `bracket list types` explains each")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_flag("--widened", widened, "compute float32 in float64 and round once at the end");
  command.add_flag("--checked", checked,
                   "report an error if an integer does not fit; without it, integers wrap");
}

bool ArithmeticOptions::given() const {
  return std::any_of(arithmetic_options.begin(), arithmetic_options.end(),
                     [&](const char* name) { return command_->get_option(name)->count() > 0; });
}

}  // namespace bracket::tools
