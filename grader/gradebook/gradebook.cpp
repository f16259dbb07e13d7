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

/// Of an edition: each source without a verdict once, where it was handed in first. What is removed is not graded: it
/// may be what no machine can grade.
constexpr const char* pending_rows =
    "attempt_source a JOIN suite s ON s.edition = ? AND s.exercise = a.exercise "
    "WHERE NOT EXISTS (SELECT 1 FROM verdict v WHERE v.source = a.source AND v.suite = s.digest) "
    "AND a.attempt NOT IN (SELECT attempt FROM removed_attempt) "
    "AND NOT EXISTS (SELECT 1 FROM attempt_source e WHERE e.source = a.source AND e.exercise = a.exercise "
    "AND e.attempt < a.attempt AND e.attempt NOT IN (SELECT attempt FROM removed_attempt))";

bool is_intact(const Statement& row) {
    return row.text(7) ==
           checksum(row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5), row.text(6));
}

}  // namespace

Gradebook::Gradebook(const std::filesystem::path& file, Access access) : database_(file, access) {
    if (access == Access::read_write && database_.version() > 0 && database_.version() < newest_version)
        backup(fmt::format("v{}", newest_version));
    if (access == Access::read_write) migrate(database_);
    if (database_.version() != newest_version)
        throw DatabaseError(
            fmt::format("{} is a gradebook of version {}, not {}; ./headway class grade brings an older one up to date",
                        file.string(), database_.version(), newest_version));
}

std::filesystem::path Gradebook::backup(const std::string& what) const {
    const std::string wanted = database_.file().string() + ".before-" + what;
    std::filesystem::path copy = wanted;
    for (int n = 2; std::filesystem::exists(copy); ++n) copy = fmt::format("{}-{}", wanted, n);
    database_.copy_to(copy);
    return copy;
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
    Statement rows = database_.ask(fmt::format(
        "SELECT {} FROM verdict WHERE suite IN (SELECT digest FROM suite WHERE edition = ?)", verdict_columns));
    rows.bind(edition.id);
    while (rows.step())
        if (is_intact(rows))
            scores[rows.text(0)] = {verdict::state_from(rows.text(3)), static_cast<int>(rows.integer(4)),
                                    static_cast<int>(rows.integer(5))};
    return scores;
}

}  // namespace headway::gradebook
