#pragma once

#include "judge/workshop.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// What the judge can be asked. Each verb answers with one JSON document; all but the last two run a submission.
/// @throws std::runtime_error if it cannot judge
namespace headway::judge {

/// What every verb that runs a submission needs.
struct Case {
    std::string exercise;  ///< "03_scaled_scores"
    std::string worker;    ///< the program
    bool sanitized = false;
    std::uint64_t seed = 1;
    Workshop::Run run;
    bool orderly = false;  ///< workers end by themselves, so that they write what coverage counts
};

/// Runs the hidden tests: an array of tests, as in a verdict.
/// @param answered_calls  a file for the calls that were answered, which `diagnose` reads; empty: none
nlohmann::json test(const Case& asked, const std::filesystem::path& answered_calls);

/// Why the submission is wrong, from answers in both builds: a diagnosis, as in a verdict.
struct DiagnosisOptions {
    std::string sanitized_worker;
    std::filesystem::path answered_calls;  ///< what `test` left
    std::vector<std::string> hung;         ///< functions that ran into their limit in the hidden tests
    std::vector<std::string> told;         ///< "function: what a hidden test says of it in words of its own"
};
nlohmann::json diagnose(const Case& asked, const DiagnosisOptions& options);

/// What the submission answers to the questions of its exercise's diagnosis, drawn `count` times: rows of words, of
/// numbers, and whether that is right. Empty where there is no diagnosis.
nlohmann::json probe(const Case& asked, int count);

/// How many numbers each hidden test compares with what is right, and with how many of these hardly any answer could
/// differ: an array of name, all, blind. For the course's own solutions.
nlohmann::json compare(const Case& asked);

/// Runs one hidden test, and writes what it asks into `file`, as the frames that the worker gets.
nlohmann::json record(const Case& asked, const std::string& test, const std::filesystem::path& file);

/// The properties of an exercise: name, sentence, points.
nlohmann::json list(const std::string& exercise);

/// The mistakes that have a name: id, title, decision.
nlohmann::json catalogue();

}  // namespace headway::judge
