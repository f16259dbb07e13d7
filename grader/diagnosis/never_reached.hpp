#pragma once

#include "diagnosis/examination.hpp"

namespace headway::diagnosis {

/// Whether another function, which makes what this one is asked of, failed before each answer that is not right: a
/// factory that returns nothing, say.
bool was_never_reached(const Function& function, const Findings& findings);

}  // namespace headway::diagnosis
