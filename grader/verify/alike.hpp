#pragma once

#include "grading/judge.hpp"

#include <string>
#include <vector>

/// Which submissions show that they differ.
namespace headway::cli {

/// All that follows from answers, and nothing that depends on how a program is written.
struct Shown {
    std::string outcome;            ///< which hidden tests fail and where, and what the diagnosis found
    std::vector<Answered> answers;  ///< to the questions of the diagnosis
};

/// What a graded submission shows. Where the diagnosis asks nothing, what the hidden tests say in words counts too.
Shown shown_by(const verdict::Exercise& exercise, std::vector<Answered> answers);

/// What it shows before it is asked anything. Words do not count: they may differ where no question does.
Shown shown_unasked(const verdict::Exercise& exercise);

/// Whether nothing tells them apart; numbers may differ by rounding.
bool alike(const Shown& a, const Shown& b);

}  // namespace headway::cli
