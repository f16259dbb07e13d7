#pragma once

#include "verdict/verdict.hpp"

#include <string>

namespace headway::verdict {

/// How much a verdict tells; the instructor's choice. What is not told is not in the document either.
enum class Tell {
    full,       ///< everything
    diagnosis,  ///< what is wrong and where, but no expected values
    property,   ///< the names of the failed tests
    score,      ///< the points
};

/// @throws std::runtime_error for any other word, listing these
Tell tell_from(const std::string& word);

/// Takes out of the verdict what may not be told. Under `property` and `score` also what the submission printed, since
/// it may have printed its inputs. Compile errors stay: they are about the student's own text.
void withhold(Verdict& verdict, Tell tell);

}  // namespace headway::verdict
