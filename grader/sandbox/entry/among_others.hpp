#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

/// What a program could try in the weaker jail, where it is a process among all others, in the file system of all.
/// Each function says what was possible; empty: nothing.
namespace entry::among_others {

struct Surroundings {
    pid_t grader = 0;
    bool landlock = false;            ///< whether there is to be a rule for files
    std::vector<std::string> closed;  ///< what no submission may read or change
    std::vector<std::string> kept;    ///< what none may change
};

std::string host_files(const Surroundings& around);
std::string closed_files(const Surroundings& around);
std::string writable_files(const Surroundings& around);
std::string large_folder(const Surroundings& around);
std::string other_processes(const Surroundings& around);
std::string letter_boxes(const Surroundings& around);
std::string network();
std::string new_privileges();

/// A process that leaves its session, lets go of all that it was given, and stays. @return its number
pid_t leave_a_daemon();

}  // namespace entry::among_others
