#pragma once

#include "diagnosis/asking.hpp"
#include "diagnosis/examination.hpp"

#include <string>

/// What it says of a function that a question got no answer.
namespace headway::diagnosis {

bool is_timeout(const Reply& reply);

/// Which mistake of the catalogue a lost worker or a sanitizer report stands for; empty if none.
std::string mistake_behind(const verdict::Failure& failure);

/// Whether some question ended it in a way that no mistake of the catalogue stands for: abort(), exit(), too much
/// memory or output. That is a mistake of its own, though whatever it answers is right.
bool fails_without_a_name(const Function& function, const Findings& findings);

/// Whether a mistake is named for which there is no room on the stack.
bool uses_up_the_stack(const Findings& findings);

/// Time or stack are used up, either after seconds.
bool comes_to_no_end(const Reply& reply);

}  // namespace headway::diagnosis
