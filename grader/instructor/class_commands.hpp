#pragma once

#include "grading/course.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::cli {

/// What `./headway class ...` was called with.
struct ClassArguments {
    std::string gradebook = "gradebook.sqlite";
    std::optional<std::string> policy;  ///< without: class.toml beside the gradebook, if it is there
    std::string folder = "report";      ///< of hand-ins, or where to write
    std::string student_id;
    std::string layout;  ///< of the folder of hand-ins; empty: by the names in it
    std::optional<std::string> times;
    std::string zone;  ///< of times in Moodle's worksheet
    std::size_t jobs = 0;
    std::string engine = "local";  ///< or "slurm"
    std::string partition;
    std::string account;
    std::size_t shard_size = 100;
    std::size_t most_queued = 0;
    unsigned poll_seconds = 10;
    std::vector<std::string> sbatch;
    bool unsafe = false;
    bool yes = false;
    bool undo = false;
    std::optional<std::string> roster;  ///< without: roster.csv beside the gradebook, if it is there
    std::vector<std::string> compare;   ///< folders of hand-ins that a report looks for copies from
    // Of an export.
    std::string format;
    std::string assignment;  ///< what the platform calls it
    bool per_exercise = false;
    std::string visible;  ///< to whom Gradescope shows results
    // Of a decision.
    std::string student;
    std::string exercise;
    std::int64_t attempt = 0;  ///< 0: all of the student's
    std::string time;          ///< of this attempt
    std::optional<double> points;
    std::optional<double> set;
    bool unset = false;
    std::string author;
    std::string reason;
};

int run_class_grade(const Course& course, const ClassArguments& arguments);
int run_class_regrade(const Course& course, const ClassArguments& arguments);
int run_class_times(const Course& course, const ClassArguments& arguments);
int run_class_attempts(const Course& course, const ClassArguments& arguments);
int run_class_adjust(const Course& course, const ClassArguments& arguments);
int run_class_remove(const Course& course, const ClassArguments& arguments);
int run_class_restore(const Course& course, const ClassArguments& arguments);
int run_class_pin(const Course& course, const ClassArguments& arguments);
int run_class_unpin(const Course& course, const ClassArguments& arguments);
int run_class_set_time(const Course& course, const ClassArguments& arguments);
int run_class_unset_time(const Course& course, const ClassArguments& arguments);
int run_class_forget(const Course& course, const ClassArguments& arguments);
int run_class_export(const Course& course, const ClassArguments& arguments);
int run_class_report(const Course& course, const ClassArguments& arguments);
/// What a task of an array job runs.
int run_class_work_shard(const Course& course, const ClassArguments& arguments);

/// The instructor's commands, and what they were called with.
class ClassCommands {
public:
    explicit ClassCommands(CLI::App& app);
    bool chosen() const { return class_->parsed(); }
    int run(const Course& course) const;

private:
    using Action = int (*)(const Course&, const ClassArguments&);
    CLI::App* add(const char* name, const char* description, Action action);
    void add_grade();
    void add_regrade();
    void add_times();
    void add_zone(CLI::App* command);
    void add_attempts();
    void add_adjust();
    void add_removal();
    void add_pins();
    void add_times_of_attempts();
    void add_forget();
    void add_export();
    void add_report();
    void add_work_shard();
    void add_student(CLI::App* command);
    void add_reason(CLI::App* command);
    void add_running_options(CLI::App* command);
    void add_jobs(CLI::App* command);
    void add_roster(CLI::App* command);
    void add_slurm_options(CLI::App* command);

    CLI::App* class_;
    ClassArguments arguments_;
    Action action_ = nullptr;
};

}  // namespace headway::cli
