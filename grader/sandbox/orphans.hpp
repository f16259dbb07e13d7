#pragma once

#include <sys/types.h>

/// What outlives the program that started it would be left to process 1, which in many containers never looks after it:
/// a class of crashing submissions fills the table of processes.
namespace headway::sandbox {

/// From here on orphans below this process come to it. For programs that start jails.
void adopt_orphans();

/// fork(), of a child that a Process waits for: no orphan.
pid_t fork_own_child();
/// Once it has been waited for.
void forget_own_child(pid_t child);

/// Ends the orphans that came to this process and takes them off the kernel's table; returns when none is left, or
/// after twenty seconds. The keeper of a jail whose judge has died ends its prisoners first. Children that share our
/// session (a pager) are no orphans.
void bury_orphans();

}  // namespace headway::sandbox
