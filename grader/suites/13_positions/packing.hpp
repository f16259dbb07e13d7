#pragma once

#include "diagnosis/subject.hpp"

/// pack_in_projection and unpack_in_projection of exercise 13 under any choices.
namespace headway::diagnosis {

Predict packed_matrix(const judge::Arguments& arguments);
Predict unpacking(const judge::Arguments& arguments);

}  // namespace headway::diagnosis
