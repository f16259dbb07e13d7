#pragma once

#include <string>

// The explorer's model as its page talks to it: text in, text out.
namespace headway::explorer {

/// The mistakes that the model can make, as the grader words them:
/// [{"id", "decision", "stage", "title", "right", "symptom", "question"}]
std::string catalogue();

/// @param question  {"tokens": [...], "D": 6, "H": 2, "numbers": "lesson" or "random",
///                   "blocking": "nothing", "future" or "last_token", "mistakes": [ids]}
/// @return {"stages": [{"id", "shape", "numbers"}], "stopped_at", "because"}, or {"refused": a sentence}.
///         What is not finite stands as "nan", "inf" or "-inf".
std::string answer(const std::string& question);

}  // namespace headway::explorer
