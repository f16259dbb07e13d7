#pragma once

#include "diagnosis/asking.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// Says that other memory changes an answer. Where in all such answers only the numbers at the end of one axis are not
/// written, it says which, for the largest answer: "in the result, along its last axis numbers 6 to 9 of the 10 are
/// what memory held before"; such words end with verdict::end_is_never_written. In smaller answers other rows, or all,
/// may be unwritten as well.
/// @param filled  by a worker of whose memory every byte was 0xfe
/// @param refilled  the same answers by one of whose memory every byte was 0x55
std::string what_other_memory_changes(const std::vector<Reply>& filled, const std::vector<Reply>& refilled);

}  // namespace headway::diagnosis
