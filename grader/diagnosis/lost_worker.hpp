#pragma once

#include "diagnosis/asking.hpp"
#include "diagnosis/conditions.hpp"
#include "diagnosis/examination.hpp"

#include <string>
#include <vector>

/// What it says of a function that a question got no answer.
namespace headway::diagnosis {

bool is_timeout(const Reply& reply);

/// Which mistake of the catalogue a lost worker or a sanitizer report stands for; empty if none.
std::string mistake_behind(const verdict::Failure& failure);

/// Whether some question ended it in a way that no mistake of the catalogue stands for: abort(), exit(), too much
/// memory or output. That is a mistake of its own, though whatever it answers is right.
bool fails_without_a_name(const Function& function, const Findings& findings);

/// Whether a mistake is named for which there is no room on the stack.
bool uses_up_the_stack(const Findings& findings);

/// Mistakes found beside another one that leads to them.
std::vector<const char*> consequences(const Findings& findings);

/// Of what is used at an address near 0.
inline constexpr const char* points_nowhere = "null_pointer_followed";

/// Calls where an answer is due: those that a pointer to nowhere ended, and the others.
class EndedCalls {
public:
    void add(const judge::Arguments& arguments, const Reply& reply);
    /// What was left out in all that ended and in none of the others: "it ends where the cache holds nothing yet: of
    /// the calls that we tried again, in all 2 such, and in none of the 5 others". Empty if nothing, if several things,
    /// or if few calls say so.
    std::string where() const;

private:
    std::vector<Facts> ended_, others_;
};

/// Time or stack are used up, either after seconds.
bool comes_to_no_end(const Reply& reply);

}  // namespace headway::diagnosis
