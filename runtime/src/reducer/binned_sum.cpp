#include "bracket/runtime/binned.hpp"

#include "reducer/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_binned(Type type, const Request& request) {
  const Kernel& kernel = select_kernel(request.settings.kernel);
  const auto with_bins = [&]<int... index>(std::integer_sequence<int, index...>) {
    Made made;
    static_cast<void>(((request.algorithm.parameter == index + 1 &&
                        (made = make_float_sum<BinnedSum<index + 1>>(type, kernel), true)) ||
                       ...));
    return made;
  };
  return with_bins(std::make_integer_sequence<int, Bins::most>());
}

}  // namespace bracket::runtime::reducers
