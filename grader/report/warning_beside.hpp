#pragma once

#include <string>

#include "verdict/verdict.hpp"

namespace headway::report {

/// What the compiler warned of where a mistake shows, which is often its cause: beside the line where the program
/// ended, or in its function of a loop without end; and of members' order, where a seed that is drawn from too early is
/// ignored. "the compiler warns at module.cpp:57: …"; empty if there is nothing.
std::string warning_beside(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake);

}  // namespace headway::report
