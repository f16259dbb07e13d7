#pragma once

#include "gradebook/database.hpp"

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What is known of a class: who handed in what, what came of it, and what was changed by hand. One SQLite file, whose
/// tables are described in schema.cpp. Nothing in it is ever overwritten; marks are not in it, see marks.hpp.
namespace headway::gradebook {

/// Tests, compiler, seed and policy as they were when marks were last agreed on.
struct Edition {
    std::int64_t id = 0;
    std::uint64_t seed = 0;
    std::string policy;                         ///< the text of class.toml
    std::map<std::string, std::string> suites;  ///< exercise -> digest of what it is judged with

    bool operator==(const Edition&) const = default;
};

/// What one student handed in at one time.
struct Attempt {
    std::int64_t id = 0;
    std::string student;
    std::string entry;                     ///< the file or folder it came as
    std::optional<std::string> submitted;  ///< ISO 8601, UTC
    std::string note;
    std::string problem;                         ///< why it could not be read
    std::map<std::string, std::string> sources;  ///< exercise -> digest of its files
};

/// One thing to grade, for however many students.
struct Job {
    std::string exercise;
    std::string source;
    std::string suite;
    std::int64_t attempt = 0;  ///< the first that holds it
};

/// What grading it gave.
struct Graded {
    verdict::Exercise exercise;
    std::string log;
    std::string graded;  ///< when
};

/// What a mark needs of a verdict.
struct Score {
    verdict::State state = verdict::State::unavailable;
    int points = 0;
    int max_points = 0;
};

struct Adjustment {
    std::string student;
    std::string exercise;  ///< empty: the total
    double points = 0;
    std::string author;
    std::string reason;
    std::string made;
};

class Gradebook {
public:
    /// Opens a gradebook, of an earlier version too; makes one where there is none and it may be written.
    Gradebook(const std::filesystem::path& file, Access access);

    /// The edition that marks follow; none in a new gradebook.
    std::optional<Edition> current() const;
    /// A proposal: marks do not follow it until it is applied. One that is equal is used again.
    Edition propose(Edition edition);
    void apply(const Edition& edition);

    enum class Recorded { anew, unchanged };
    /// A submission that is what the student handed in last is no new attempt.
    Recorded record(const Attempt& attempt, const std::vector<build::Submission>& sources);
    std::vector<Attempt> attempts() const;

    /// Deletes verdicts that a damaged disk has changed, so that they are graded again. @return how many
    std::size_t drop_damaged();
    /// What has no verdict in this edition, as it was handed in, from what comes after `last` on; at most `most`.
    std::vector<Job> pending(const Edition& edition, const Job& last = {}, std::size_t most = all) const;
    std::size_t count_pending(const Edition& edition) const;
    static constexpr std::size_t all = std::numeric_limits<std::int64_t>::max();
    /// @throws std::runtime_error if it is not there as it was handed in
    build::Submission source(const Job& job) const;
    /// @return false where there is a verdict already: that stays
    bool store(const Job& job, const Graded& graded);
    /// All of them in one transaction. @return how many had none
    std::size_t store(const std::vector<std::pair<Job, Graded>>& several);
    void store_outage(const Job& job, const std::string& problem);
    std::optional<Graded> verdict(const std::string& source, const std::string& suite) const;
    /// By source.
    std::map<std::string, Score> scores(const Edition& edition) const;

    void adjust(const Adjustment& adjustment);
    std::vector<Adjustment> adjustments() const;

private:
    Edition edition(Statement& row) const;
    bool has(const build::Submission& source, const std::string& digest) const;
    void write(const build::Submission& source, const std::string& digest);
    bool is_last(const Attempt& attempt, const std::string& content) const;

    Database database_;
};

}  // namespace headway::gradebook
