#pragma once

#include "cli/watch/file_changes.hpp"
#include "grading/course.hpp"
#include "grading/grading.hpp"
#include "terminal/exit_status.hpp"

#include "report/lesson_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::cli {

struct GradeArguments {
    std::vector<std::string> exercises;  ///< numbers or names; none: all
    std::string submission;              ///< empty: exercises/
    std::optional<std::string> json;
    std::optional<std::string> junit;
    std::optional<std::string> html;
    std::optional<std::string> gradescope;
    std::string visible = "visible";          ///< to whom Gradescope shows the tests
    std::string class_toml;                   ///< what exercises count on Gradescope; empty: 10 points each
    std::optional<std::string> code_quality;  ///< GitLab's
    std::optional<std::string> sarif;
    bool github = false;
    std::uint64_t seed = default_seed;
    std::optional<std::string> seed_file;  ///< goes before `seed`
    bool again = false;
    bool verbose = false;
    bool unsafe = false;
};

/// Whether the solution may be seen before the student's own passes.
enum class Reveal { if_passed, in_any_case };

enum class ReadWhere { terminal, browser };

int run_grade(const Course& course, const GradeArguments& arguments);
int run_status(const Course& course);
/// @param number  "00", or that of an exercise; empty: the lesson to read next
int run_lesson(const Course& course, const std::string& number, report::Answers answers, ReadWhere where);
int run_watch(const Course& course, const std::string& exercise, Notice notice);
int run_hint(const Course& course, const std::string& exercise, int level);
/// Whose code a visible test is tried on.
enum class TryCode { own, reference };
int run_try(const Course& course, const std::string& exercise, TryCode code, bool build_only,
            const std::vector<std::string>& test_arguments);
/// Whether this is the course whole, or the student's edition, which lacks what is secret or large.
bool is_full_edition();
/// The labs, if `arguments` are empty; else the lab of that name, with what follows.
int run_lab(const Course& course, const std::vector<std::string>& arguments);
int run_reset(const Course& course, const std::string& exercise);
int run_undo_reset(const Course& course, const std::string& exercise);
int run_diff(const Course& course, const std::string& exercise, Reveal reveal);
/// Right programs in other styles.
int run_others(const Course& course, const std::string& exercise, Reveal reveal);
int run_pack(const Course& course, const std::vector<std::string>& exercises, const std::string& file);
/// gdb itself, the command that starts it, or a test that asks the same.
enum class DebugAs { session, command, test };
int run_debug(const Course& course, const std::string& exercise, const std::string& test_name, DebugAs as);
/// What holds here while a submission runs. @param close  first close the course's secrets to other users
int run_protections(const Course& course, bool close);

}  // namespace headway::cli
