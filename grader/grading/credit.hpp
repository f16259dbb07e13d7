#pragma once

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <vector>

/// Whose fault it is that a property does not hold, where functions call one another.
namespace headway::cli {

/// Whether this mistake is made in the function of a property that passed on credit, and not only in the one that it
/// was given.
bool lies_in_its_function(const verdict::NamedMistake& mistake, const verdict::Test& test);

/// Whether a property that passed on credit states what this mistake gets wrong in the property's own function.
bool breaks(const verdict::NamedMistake& mistake, const verdict::Test& test);

/// What passed on credit fails after all if a mistake that has a name breaks it. What else passed on credit keeps its
/// points, and no failure. A call that never came back says nothing of its own function where the mistake lies in
/// another one that it calls: that depends on the other one. So does a call that throws or ends the program on what
/// the student's own make_… made, where that is wrong and nothing is found wrong in the function that was called. A
/// function that the diagnosis leaves to others depends on an earlier one that is wrong where both throw at one line. A
/// function without a name of which properties hold on credit, and none fails, is left unjudged: it may be wrong in
/// nothing but what it was given. Of a function that fails a test of its own it is not said that it is right given the
/// others. Where what depends on a function, or is right given it, names one in which nothing is wrong, the one with a
/// mistake that its tests called before takes its place.
void settle_credit(verdict::Exercise& exercise);

/// What failed at a line that stands in another of the exercise's functions says nothing of its own: that depends on
/// the other one. The lines are a submission's word, and no point depends on them: both ways it has none.
void settle_places(std::vector<verdict::Test>& tests, const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
