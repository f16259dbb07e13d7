#pragma once

#include "grading/course.hpp"

#include "build/workspace.hpp"
#include "verdict/verdict.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace headway::cli {

/// What came back from one question of the diagnosis.
struct Answered {
    std::string words;  ///< which function, what kind of answer, with which names and shapes
    std::vector<double> numbers;
    bool is_right = true;  ///< as the model of the exercise has it
};

/// Questions that the hidden tests generate: see judge::Sweep.
struct AskedSweep {
    std::string kind;
    std::string of;
    std::size_t questions = 0;
    std::vector<std::string> functions;
};

/// How the hidden tests ask a program that is right.
struct HowAsked {
    /// In words, those in which more than a quarter of what is compared is compared blindly: see judge::is_blind.
    std::vector<std::string> blind_tests;
    std::vector<AskedSweep> sweeps;
    std::set<std::string> visible_tests;  ///< that are asked: "AttentionScores.AreDividedBySqrtHeadDim"
};

/// The judge, a program of its own, asked about one exercise: a function for each of its verbs (judge/verbs.hpp).
/// All @throw std::runtime_error if it could not judge.
class Judge {
public:
    Judge(const Course& course, const ExerciseInfo& info, std::uint64_t seed)
        : course_(course), exercise_(info.name), seed_(seed) {}

    /// Runs the hidden tests. @param answered_calls  a file for them and their answers, which `diagnose` reads; empty:
    /// none
    std::vector<verdict::Test> test(const std::filesystem::path& worker, build::Build build,
                                    const std::filesystem::path& answered_calls = {}) const;
    /// Runs the hidden tests to count what they run: parcels in `folder`.
    void count(const std::filesystem::path& worker, const std::filesystem::path& folder) const;

    struct Suspect {
        std::filesystem::path plain;
        std::filesystem::path sanitized;       ///< empty: it was built once, and the plain one answers for both
        std::filesystem::path answered_calls;  ///< what `test` left
        std::vector<std::string> hung;         ///< functions that ran into their limit
        std::vector<std::string> told;         ///< what told_in_words() gives
    };
    verdict::Diagnosis diagnose(const Suspect& suspect) const;

    /// What a program answers to the questions of the diagnosis, drawn `count` times; nothing where there are none.
    std::vector<Answered> probe(const std::filesystem::path& worker, build::Build build, int count) const;
    HowAsked how_asked(const std::filesystem::path& worker) const;
    /// Writes the calls of one hidden test to `file`, as frames.
    void record(const std::filesystem::path& worker, build::Build build, const std::string& test,
                const std::filesystem::path& file) const;
    /// Points of all properties.
    int max_points() const;
    /// The hidden tests of a program in which nothing is written yet. None is run.
    std::vector<verdict::Test> not_written() const;
    /// The properties that say which decisions or stages they state, with these.
    std::map<std::string, std::vector<std::string>> stated() const;

private:
    nlohmann::json ask(const std::string& verb, const std::filesystem::path& worker, build::Build build,
                       const std::vector<std::string>& options = {}) const;

    const Course& course_;
    std::string exercise_;
    std::uint64_t seed_;
};

/// What failed tests say in words of their own: "append: k and v have H = 1 where 6 would fit: your append should throw
/// ...". Of a function whose numbers are wrong somewhere nothing is said.
std::vector<std::string> told_in_words(const verdict::Exercise& exercise);

/// Which functions ran into their limit, for a diagnosis that need not wait as long again.
std::vector<std::string> hung_functions(const verdict::Exercise& exercise);

/// The mistakes that have a name, by id.
std::vector<std::string> named_mistakes(const Course& course);

/// The decisions that they are about, and the stages of these.
std::set<std::string> decisions_and_stages(const Course& course);

}  // namespace headway::cli
