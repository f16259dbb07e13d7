#pragma once

#include <string>

#include "verdict/verdict.hpp"

/// What is said of a verdict's parts, whatever shows it.
namespace headway::report {

/// The failure's message; for one that came without, what kind it is.
std::string message_of(const verdict::Failure& failure);

/// "stage scale of attention_scores, 9 of 210 elements differ"
std::string circumstances(const verdict::Failure& failure);

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

/// The property, and what stands in the way of seeing it.
std::string property_of(const verdict::Test& test);

/// Of a function that cannot be judged yet.
std::string waits_for_others(const verdict::FunctionDiagnosis& function);

/// "explains all 27 answers of attention_scores, of which 24 are wrong"
std::string evidence(const verdict::FunctionDiagnosis& function);

/// Nothing if it is not among the functions diagnosed.
const verdict::FunctionDiagnosis* diagnosis_of(const verdict::Diagnosis& diagnosis, const std::string& function);

}  // namespace headway::report
