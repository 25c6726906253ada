#include "bracket/runtime/double_double.hpp"

#include "reducer/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_double_double(Type type, const Request& request) {
  return make_float_sum<DoubleDoubleSum>(type, select_kernel(request.settings.kernel));
}

}  // namespace bracket::runtime::reducers
