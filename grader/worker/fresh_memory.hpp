#pragma once

#include <cstdint>
#include <vector>

namespace headway::worker {

/// Counts what `new[]` gives from now on, the numbers of a tensor among it, and fills it: with one pattern before the
/// memory of number `split`, with another from there on. So the judge finds the memory whose first content shows in an
/// answer. Costs a look at a flag before the first call. Not in the sanitized build, whose `new[]` is the sanitizer's.
void mark_fresh_memory(std::int64_t split);

/// How much `new[]` has given since then; and then who asked for number `split`, as OwnCalls are.
std::vector<std::int64_t> fresh_memory();

}  // namespace headway::worker
