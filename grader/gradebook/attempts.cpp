// Gradebook: who handed in what, and when.
#include "gradebook/gradebook.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

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

/// Whether the same was handed in at the same time: an old export tells of it once more, whatever came since.
bool Gradebook::Known::was_at_that_time(const Attempt& attempt, const std::string& of_attempt) const {
    if (content != of_attempt || !attempt.submitted) return false;
    const bool is_of_platform = attempt.time_from == intake::TimeFrom::platform;
    return attempt.submitted == submitted || (is_of_platform && by_platform.contains(*attempt.submitted));
}

/// Whether this attempt, the newest, is seen once more. What was recorded cannot have been handed in later; and a
/// platform that says another time than before speaks of another hand-in.
bool Gradebook::Known::is_still_there(const Attempt& attempt, const std::string& of_attempt) const {
    if (content != of_attempt) return false;
    if (!attempt.submitted) return true;
    if (attempt.time_from == intake::TimeFrom::platform && !by_platform.empty()) return false;
    return *attempt.submitted <= recorded;
}

std::vector<Gradebook::Known> Gradebook::known_of(const std::string& student) const {
    std::vector<Known> known;
    Statement row = database_.ask(
        "SELECT a.id, a.digest, a.recorded, s.submitted, a.submitted FROM attempt a "
        "JOIN submitted_attempt s ON s.attempt = a.id WHERE a.student = ? ORDER BY a.id");
    row.bind(student);
    while (row.step()) {
        known.push_back({row.integer(0), row.text(1), row.text(2), row.optional_text(3), {}});
        if (const auto at_first = row.optional_text(4)) known.back().by_platform.insert(*at_first);
    }
    for (Known& one : known) {
        Statement later =
            database_.ask("SELECT submitted FROM attempt_time WHERE attempt = ? AND said_by = 'platform'");
        later.bind(one.id);
        while (later.step()) one.by_platform.insert(later.text(0));
    }
    return known;
}

Gradebook::Recorded Gradebook::say_time(const Known& known, const std::string& time, intake::TimeFrom from) {
    if (from == intake::TimeFrom::platform ? known.by_platform.contains(time) : known.submitted == time)
        return Recorded::unchanged;
    database_.ask("INSERT INTO attempt_time (attempt, submitted, said_by, said) VALUES (?, ?, ?, ?)")
        .bind(known.id)
        .bind(time)
        .bind(said_by(from))
        .bind(verdict::now())
        .run();
    if (!known.submitted) return Recorded::timed;
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
    const std::vector<Known> known = known_of(attempt.student);
    auto same = std::ranges::find_if(known, [&](const Known& one) { return one.was_at_that_time(attempt, content); });
    if (same == known.end() && !known.empty() && known.back().is_still_there(attempt, content))
        same = std::prev(known.end());
    Recorded recorded = Recorded::anew;
    if (same == known.end())
        insert(attempt, content);
    else
        recorded = attempt.submitted ? say_time(*same, *attempt.submitted, attempt.time_from) : Recorded::unchanged;
    transaction.commit();
    return recorded;
}

std::vector<std::string> Gradebook::say_times(const std::map<std::string, std::string>& times) {
    std::vector<std::string> changed;
    std::vector<std::string> unknown;
    std::vector<std::string> too_late;
    Transaction transaction(database_);
    for (const auto& [student, time] : times) {
        const std::vector<Known> known = known_of(student);
        if (known.empty())
            unknown.push_back(student);
        else if (known.back().submitted != time && time > known.back().recorded)
            too_late.push_back(fmt::format("{} (recorded {})", student, known.back().recorded));
        else if (say_time(known.back(), time, intake::TimeFrom::person) != Recorded::unchanged)
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
