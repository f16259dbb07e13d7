#include "gradebook/schema.hpp"

#include <fmt/format.h>

#include <iterator>

namespace headway::gradebook {
namespace {

/// Each entry leads from its index to the next version. What has been released is never edited: add an entry.
constexpr const char* migrations[] = {
    // 0 -> 1
    R"sql(
    -- An edition: tests, compiler, seed and policy as they were. Marks follow the newest that is applied.
    CREATE TABLE edition (
        id       INTEGER PRIMARY KEY,
        created  TEXT NOT NULL,           -- ISO 8601, UTC, as all times
        applied  TEXT,                    -- NULL: a proposal of `class regrade`
        seed     TEXT NOT NULL,           -- secret; decimal, since it is unsigned
        policy   TEXT NOT NULL            -- class.toml as it was
    );
    CREATE TABLE suite (                  -- what an exercise is judged with in an edition
        edition  INTEGER NOT NULL REFERENCES edition,
        exercise TEXT NOT NULL,           -- "03_scaled_scores"
        digest   TEXT NOT NULL,           -- sha256 of judge, libraries, compiler, options and seed
        PRIMARY KEY (edition, exercise)
    );
    CREATE TABLE source (                 -- what was handed in for an exercise, stored once
        digest   TEXT PRIMARY KEY,        -- sha256 of exercise and files
        exercise TEXT NOT NULL
    );
    CREATE TABLE source_file (
        source   TEXT NOT NULL REFERENCES source,
        path     TEXT NOT NULL,           -- from the exercise's folder
        text     BLOB NOT NULL,
        PRIMARY KEY (source, path)
    ) WITHOUT ROWID;
    CREATE TABLE attempt (
        id        INTEGER PRIMARY KEY,
        student   TEXT NOT NULL,
        entry     TEXT NOT NULL,          -- the file or folder it came as
        digest    TEXT NOT NULL,          -- of all its sources, or of its problem
        submitted TEXT,                   -- NULL: not known
        recorded  TEXT NOT NULL,
        note      TEXT NOT NULL,
        problem   TEXT NOT NULL           -- why it could not be read; '' otherwise
    );
    CREATE INDEX attempt_of_student ON attempt (student, id);
    CREATE TABLE attempt_source (
        attempt  INTEGER NOT NULL REFERENCES attempt,
        exercise TEXT NOT NULL,
        source   TEXT NOT NULL REFERENCES source,
        PRIMARY KEY (attempt, exercise)
    ) WITHOUT ROWID;
    CREATE INDEX attempt_with_source ON attempt_source (source);
    CREATE TABLE verdict (                -- never changed, never deleted but for damage
        source     TEXT NOT NULL REFERENCES source,
        suite      TEXT NOT NULL,
        digest     TEXT NOT NULL,         -- the verdict's own: sources, suite, compiler, seed
        state      TEXT NOT NULL,         -- passed, failed, partial, not_started
        points     INTEGER NOT NULL,
        max_points INTEGER NOT NULL,
        document   BLOB NOT NULL,         -- the verdict's JSON (grader/verdict/verdict.schema.json), zlib
        checksum   TEXT NOT NULL,         -- sha256 over the columns above
        log        TEXT NOT NULL,         -- what happened when, failed tries too
        graded     TEXT NOT NULL,
        seconds    REAL NOT NULL,
        PRIMARY KEY (source, suite)
    ) WITHOUT ROWID;
    )sql",
    // 1 -> 2
    R"sql(
    CREATE TABLE adjustment (             -- on top of what the policy gives; undone by its opposite
        id       INTEGER PRIMARY KEY,
        student  TEXT NOT NULL,
        exercise TEXT NOT NULL,           -- '': the total
        points   REAL NOT NULL,
        author   TEXT NOT NULL,
        reason   TEXT NOT NULL,
        made     TEXT NOT NULL
    );
    CREATE TABLE outage (                 -- the machine's failures: retried, never a mark
        id       INTEGER PRIMARY KEY,
        source   TEXT NOT NULL,
        suite    TEXT NOT NULL,
        problem  TEXT NOT NULL,
        happened TEXT NOT NULL
    );
    )sql",
    // 2 -> 3
    R"sql(
    -- When an edition came into force. Marks follow that of the last row that nobody has undone; edition.applied says
    -- when it was agreed on first.
    CREATE TABLE application (
        id       INTEGER PRIMARY KEY,
        edition  INTEGER NOT NULL REFERENCES edition,
        applied  TEXT NOT NULL,
        undone   TEXT                     -- NULL, or when `class regrade --undo` took it back
    );
    INSERT INTO application (edition, applied)
        SELECT id, applied FROM edition WHERE applied IS NOT NULL ORDER BY applied, id;
    CREATE TABLE attempt_time (           -- when an attempt was handed in, where that was said after it was recorded
        id        INTEGER PRIMARY KEY,
        attempt   INTEGER NOT NULL REFERENCES attempt,
        submitted TEXT NOT NULL,
        said_by   TEXT NOT NULL,          -- person (--times, `class times`), platform (its export)
        said      TEXT NOT NULL           -- when it was said
    );
    CREATE INDEX time_of_attempt ON attempt_time (attempt);
    CREATE VIEW submitted_attempt AS      -- a person's last word, else a platform's, else what was said at first
        SELECT a.id AS attempt, COALESCE(
            (SELECT submitted FROM attempt_time WHERE attempt = a.id AND said_by = 'person' ORDER BY id DESC LIMIT 1),
            (SELECT submitted FROM attempt_time WHERE attempt = a.id AND said_by = 'platform' ORDER BY id DESC LIMIT 1),
            a.submitted) AS submitted
        FROM attempt a;
    CREATE TABLE decision (               -- what a person has decided about attempts and marks; of two, the later holds
        id       INTEGER PRIMARY KEY,
        kind     TEXT NOT NULL,           -- remove, restore, pin, unpin, set, unset
        student  TEXT NOT NULL,
        attempt  INTEGER REFERENCES attempt,  -- NULL: the student
        exercise TEXT NOT NULL,           -- of set and unset, '' is the total; of unpin, all
        points   REAL NOT NULL,           -- of set
        author   TEXT NOT NULL,
        reason   TEXT NOT NULL,
        made     TEXT NOT NULL
    );
    CREATE INDEX decision_on_attempt ON decision (attempt);
    CREATE VIEW removed_attempt AS
        SELECT attempt FROM decision d WHERE kind = 'remove' AND attempt IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM decision later WHERE later.attempt = d.attempt AND later.id > d.id AND later.kind = 'restore');
    )sql",
    // 3 -> 4
    R"sql(
    ALTER TABLE attempt_time ADD COLUMN author TEXT;  -- NULL: said by a file of times, or a platform
    ALTER TABLE attempt_time ADD COLUMN reason TEXT;  -- of `class set-time`
    ALTER TABLE attempt_time ADD COLUMN undone TEXT;  -- NULL, or when, by whom and why: `class unset-time`
    DROP VIEW submitted_attempt;
    CREATE VIEW submitted_attempt AS      -- a person's last word, else a platform's, else what was said at first
        SELECT a.id AS attempt, COALESCE(
            (SELECT submitted FROM attempt_time WHERE attempt = a.id AND said_by = 'person' AND undone IS NULL
             ORDER BY id DESC LIMIT 1),
            (SELECT submitted FROM attempt_time WHERE attempt = a.id AND said_by = 'platform' ORDER BY id DESC LIMIT 1),
            a.submitted) AS submitted
        FROM attempt a;
    )sql",
};

}  // namespace

const int newest_version = static_cast<int>(std::size(migrations));

void migrate(Database& database, int version) {
    if (database.version() > newest_version)
        throw DatabaseError(
            fmt::format("the gradebook is of version {}, and this Headway knows {} at most; use the Headway that wrote "
                        "it, or a newer one",
                        database.version(), newest_version));
    if (database.version() >= version) return;
    Transaction transaction(database);
    // Read again: another program may have been faster.
    for (int from = database.version(); from < version; ++from) {
        database.execute(migrations[from]);
        database.execute(fmt::format("PRAGMA user_version = {}", from + 1));
    }
    transaction.commit();
}

}  // namespace headway::gradebook
