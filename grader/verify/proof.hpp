#pragma once

#include "grading/course.hpp"
#include "grading/judge.hpp"
#include "verify/alike.hpp"
#include "verify/mutants.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The course's proof of itself: what must be not started, right or wrong is graded, and every surprise is a gap.
namespace headway::cli {

enum class Kind { stub, solution, mutant, accepted };

/// How often the questions of the diagnosis are drawn, for each build.
struct Draws {
    int plain = 0;
    int sanitized = 0;
};

/// One submission whose verdict is known beforehand.
struct Specimen {
    Kind kind = Kind::mutant;
    const ExerciseInfo* exercise = nullptr;
    std::string name;                  ///< "scale_by_sqrt_model_width"
    std::filesystem::path submission;  ///< the folder that holds the exercise's folder
    Mutant mutant;                     ///< what is known of it, if it is one
    bool is_diagnosed = true;          ///< whether failed submissions of its exercise are
    bool is_near_copy = false;         ///< a whole program that is nearly another one
    bool sanitized = true;             ///< whether it is graded in the sanitized build, too
    Draws draws;                       ///< of the questions of the diagnosis, which are then asked of it one by one
    verdict::Exercise verdict;
    Shown shown;                     ///< what may tell it from others
    std::vector<AskedSweep> sweeps;  ///< of a solution: what its functions are asked in turn
    std::string gap;                 ///< what is not as it should be; empty if all is

    /// The mistakes that were named, without repetition.
    std::vector<std::string> named() const;
    bool named_as_expected() const;
    /// Whether the diagnosis says so of what is wrong.
    bool explains_all() const { return verdict.diagnosis && verdict.diagnosis->complete; }
    int cost() const { return verdict.max_points - verdict.points; }
    /// The first property that broke, or what kept it from being built.
    std::string first_failed() const;
};

struct ExerciseProof {
    const ExerciseInfo* info = nullptr;
    int points = 0;                       ///< that the hidden tests add up to
    std::optional<std::size_t> distinct;  ///< mutants that differ from each other in what they show; none were compared
    std::vector<Specimen> specimens;
};

/// A mistake of the catalogue, and the mutants that make it.
struct EntryProof {
    std::string id;
    int mutants = 0;
    int whole = 0;  ///< mutants that are programs of their own, and not nearly another one
    int caught = 0;
    int named = 0;
};

struct Proof {
    std::vector<ExerciseProof> exercises;
    std::vector<EntryProof> catalogue;
    std::vector<std::string> gaps;
};

/// More than this many of 10 points for a single mistake needs a written reason.
inline constexpr int most_points_per_mistake = 4;

/// What is told while it goes on.
struct Told {
    std::function<void(const std::string&)> step;
    std::function<void(const std::string&)> gap;  ///< as soon as it is found: a proof takes long, and may be ended
};

/// What of the mutants is graded, and how.
struct Extent {
    /// Also those that are marked as extended, all in both builds, and compared with each other. Otherwise accepted
    /// variants, and mutants that do not need the sanitizer, are built without: more than half of the time goes into
    /// that.
    bool whole = true;
    int every = 1;            ///< of the mutants, in the order of their names, one in so many
    int first = 0;            ///< which of these shares, from 0
    int sanitized_every = 1;  ///< of the whole, those that are built in both builds without needing the sanitizer
};

/// The mutants that it covers, in the order of their names.
std::vector<const Mutant*> covered(const Mutants& mutants, const Extent& extent);

Proof prove(const Course& course, const std::vector<const ExerciseInfo*>& exercises, std::uint64_t seed,
            const Extent& extent, const Told& told);

/// Of each exercise the solution alone, and what it is asked.
std::vector<ExerciseProof> examine_solutions(const Course& course, const std::vector<const ExerciseInfo*>& exercises,
                                             std::uint64_t seed, const Told& told);

}  // namespace headway::cli
