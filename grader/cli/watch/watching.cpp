#include "cli/watch/watching.hpp"

#include "cli/commands.hpp"
#include "cli/hint.hpp"
#include "cli/lesson.hpp"
#include "grading/grading.hpp"
#include "grading/progress.hpp"
#include "terminal/console.hpp"

#include "report/terminal.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace headway::cli {
namespace {

report::TerminalStyle screen_style() {
    report::TerminalStyle style = terminal_style();
    style.has_keys = true;
    return style;
}

namespace fs = std::filesystem;

std::vector<fs::path> folders_of(const Course& course) {
    std::vector<fs::path> folders;
    for (const ExerciseInfo& info : course.exercises) folders.push_back(course.folder(info));
    return folders;
}

/// An editor saves several files, or one in several steps.
constexpr int settling_in_ms = 40;

}  // namespace

Watching::Watching(const Course& course, const ExerciseInfo& first, Notice notice)
    : course_(course), shown_(&first), changes_(folders_of(course), notice) {}

void Watching::run() {
    grade({shown_});
    while (true) {
        if (on_result_) show_result();  // anew: the terminal may have another width
        draw();
        wait();
        if (interrupts_.asked_to_stop()) break;
        take_result();
        notice_changes();
        bool quit = false;
        for (char key = screen_.key(); key != Screen::none && !quit; key = screen_.key())
            quit = handle_key(key) == Go::away;
        if (quit) break;
    }
    if (!grading_.valid()) return;
    screen_.leave();         // waiting for a compiler would keep the student from leaving
    std::_Exit(all_passed);  // and what still runs dies with us
}

void Watching::wait() const {
    std::array<pollfd, 3> sources = {
        {{STDIN_FILENO, POLLIN, 0}, {interrupts_.descriptor(), POLLIN, 0}, {changes_.descriptor(), POLLIN, 0}}};
    const bool polling = changes_.notice() == Notice::polling;
    ::poll(sources.data(), sources.size(), polling || grading_.valid() ? FileChanges::patience_in_ms : -1);
    if ((sources.back().revents & POLLIN) != 0) ::poll(nullptr, 0, settling_in_ms);
}

void Watching::notice_changes() {
    std::vector<const ExerciseInfo*> changed;
    for (const fs::path& folder : changes_.take())
        for (const ExerciseInfo& info : course_.exercises)
            if (course_.folder(info) == folder) changed.push_back(&info);
    if (!changed.empty()) grade(std::move(changed));
}

void Watching::grade(std::vector<const ExerciseInfo*> exercises) {
    if (grading_.valid()) {
        for (const ExerciseInfo* exercise : exercises)
            if (std::find(waiting_.begin(), waiting_.end(), exercise) == waiting_.end()) waiting_.push_back(exercise);
        return;
    }
    if (std::find(exercises.begin(), exercises.end(), shown_) == exercises.end()) shown_ = exercises.front();
    GradingOptions options;
    options.submission = course_.root / "exercises";
    options.exercises = std::move(exercises);
    options.seed = default_seed;
    options.tell = course_.tell;
    options.progress = [this](const std::string& step) {
        {
            const std::lock_guard lock(step_mutex_);
            step_ = step;
        }
        interrupts_.wake();
    };
    grading_ = std::async(std::launch::async, [this, options = std::move(options)] {
        verdict::Verdict verdict = headway::cli::grade(course_, options);
        verdict.submission = "exercises";
        interrupts_.wake();
        return verdict;
    });
}

void Watching::take_result() {
    if (!grading_.valid() || grading_.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) return;
    verdict_ = grading_.get();
    {
        const std::lock_guard lock(step_mutex_);
        step_.clear();
    }
    try {
        record_progress(course_, *verdict_);
        top_ = 0;
        show_result();
    } catch (const std::exception& error) {
        show(error.what());
    }
    if (!waiting_.empty()) grade(std::exchange(waiting_, {}));
}

void Watching::show_result() {
    if (verdict_) text_ = report::render(*verdict_, screen_style());
    on_result_ = true;
}

void Watching::show(const std::string& text) {
    text_ = text;
    top_ = 0;
    on_result_ = false;
}

Watching::Go Watching::handle_key(char key) {
    const auto page = static_cast<std::ptrdiff_t>(screen_.rows()) - 3;
    switch (key) {
        case 'q':
            return Go::away;
        case 'h':
            show(next_hint(course_, *shown_, 0, screen_style()));
            break;
        case 'l':
            show(lesson_text(course_, *shown_, report::Answers::hidden, screen_style()));
            break;
        case 'n':
            next_exercise();
            break;
        case Screen::up:
            scroll(-1);
            break;
        case Screen::down:
            scroll(1);
            break;
        case Screen::page_up:
            scroll(-page);
            break;
        case Screen::page_down:
            scroll(page);
            break;
        default:  // back
            top_ = 0;
            show_result();
            break;
    }
    return Go::on;
}

/// The next in the course's order that has not passed, after the last from the beginning.
void Watching::next_exercise() {
    const auto exercises = standing(course_);
    const auto here = static_cast<std::size_t>(shown_ - course_.exercises.data());
    for (std::size_t i = 1; i < exercises.size(); ++i) {
        const std::size_t candidate = (here + i) % exercises.size();
        if (exercises[candidate].state == verdict::State::passed) continue;
        shown_ = &course_.exercises[candidate];
        verdict_.reset();
        show("");
        on_result_ = true;
        grade({shown_});
        return;
    }
    show("There is no other exercise that has not passed.\n");
}

void Watching::scroll(std::ptrdiff_t lines) {
    const auto all = std::count(text_.begin(), text_.end(), '\n');
    const auto last = std::max<std::ptrdiff_t>(0, all - static_cast<std::ptrdiff_t>(screen_.rows()) + 2);
    top_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(top_) + lines, 0, last));
}

std::string Watching::step() const {
    const std::lock_guard lock(step_mutex_);
    if (grading_.valid()) return step_.empty() ? "grading" : step_;
    return on_result_ ? "save a file to grade it again" : "any other key: back to the result";
}

std::string Watching::footer() const {
    report::Page page(screen_style());
    const auto all = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
    const std::string more = all > top_ + screen_.rows() - 1 ? "  ↓ more" : "";
    page.line(0, {{shown_->number, report::Tone::strong},
                  {"  h hint  l lesson  n next  q quit" + more, report::Tone::strong},
                  {"  " + step(), report::Tone::faint}});
    std::string line = page.take();
    line.pop_back();  // its line end would scroll the screen
    return line;
}

void Watching::draw() const { screen_.draw(text_, top_, footer()); }

}  // namespace headway::cli
