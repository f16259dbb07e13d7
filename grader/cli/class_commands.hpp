#pragma once

#include "course.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace headway::cli {

/// What `./headway class ...` was called with.
struct ClassArguments {
    std::string gradebook = "gradebook.sqlite";
    std::optional<std::string> policy;  ///< without: class.toml beside the gradebook, if it is there
    std::string folder;                 ///< of hand-ins, or where to write
    std::string student_id;
    std::optional<std::string> times;
    std::size_t jobs = 0;
    bool unsafe = false;
    bool yes = false;
};

int run_class_grade(const Course& course, const ClassArguments& arguments);

/// The instructor's commands, and what they were called with.
class ClassCommands {
public:
    explicit ClassCommands(CLI::App& app);
    bool chosen() const { return class_->parsed(); }
    int run(const Course& course) const;

private:
    using Action = int (*)(const Course&, const ClassArguments&);
    CLI::App* add(const char* name, const char* description, Action action);
    void add_running_options(CLI::App* command);

    CLI::App* class_;
    ClassArguments arguments_;
    Action action_ = nullptr;
};

}  // namespace headway::cli
