#pragma once

#include "diagnosis/asking.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// That other memory changes an answer, in words; and, where in all such answers the numbers at the end of one axis are
/// what memory held and all others are written, which these are in the largest: "numbers 6 to 9 of the 10 along the
/// last axis of the result", which ends as verdict::end_is_never_written does. In shorter ones other rows, or all, may
/// be unwritten as well.
/// @param filled  by a worker of whose memory every byte was 0xfe
/// @param refilled  the same answers by one of whose memory every byte was 0x55
std::string what_other_memory_changes(const std::vector<Reply>& filled, const std::vector<Reply>& refilled);

}  // namespace headway::diagnosis
