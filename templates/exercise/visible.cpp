// Exercise NN: what its visible test asks, asked of the submission. See student/visible_twin.hpp. FILL_IN: a stand-in
// for each function of the header; grader/suites/08_kv_cache has objects, and grader/suites/02_head_splitting has
// views.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::exNN {

using judge::asked_for;

Tensor doubled(const Tensor& x) { return asked_for<Tensor>("doubled", {{"x", x}}); }

}  // namespace headway::exNN
