#pragma once

#include "sandbox/process.hpp"

#include <chrono>

/// How a compiler ended, and whose doing that is.
namespace headway::build {

/// Ended by a signal that no limit of ours and no mistake of a compiler's sends, or because the machine's memory was
/// used up: the machine's doing, or of somebody who takes a task back, and no fault of the submission. Only what the
/// kernel says counts. What was printed does not: a source has a say in that.
bool was_killed_from_outside(const sandbox::Finished& finished, std::chrono::seconds cpu);

/// Whether it is worth a second run. Where a driver's own child was killed (cc1plus, ld), the driver tells so in words
/// alone, and exits as after a mistake in the source. A death by the machine does not repeat; words in a source do, and
/// then they are the submission's. So the words decide about a second run, and never about whose fault it is.
bool may_have_been_killed(const sandbox::Finished& finished, std::chrono::seconds cpu);

/// Whether a program that the compiler's driver ran was ended because its time was used up. The driver says of it in
/// words alone that it was ended, and a source can have the same printed (#line, the text of a static_assert): they
/// count only where the kernel has seen that time go.
bool used_up_its_time(const sandbox::Finished& finished, std::chrono::seconds cpu);

}  // namespace headway::build
