#pragma once

#include <string>

namespace headway::verdict {

/// A stage of attention, in its order; `memory` is what views are about, `state` what lasts from one call to the next.
enum class Stage { none, project, split, scores, scale, mask, softmax, dropout, weigh, merge, output, state, memory };

/// As documents spell it: empty for none.
std::string to_string(Stage stage);

}  // namespace headway::verdict
