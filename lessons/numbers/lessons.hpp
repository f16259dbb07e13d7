#pragma once

#include "blocks.hpp"

#include <vector>

namespace headway::lessons {

/// What a lesson shows, computed by the functions that its exercise asks for.
using Lesson = void (*)(Blocks&);

/// Every lesson that has announced itself.
std::vector<Lesson>& all_lessons();

/// Announces a lesson before main, as each file of a lesson does: `const Announced announced{&scaled_scores};`
struct Announced {
    explicit Announced(Lesson lesson) { all_lessons().push_back(lesson); }
};

}  // namespace headway::lessons
