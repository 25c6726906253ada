#include "common/arithmetic.hpp"

#include <algorithm>
#include <array>

#include "common/help.hpp"

namespace bracket::tools {

std::span<const ArithmeticRow> algorithms() {
  static constexpr auto rows = std::to_array<ArithmeticRow>({
      {{"tree", "", "the binary tree over the global sequence of elements", "thesis, chapter 2"}},
      {{"chunked-tree", ":K", "chunks of K elements from left to right, then the tree over them",
        "Villa et al. 2009"}},
      {{"binned", "[:K]", "sums of K bins: the same bits for any sequence of the elements",
        "Demmel and Nguyen 2015"}},
      {{"double-double", "", "sums: the tree over double-double numbers", "He and Ding 2001"}},
      {{"integer", "", "of integers, whose results depend on no bracketing", "Bracket"}},
  });
  return rows;
}

std::span<const ArithmeticRow> operators() {
  static constexpr auto rows = std::to_array<ArithmeticRow>({
      {{"sum", "", "of all elements", "Bracket"}},
      {{"product", "", "of all elements", "Bracket"}},
      {{"minimum", "", "a NaN wins, -0 is below +0", "IEEE 754-2019"}},
      {{"maximum", "", "a NaN wins, -0 is below +0", "IEEE 754-2019"}},
      {{"minimum-location", "", "with the lowest index at which it lies", "Bracket"}},
      {{"maximum-location", "", "with the lowest index at which it lies", "Bracket"}},
      {{"digest", "", "which elements they are, and in which sequence", "Bracket"}},
  });
  return rows;
}

std::span<const ArithmeticRow> types() {
  static constexpr auto rows = std::to_array<ArithmeticRow>({
      {{"int32", "", "of whole numbers, which must fit", "Bracket"}},
      {{"int64", "", "of whole numbers, which must fit", "Bracket"}},
      {{"float32", "", "rounded, if the input is float64", "IEEE 754-2019"}},
      {{"float64", "", "as the input has them", "IEEE 754-2019"}},
      {{"complex64", "", "two numbers an element, each as float32", "Bracket"}},
      {{"complex128", "", "two numbers an element", "Bracket"}},
      {{"uint32", "", "of whole numbers of no sign, which must fit", "Bracket"}},
      {{"uint64", "", "of whole numbers of no sign, which must fit", "Bracket"}},
  });
  return rows;
}

namespace {

constexpr std::array arithmetic_options{"--algorithm", "--op", "--type", "--widened", "--checked"};

}  // namespace

void ArithmeticOptions::add_to(CLI::App& command) {
  command_ = &command;
  const HelpGroup group(command, "Arithmetic");
  command
      .add_option("--algorithm", algorithm,
                  "how it is computed: if not given, what --order says, or integer for integers; "
                  "`bracket list` names them. Unless --plan is given, the plan with this and the "
                  "next four is aggregated, or butterfly with --all")
      ->type_name("NAME");
  command.add_option("--op", op, "what is asked of the elements; `bracket list` names them")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--type", type, "what elements are; `bracket list` names them")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_flag("--widened", widened, "float32 computed in float64, rounded once in the end");
  command.add_flag("--checked", checked, "integers that do not fit are an error, else they wrap");
}

bool ArithmeticOptions::given() const {
  return std::any_of(arithmetic_options.begin(), arithmetic_options.end(),
                     [&](const char* name) { return command_->get_option(name)->count() > 0; });
}

}  // namespace bracket::tools
