// Gradebook: who handed in what, and when.
#include "gradebook/gradebook.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::gradebook {
namespace {

/// One that equals the last in this is no new attempt.
std::string content_of(const Attempt& attempt) {
    build::Digest digest;
    digest.add(attempt.problem);
    for (const auto& [exercise, source] : attempt.sources) digest.add(exercise).add(source);
    return digest.hex();
}

const char* said_by(intake::TimeFrom from) { return from == intake::TimeFrom::person ? "person" : "platform"; }

}  // namespace

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

/// Whether this is that attempt, seen once more. What was recorded cannot have been handed in later; and a platform
/// that says another time than before speaks of another hand-in.
bool Gradebook::Last::is(const Attempt& attempt, const std::string& of_attempt) const {
    if (content != of_attempt) return false;
    if (!attempt.submitted || attempt.submitted == submitted) return true;
    if (attempt.time_from == intake::TimeFrom::platform && !by_platform.empty())
        return by_platform.contains(*attempt.submitted);
    return *attempt.submitted <= recorded;
}

std::optional<Gradebook::Last> Gradebook::last_of(const std::string& student) const {
    Statement row = database_.ask(
        "SELECT a.id, a.digest, a.recorded, s.submitted, a.submitted FROM attempt a "
        "JOIN submitted_attempt s ON s.attempt = a.id WHERE a.student = ? ORDER BY a.id DESC LIMIT 1");
    row.bind(student);
    if (!row.step()) return std::nullopt;
    Last last{row.integer(0), row.text(1), row.text(2), row.optional_text(3), {}};
    if (const auto at_first = row.optional_text(4)) last.by_platform.insert(*at_first);
    Statement later = database_.ask("SELECT submitted FROM attempt_time WHERE attempt = ? AND said_by = 'platform'");
    later.bind(last.id);
    while (later.step()) last.by_platform.insert(later.text(0));
    return last;
}

Gradebook::Recorded Gradebook::say_time(const Last& last, const std::string& time, intake::TimeFrom from) {
    if (from == intake::TimeFrom::platform ? last.by_platform.contains(time) : last.submitted == time)
        return Recorded::unchanged;
    database_.ask("INSERT INTO attempt_time (attempt, submitted, said_by, said) VALUES (?, ?, ?, ?)")
        .bind(last.id)
        .bind(time)
        .bind(said_by(from))
        .bind(verdict::now())
        .run();
    if (!last.submitted) return Recorded::timed;
    return from == intake::TimeFrom::person ? Recorded::retimed : Recorded::unchanged;
}

void Gradebook::insert(const Attempt& attempt, const std::string& content) {
    const bool is_said = attempt.submitted && attempt.time_from == intake::TimeFrom::person;
    database_
        .ask(
            "INSERT INTO attempt (student, entry, digest, submitted, recorded, note, problem) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(attempt.student)
        .bind(attempt.entry)
        .bind(content)
        .bind(is_said ? std::nullopt : attempt.submitted)
        .bind(attempt.recorded.empty() ? verdict::now() : attempt.recorded)
        .bind(attempt.note)
        .bind(attempt.problem)
        .run();
    const std::int64_t id = database_.last_row();
    for (const auto& [exercise, source] : attempt.sources)
        database_.ask("INSERT INTO attempt_source VALUES (?, ?, ?)").bind(id).bind(exercise).bind(source).run();
    if (is_said) say_time({id, content, "", {}, {}}, *attempt.submitted, attempt.time_from);
}

Gradebook::Recorded Gradebook::record(const Attempt& attempt, const std::vector<build::Submission>& sources) {
    const std::string content = content_of(attempt);
    Transaction transaction(database_, Transaction::Begin::when_written);
    for (const build::Submission& source : sources)
        if (const std::string digest = source.digest(); !has(source, digest)) write(source, digest);
    const std::optional<Last> last = last_of(attempt.student);
    Recorded recorded = Recorded::anew;
    if (!last || !last->is(attempt, content))
        insert(attempt, content);
    else
        recorded = attempt.submitted ? say_time(*last, *attempt.submitted, attempt.time_from) : Recorded::unchanged;
    transaction.commit();
    return recorded;
}

std::vector<std::string> Gradebook::say_times(const std::map<std::string, std::string>& times) {
    std::vector<std::string> changed;
    std::vector<std::string> unknown;
    std::vector<std::string> too_late;
    Transaction transaction(database_);
    for (const auto& [student, time] : times) {
        const std::optional<Last> last = last_of(student);
        if (!last)
            unknown.push_back(student);
        else if (last->submitted != time && time > last->recorded)
            too_late.push_back(fmt::format("{} (recorded {})", student, last->recorded));
        else if (say_time(*last, time, intake::TimeFrom::person) != Recorded::unchanged)
            changed.push_back(student);
    }
    if (!unknown.empty())
        throw std::runtime_error(fmt::format("nobody in this gradebook is called {}", fmt::join(unknown, ", ")));
    if (!too_late.empty())
        throw std::runtime_error(
            fmt::format("was recorded before it is said to be handed in: {}. If it was handed in again then, "
                        "./headway class grade DIR --times FILE records that",
                        fmt::join(too_late, ", ")));
    transaction.commit();
    return changed;
}

void Gradebook::set_time(const Attempt& attempt, const std::string& time, const DecidedBy& by) {
    if (time > attempt.recorded)
        throw std::runtime_error(fmt::format("attempt {} was recorded at {}, and cannot have been handed in later",
                                             attempt.id, attempt.recorded));
    database_
        .ask(
            "INSERT INTO attempt_time (attempt, submitted, said_by, said, author, reason) "
            "VALUES (?, ?, 'person', ?, ?, ?)")
        .bind(attempt.id)
        .bind(time)
        .bind(verdict::now())
        .bind(by.author)
        .bind(by.reason)
        .run();
}

bool Gradebook::unset_time(const Attempt& attempt, const DecidedBy& by) {
    Transaction transaction(database_);
    database_
        .ask(
            "UPDATE attempt_time SET undone = ? WHERE id = (SELECT max(id) FROM attempt_time "
            "WHERE attempt = ? AND said_by = 'person' AND undone IS NULL)")
        .bind(fmt::format("{} by {}: {}", verdict::now(), by.author, by.reason))
        .bind(attempt.id)
        .run();
    const bool was_said = database_.changes() > 0;
    transaction.commit();
    return was_said;
}

std::vector<Attempt> Gradebook::attempts() const {
    std::vector<Attempt> attempts;
    Statement rows = database_.ask(
        "SELECT a.id, student, entry, s.submitted, note, problem, recorded, "
        "(SELECT reason || ' (' || author || ')' FROM attempt_time WHERE attempt = a.id AND said_by = 'person' "
        "AND undone IS NULL ORDER BY id DESC LIMIT 1) "
        "FROM attempt a JOIN submitted_attempt s ON s.attempt = a.id ORDER BY student, a.id");
    while (rows.step()) {
        attempts.push_back({rows.integer(0),
                            rows.text(1),
                            rows.text(2),
                            rows.optional_text(3),
                            rows.text(4),
                            rows.text(5),
                            {},
                            rows.text(6)});
        attempts.back().why_this_time = rows.optional_text(7).value_or("");
    }
    std::map<std::int64_t, Attempt*> by_id;
    for (Attempt& attempt : attempts) by_id[attempt.id] = &attempt;
    Statement sources = database_.ask("SELECT attempt, exercise, source FROM attempt_source");
    while (sources.step())
        if (const auto attempt = by_id.find(sources.integer(0)); attempt != by_id.end())
            attempt->second->sources[sources.text(1)] = sources.text(2);
    return attempts;
}

}  // namespace headway::gradebook
