#pragma once

#include "build/diagnostics.hpp"
#include "build/source_lines.hpp"
#include "build/toolchain.hpp"
#include "submission/submission.hpp"

#include "sandbox/jail.hpp"
#include "sandbox/parcel.hpp"
#include "verdict/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace headway::build {

/// A program built from a submission, or why there is none.
struct Built {
    std::optional<std::filesystem::path> program;
    verdict::Compilation build;
};

/// What compiling and linking has taken of its time: all files of an exercise in all builds, which may run at once.
class CompileTime {
public:
    /// For one run: at least a second, since what is up to date needs no run, and the next one is told that it took too
    /// long.
    std::chrono::seconds next_run(const sandbox::Policy::Compiler& most) const {
        const auto left =
            most.all_cpu - std::chrono::duration_cast<std::chrono::seconds>(std::chrono::nanoseconds(spent_));
        return std::clamp(left, std::chrono::seconds(1), most.cpu);
    }
    void spend(std::chrono::nanoseconds time) { spent_ += time.count(); }

private:
    std::atomic<std::int64_t> spent_{0};  ///< nanoseconds
};

/// Turns one exercise's submission into programs, in a folder of its own that is kept between runs: a file that has
/// not changed is not compiled again.
class Workspace {
public:
    /// Copies the sources to `folder`/src. @throws std::runtime_error if it cannot be written
    Workspace(const Toolchain& toolchain, const sandbox::Jail& jail, Submission submission,
              std::filesystem::path folder);

    /// The worker: submission + dispatcher. Safe to call for both builds at the same time.
    Built build_worker(Build build);

    /// Where build_worker() puts it.
    std::filesystem::path worker(Build build) const;

    /// Where build_worker()'s program threw, by addresses that it told. addr2line reads the program in the compiler's
    /// jail.
    std::vector<std::optional<ThrowSite>> throw_sites(Build build, const std::vector<WayToThrow>& ways) const;

    /// Functions of libraries and of the course that the submission defines itself, in what build_worker() compiled.
    std::vector<std::string> own_library_functions(Build build) const;

    /// A worker that is not optimised, so that a debugger shows every variable.
    Built build_worker_to_debug(Build build);

    /// A worker that counts which lines are run, and hands out the counts as a parcel when it ends. Needs g++ and a
    /// jail.
    Built build_worker_with_counters();
    /// Hands over gcov's document for each of the files of such a parcel, one after the other: each may take ten times
    /// as much memory as its text. gcov reads the files in the compiler's jail.
    void read_counts(const sandbox::Parcel& parcel, const std::function<void(const nlohmann::json&)>& use) const;

    /// The submission's object files, or why there are none.
    struct Objects {
        Words files;
        std::optional<verdict::Compilation> problem;
        std::vector<verdict::CompilerMessage> warnings;
        double seconds = 0;
    };

    /// Optimised as a program of one's own would be: for a lab.
    Objects compile_for_lab();
    /// The lab's program, in this workspace. @param objects  of all exercises that the lab needs
    Built link_lab(const LabParts& lab, const Objects& objects);

    /// The submission with the course's visible test, and the replays beside it, under gdb if one likes.
    Built build_visible_test(const std::filesystem::path& visible_test, const std::filesystem::path& replays);

    const Submission& submission() const { return submission_; }

private:
    void write_sources() const;
    /// What debuggers and reports say instead of `folder`/src.
    Words sources_shown_in(const std::filesystem::path& folder) const;
    Built build_special_worker(const std::filesystem::path& output, Build build, const Words& more_options,
                               const Words& link_options);
    /// What a tool leaves behind: at most one file, or the files of Jail::parcel_place().
    enum class Leaves { a_file, a_parcel };
    /// What it means that somebody else ended a tool. A list of names is only words: without it less is said.
    enum class Killed { is_trouble, is_no_list };
    /// Runs a tool of the toolchain on the submission, jailed. @param product  what it writes; empty: nothing
    sandbox::Finished run_tool(Words arguments, const Words& readable, const std::filesystem::path& product,
                               std::size_t most_output, Leaves leaves = Leaves::a_file,
                               Killed killed = Killed::is_trouble) const;
    Objects compile_with_counters(const std::filesystem::path& output);
    /// Where a compiler names no line of the submission's: whether it makes a program of nothing, in this `folder`.
    /// @throws std::runtime_error if not: the machine, or the course, is at fault
    void require_compiler(const std::filesystem::path& folder) const;
    /// @throws std::runtime_error, which says `otherwise`, if this text does not compile in `folder`
    void require_known_good(const std::filesystem::path& folder, const std::string& text, const Words& options,
                            const Words& readable, const std::string& otherwise) const;
    /// What nm says of the functions that the objects define.
    sandbox::Finished list_functions(const Words& options, const Words& objects) const;
    std::filesystem::path course_root() const;
    NamesForStudent names_for_student() const;
    enum class Warnings { silent, told };
    Objects compile(const std::filesystem::path& output, Build build, const Words& options,
                    Warnings warnings = Warnings::silent);
    /// What the compiler said of a file that it compiled, or why it did not.
    struct Compiled {
        std::string words;
        std::optional<verdict::Compilation> problem;
    };
    Compiled compile_file(const SourceFile& source, const std::filesystem::path& object, Build build,
                          const Words& options, Warnings warnings);
    Built link(const std::filesystem::path& program, const Objects& objects, const Words& inputs, const Words& options,
               Build build);

    const Toolchain& toolchain_;
    const sandbox::Jail& jail_;
    Submission submission_;
    const PerBuild<Words>& prelude_;
    std::filesystem::path folder_;
    std::shared_ptr<CompileTime> time_ = std::make_shared<CompileTime>();
};

}  // namespace headway::build
