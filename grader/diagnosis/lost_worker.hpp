#pragma once

#include "diagnosis/asking.hpp"

#include <string>

/// What it says of a function that a question got no answer.
namespace headway::diagnosis {

bool is_timeout(const Reply& reply);

/// Which mistake of the catalogue a lost worker or a sanitizer report stands for; empty if none.
std::string mistake_behind(const verdict::Failure& failure);

/// Time or stack are used up, either after seconds.
bool comes_to_no_end(const Reply& reply);

}  // namespace headway::diagnosis
