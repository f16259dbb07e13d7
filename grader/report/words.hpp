#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/verdict.hpp"

/// What is said of a verdict's parts, whatever shows it.
namespace headway::report {

/// The failure's message; for one that came without, what kind it is.
std::string message_of(const verdict::Failure& failure);

/// The same without its pattern, which stands on a line of its own where there is room: no exception said that.
std::string own_message_of(const verdict::Failure& failure);

/// "stage scale of attention_scores, 9 of 210 elements differ"
std::string circumstances(const verdict::Failure& failure);

/// "at merge_heads.cpp:41:   return context.view({B, T, D});"; `name` is how the view calls the file.
std::string line_text(const verdict::SourceLine& at, const std::string& name);

/// "your attend gets there at attend.cpp:9:   return context(q);" where it failed in another function; else empty.
std::string way_text(const verdict::Failure& failure, const std::string& name);

/// "[b=1, h=2]", kept on one line
std::string coordinate_text(const verdict::Worst& worst);

/// "largest difference at [b=1]:", "yours 0.2, expected 0.3 (tolerance 1e-6)"
struct WorstInWords {
    std::string where;
    std::string what;
};
WorstInWords in_words(const verdict::Worst& worst);

/// "it does not compile"
std::string problem_in_words(verdict::BuildProblem problem);

inline constexpr std::string_view warnings_headline = "The compiler warns (a warning costs no point):";

/// What the test printed, without a sanitizer's report, which its failure tells.
std::string printed_by(const verdict::Test& test);

/// "not written yet: f", or, where code is there and a stub's throw beside it, "f still throws NotImplemented at
/// f.cpp:27" and what to do.
std::string unwritten(const verdict::Test& test);

/// What a test depends on, or is right given what it answers: "append", "append and decoding_mask".
std::string wrong_functions_of(const verdict::Test& test);

/// The property, and what stands in the way of seeing it.
std::string property_of(const verdict::Test& test);

/// "fits all 27 answers of attention_scores that we saw; 24 of them are wrong"; of those alone that the mistakes
/// predict, where they leave others open; "fits all 15 answers of nothing_seen to questions of our own" where the calls
/// of hidden tests are not among them
std::string evidence(const verdict::FunctionDiagnosis& function);

/// Where the submission defines it, if that is known.
std::optional<verdict::SourceLine> definition_of(const verdict::Exercise& exercise, const std::string& function);

/// "why it matters:"; of a mistake beside another in the same function what it says holds of it alone.
std::string_view before_symptom(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake);

/// Whether the diagnosis ended before it had looked at every function, and what is said then.
bool is_out_of_time(const verdict::Exercise& exercise);
inline constexpr const char* not_looked_at = "Headway's time was up before it had looked at every function";

/// What is known of a function that is wrong in a way without a name: for which sizes, what it should have refused, or
/// that nothing is.
std::string unnamed_in_words(const verdict::Exercise& exercise, const std::string& function);

/// What is seen of it, but for what that title says already.
std::vector<std::string> sentences_below(const std::string& title, const verdict::FunctionDiagnosis& function);

/// Nothing if it is not among the functions diagnosed.
const verdict::FunctionDiagnosis* diagnosis_of(const verdict::Diagnosis& diagnosis, const std::string& function);

/// The functions in which a mistake shows: those that have it, those that are right given the student's own earlier
/// ones, or those that have it from these and fail a test, or have another.
enum class Whose { their_own, of_earlier_ones, inherited };
/// "softmax_rows, attention_weights"
std::string functions_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake, Whose whose);

}  // namespace headway::report
