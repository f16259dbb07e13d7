#include "gradebook/gradebook.hpp"

#include "gradebook/compressed.hpp"
#include "gradebook/schema.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::gradebook {
namespace {

std::string checksum(const std::string& source, const std::string& suite, const std::string& digest,
                     const std::string& state, std::int64_t points, std::int64_t max_points,
                     const std::string& document) {
    return build::Digest()
        .add(source)
        .add(suite)
        .add(digest)
        .add(state)
        .add(std::to_string(points))
        .add(std::to_string(max_points))
        .add(document)
        .hex();
}

/// The columns that is_intact() reads.
constexpr const char* verdict_columns = "source, suite, digest, state, points, max_points, document, checksum";

/// Of an edition: each source without a verdict once, where it was handed in first.
constexpr const char* pending_rows =
    "attempt_source a JOIN suite s ON s.edition = ? AND s.exercise = a.exercise "
    "WHERE NOT EXISTS (SELECT 1 FROM verdict v WHERE v.source = a.source AND v.suite = s.digest) "
    "AND NOT EXISTS (SELECT 1 FROM attempt_source e WHERE e.source = a.source AND e.exercise = a.exercise "
    "AND e.attempt < a.attempt)";

bool is_intact(const Statement& row) {
    return row.text(7) ==
           checksum(row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5), row.text(6));
}

/// One that equals the last in this is no new attempt.
std::string content_of(const Attempt& attempt) {
    build::Digest digest;
    digest.add(attempt.problem);
    for (const auto& [exercise, source] : attempt.sources) digest.add(exercise).add(source);
    return digest.hex();
}

}  // namespace

Gradebook::Gradebook(const std::filesystem::path& file, Access access) : database_(file, access) {
    if (access == Access::read_write) migrate(database_);
    if (database_.version() != newest_version)
        throw DatabaseError(
            fmt::format("{} is a gradebook of version {}, not {}; ./headway class grade brings an older one up to date",
                        file.string(), database_.version(), newest_version));
}

Edition Gradebook::edition(Statement& row) const {
    Edition edition{row.integer(0), std::stoull(row.text(1)), row.text(2), {}};
    Statement suites = database_.ask("SELECT exercise, digest FROM suite WHERE edition = ?");
    suites.bind(edition.id);
    while (suites.step()) edition.suites[suites.text(0)] = suites.text(1);
    return edition;
}

std::optional<Edition> Gradebook::current() const {
    Statement newest = database_.ask(
        "SELECT id, seed, policy FROM edition WHERE applied IS NOT NULL ORDER BY applied DESC, id DESC LIMIT 1");
    if (!newest.step()) return std::nullopt;
    return edition(newest);
}

Edition Gradebook::propose(Edition proposed) {
    Transaction transaction(database_);
    Statement open = database_.ask("SELECT id, seed, policy FROM edition WHERE applied IS NULL");
    while (open.step()) {
        const Edition earlier = edition(open);
        proposed.id = earlier.id;
        if (earlier == proposed) return proposed;
    }
    database_.ask("INSERT INTO edition (created, seed, policy) VALUES (?, ?, ?)")
        .bind(verdict::now())
        .bind(std::to_string(proposed.seed))
        .bind(proposed.policy)
        .run();
    proposed.id = database_.last_row();
    for (const auto& [exercise, digest] : proposed.suites)
        database_.ask("INSERT INTO suite VALUES (?, ?, ?)").bind(proposed.id).bind(exercise).bind(digest).run();
    transaction.commit();
    return proposed;
}

void Gradebook::apply(const Edition& edition) {
    database_.ask("UPDATE edition SET applied = ? WHERE id = ?").bind(verdict::now()).bind(edition.id).run();
}

bool Gradebook::has(const build::Submission& source, const std::string& digest) const {
    try {
        return !this->source({source.exercise, digest, ""}).files.empty() || source.files.empty();
    } catch (const std::runtime_error&) {
        return false;  // damaged, or not there
    }
}

void Gradebook::write(const build::Submission& source, const std::string& digest) {
    database_.ask("INSERT OR IGNORE INTO source VALUES (?, ?)").bind(digest).bind(source.exercise).run();
    for (const build::SourceFile& file : source.files)
        database_.ask("INSERT OR REPLACE INTO source_file VALUES (?, ?, ?)")
            .bind(digest)
            .bind(file.path.string())
            .bind_bytes(file.text)
            .run();
}

Gradebook::Recorded Gradebook::record(const Attempt& attempt, const std::vector<build::Submission>& sources) {
    const std::string content = content_of(attempt);
    Transaction transaction(database_, Transaction::Begin::when_written);
    for (const build::Submission& source : sources)
        if (const std::string digest = source.digest(); !has(source, digest)) write(source, digest);
    if (is_last(attempt, content)) {
        transaction.commit();
        return Recorded::unchanged;
    }
    database_
        .ask(
            "INSERT INTO attempt (student, entry, digest, submitted, recorded, note, problem) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(attempt.student)
        .bind(attempt.entry)
        .bind(content)
        .bind(attempt.submitted)
        .bind(verdict::now())
        .bind(attempt.note)
        .bind(attempt.problem)
        .run();
    const std::int64_t id = database_.last_row();
    for (const auto& [exercise, source] : attempt.sources)
        database_.ask("INSERT INTO attempt_source VALUES (?, ?, ?)").bind(id).bind(exercise).bind(source).run();
    transaction.commit();
    return Recorded::anew;
}

bool Gradebook::is_last(const Attempt& attempt, const std::string& content) const {
    Statement last = database_.ask("SELECT digest, submitted FROM attempt WHERE student = ? ORDER BY id DESC LIMIT 1");
    last.bind(attempt.student);
    return last.step() && last.text(0) == content && last.optional_text(1) == attempt.submitted;
}

std::vector<Attempt> Gradebook::attempts() const {
    std::vector<Attempt> attempts;
    Statement rows =
        database_.ask("SELECT id, student, entry, submitted, note, problem FROM attempt ORDER BY student, id");
    while (rows.step())
        attempts.push_back(
            {rows.integer(0), rows.text(1), rows.text(2), rows.optional_text(3), rows.text(4), rows.text(5), {}});
    std::map<std::int64_t, Attempt*> by_id;
    for (Attempt& attempt : attempts) by_id[attempt.id] = &attempt;
    Statement sources = database_.ask("SELECT attempt, exercise, source FROM attempt_source");
    while (sources.step())
        if (const auto attempt = by_id.find(sources.integer(0)); attempt != by_id.end())
            attempt->second->sources[sources.text(1)] = sources.text(2);
    return attempts;
}

std::size_t Gradebook::drop_damaged() {
    std::vector<std::pair<std::string, std::string>> damaged;
    Statement rows = database_.ask(fmt::format("SELECT {} FROM verdict", verdict_columns));
    while (rows.step())
        if (!is_intact(rows)) damaged.emplace_back(rows.text(0), rows.text(1));
    for (const auto& [source, suite] : damaged) {
        Transaction transaction(database_);
        database_.ask("DELETE FROM verdict WHERE source = ? AND suite = ?").bind(source).bind(suite).run();
        store_outage({"", source, suite}, "the verdict's row was damaged; it is graded again");
        transaction.commit();
    }
    return damaged.size();
}

std::vector<Job> Gradebook::pending(const Edition& edition, const Job& last, std::size_t most) const {
    std::vector<Job> jobs;
    Statement rows = database_.ask(
        fmt::format("SELECT a.exercise, a.source, s.digest, a.attempt FROM {} AND (a.attempt, a.exercise) > (?, ?) "
                    "ORDER BY a.attempt, a.exercise LIMIT ?",
                    pending_rows));
    rows.bind(edition.id).bind(last.attempt).bind(last.exercise).bind(static_cast<std::int64_t>(most));
    while (rows.step()) jobs.push_back({rows.text(0), rows.text(1), rows.text(2), rows.integer(3)});
    return jobs;
}

std::size_t Gradebook::count_pending(const Edition& edition) const {
    Statement count = database_.ask(fmt::format("SELECT count(*) FROM {}", pending_rows));
    count.bind(edition.id).step();
    return static_cast<std::size_t>(count.integer(0));
}

build::Submission Gradebook::source(const Job& job) const {
    build::Submission submission{job.exercise, {}, {}, {}};
    Statement files = database_.ask("SELECT path, text FROM source_file WHERE source = ? ORDER BY path");
    files.bind(job.source);
    while (files.step()) submission.files.push_back({files.text(0), files.text(1)});
    std::sort(submission.files.begin(), submission.files.end(),
              [](const build::SourceFile& a, const build::SourceFile& b) { return a.path < b.path; });
    if (submission.digest() != job.source)
        throw std::runtime_error(
            "what was handed in is damaged in the gradebook; ./headway class grade DIR with the "
            "original submissions mends it");
    return submission;
}

bool Gradebook::store(const Job& job, const Graded& graded) {
    const verdict::Exercise& exercise = graded.exercise;
    const std::string document = compressed(verdict::to_json(exercise).dump());
    const std::string state = to_string(exercise.state);
    database_.ask("INSERT OR IGNORE INTO verdict VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(job.source)
        .bind(job.suite)
        .bind(exercise.digest)
        .bind(state)
        .bind(std::int64_t{exercise.points})
        .bind(std::int64_t{exercise.max_points})
        .bind_bytes(document)
        .bind(checksum(job.source, job.suite, exercise.digest, state, exercise.points, exercise.max_points, document))
        .bind(graded.log)
        .bind(graded.graded)
        .bind(exercise.seconds)
        .run();
    return database_.changes() > 0;
}

std::size_t Gradebook::store(const std::vector<std::pair<Job, Graded>>& several) {
    std::size_t anew = 0;
    Transaction transaction(database_);
    for (const auto& [job, graded] : several) anew += store(job, graded) ? 1 : 0;
    transaction.commit();
    return anew;
}

void Gradebook::store_outage(const Job& job, const std::string& problem) {
    database_.ask("INSERT INTO outage (source, suite, problem, happened) VALUES (?, ?, ?, ?)")
        .bind(job.source)
        .bind(job.suite)
        .bind(problem)
        .bind(verdict::now())
        .run();
}

std::optional<Graded> Gradebook::verdict(const std::string& source, const std::string& suite) const {
    Statement row = database_.ask(
        fmt::format("SELECT {}, log, graded FROM verdict WHERE source = ? AND suite = ?", verdict_columns));
    row.bind(source).bind(suite);
    if (!row.step() || !is_intact(row)) return std::nullopt;
    return Graded{verdict::exercise_from_json(nlohmann::json::parse(decompressed(row.text(6)))), row.text(8),
                  row.text(9)};
}

std::map<std::string, Score> Gradebook::scores(const Edition& edition) const {
    std::map<std::string, Score> scores;
    Statement rows = database_.ask(
        "SELECT v.source, v.state, v.points, v.max_points FROM verdict v "
        "JOIN suite s ON s.edition = ? AND s.digest = v.suite");
    rows.bind(edition.id);
    while (rows.step())
        scores[rows.text(0)] = {verdict::state_from(rows.text(1)), static_cast<int>(rows.integer(2)),
                                static_cast<int>(rows.integer(3))};
    return scores;
}

void Gradebook::adjust(const Adjustment& adjustment) {
    database_.ask("INSERT INTO adjustment (student, exercise, points, author, reason, made) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(adjustment.student)
        .bind(adjustment.exercise)
        .bind(adjustment.points)
        .bind(adjustment.author)
        .bind(adjustment.reason)
        .bind(adjustment.made)
        .run();
}

std::vector<Adjustment> Gradebook::adjustments() const {
    std::vector<Adjustment> adjustments;
    Statement rows =
        database_.ask("SELECT student, exercise, points, author, reason, made FROM adjustment ORDER BY id");
    while (rows.step())
        adjustments.push_back({rows.text(0), rows.text(1), rows.real(2), rows.text(3), rows.text(4), rows.text(5)});
    return adjustments;
}

}  // namespace headway::gradebook
