#pragma once

#include "gradebook/database.hpp"

#include "intake/hand_in.hpp"
#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// What is known of a class: who handed in what, what came of it, and what was changed by hand. One SQLite file, whose
/// tables are described in schema.cpp. Nothing in it is ever overwritten, and nothing deleted but a person whom
/// forget() is asked to; marks are not in it, see marks.hpp.
namespace headway::gradebook {

/// Tests, compiler, seed and policy as they were when marks were last agreed on.
struct Edition {
    std::int64_t id = 0;
    std::uint64_t seed = 0;
    std::string policy;                         ///< the text of class.toml
    std::map<std::string, std::string> suites;  ///< exercise -> digest of what it is judged with

    /// What the course had then: what came to it later does not count in this edition.
    std::vector<std::string> exercises() const;
    bool operator==(const Edition&) const = default;
};

/// What one student handed in at one time.
struct Attempt {
    std::int64_t id = 0;
    std::string student;
    std::string entry;                     ///< the file or folder it came as
    std::optional<std::string> submitted;  ///< ISO 8601, UTC: a person's last word, else a platform's
    std::string note;
    std::string problem;                         ///< why it could not be read
    std::map<std::string, std::string> sources;  ///< exercise -> digest of its files
    std::string recorded = {};                   ///< when it came into the gradebook; of a new one, empty: now
    intake::TimeFrom time_from = intake::TimeFrom::platform;  ///< of a new one
    std::string why_this_time = {};  ///< reason and author, where somebody has said it of this attempt alone
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

/// Who decides, and why.
struct DecidedBy {
    std::string author;
    std::string reason;
};

/// What a person has decided about an attempt or a mark. Of two about the same, the later holds.
struct Decision {
    enum class Kind {
        remove,   ///< an attempt, or a student with everything of theirs, counts no more
        restore,  ///< and again
        pin,      ///< this attempt counts for an exercise, whatever the policy would choose
        unpin,    ///< an exercise, or all of them
        set,      ///< a mark is this many points, whatever it would be
        unset,
    };
    Kind kind = Kind::remove;
    std::string student;
    std::optional<std::int64_t> attempt;
    std::string exercise;  ///< of set and unset, empty is the total
    double points = 0;     ///< of set
    std::string author;
    std::string reason;
    std::string made;
};
std::string to_string(Decision::Kind kind);

class Gradebook {
public:
    /// Opens a gradebook, of an earlier version too, after a copy was made of it (see backup()); makes one where there
    /// is none and it may be written.
    Gradebook(const std::filesystem::path& file, Access access);

    /// The edition that marks follow; none in a new gradebook.
    std::optional<Edition> current() const;
    /// A proposal: marks do not follow it until it is applied. One that is equal is used again.
    Edition propose(Edition edition);
    void apply(const Edition& edition);
    /// The edition that marks followed before; none before the first regrade.
    std::optional<Edition> previous() const;
    /// Marks follow that again. @return it; nothing, if there is none
    std::optional<Edition> undo();

    enum class Recorded {
        anew,
        unchanged,
        timed,    ///< known, but not when it was handed in
        retimed,  ///< known, and another time was said before
    };
    /// What was recorded last of a student is no new attempt when it comes once more: its time is that attempt's. It is
    /// one again if it was handed in after it was recorded, or at another time than its platform said before. Nor is
    /// what was handed in earlier and comes again with the same time: that is an old export.
    Recorded record(const Attempt& attempt, const std::vector<build::Submission>& sources);
    std::vector<Attempt> attempts() const;
    /// When the attempt that was recorded last of each student was handed in, as a person says; all of it or nothing.
    /// @return who had another time before, or none
    /// @throws std::runtime_error naming the students without any attempt, and those recorded before that time
    std::vector<std::string> say_times(const std::map<std::string, std::string>& times);
    /// When one attempt was handed in, be it the last or not.
    /// @throws std::runtime_error if it was recorded before that time
    void set_time(const Attempt& attempt, const std::string& time, const DecidedBy& by);
    /// What a person said of it last holds no more, and what was said before does again.
    /// @return false where no person has said anything that holds
    bool unset_time(const Attempt& attempt, const DecidedBy& by);

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
    /// By source. One whose row is damaged has none, as if it were not graded: class grade does it again.
    std::map<std::string, Score> scores(const Edition& edition) const;

    void adjust(const Adjustment& adjustment);
    std::vector<Adjustment> adjustments() const;
    /// All of them or none.
    void decide(const std::vector<Decision>& decisions);
    std::vector<Decision> decisions() const;

    /// Deletes all that is known of a student, and what was handed in by nobody else, for good.
    /// @return how many attempts these were
    std::size_t forget(const std::string& student);

    /// A copy of the whole, beside it, as gradebook.sqlite.before-WHAT. One that is there stays. @return its name
    std::filesystem::path backup(const std::string& what) const;

private:
    /// Something that a student handed in, as far as record() asks.
    struct Known {
        std::int64_t id = 0;
        std::string content;
        std::string recorded;
        std::optional<std::string> submitted;
        std::set<std::string> by_platform;  ///< times

        bool was_at_that_time(const Attempt& attempt, const std::string& of_attempt) const;
        bool is_still_there(const Attempt& attempt, const std::string& of_attempt) const;
    };

    Edition edition(Statement& row) const;
    /// In force before so many others; 0: now.
    std::optional<Edition> applied(std::int64_t others) const;
    bool has(const build::Submission& source, const std::string& digest) const;
    void write(const build::Submission& source, const std::string& digest);
    void insert(const Attempt& attempt, const std::string& content);
    /// In the order in which they were recorded.
    std::vector<Known> known_of(const std::string& student) const;
    Recorded say_time(const Known& known, const std::string& time, intake::TimeFrom from);

    Database database_;
};

}  // namespace headway::gradebook
