#pragma once

#include "cli/watch/file_changes.hpp"
#include "cli/watch/interrupts.hpp"
#include "cli/watch/screen.hpp"
#include "grading/course.hpp"

#include "verdict/verdict.hpp"

#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headway::cli {

/// One exercise on the screen, graded whenever a file of the student's is saved. It stays there until the student asks
/// for the next one, or saves another.
class Watching {
public:
    Watching(const Course& course, const ExerciseInfo& first, Notice notice);

    /// Until the student quits.
    void run();

private:
    enum class Go { on, away };

    void wait() const;
    Go handle_key(char key);
    void notice_changes();
    void grade(std::vector<const ExerciseInfo*> exercises);
    void take_result();
    void show_result();
    void show(const std::string& text);
    void next_exercise();
    void scroll(std::ptrdiff_t lines);
    void draw() const;
    std::string footer() const;
    std::string step() const;

    const Course& course_;
    const ExerciseInfo* shown_;
    std::optional<verdict::Verdict> verdict_;
    std::future<verdict::Verdict> grading_;
    std::vector<const ExerciseInfo*> waiting_;  ///< changed while a grading ran
    std::string text_;
    std::size_t top_ = 0;
    bool on_result_ = true;  ///< not on a hint or lesson

    mutable std::mutex step_mutex_;
    std::string step_;  ///< what the grading is doing

    Interrupts interrupts_;
    FileChanges changes_;
    Screen screen_;  // the last: whatever fails before leaves the terminal alone
};

}  // namespace headway::cli
