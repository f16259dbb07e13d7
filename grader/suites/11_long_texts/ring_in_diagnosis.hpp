#pragma once

#include "diagnosis/subject.hpp"

/// What diagnosis knows of the functions that keep and read a ring (exercise 11).
namespace headway::diagnosis {

Function make_ring_in_diagnosis();
Function ring_append_in_diagnosis();
Function ring_decode_in_diagnosis();

}  // namespace headway::diagnosis
