// Gradebook: what people have decided, and whom it forgets.
#include "gradebook/gradebook.hpp"

#include <array>

namespace headway::gradebook {
namespace {

constexpr std::array<const char*, 6> decision_kinds = {"remove", "restore", "pin", "unpin", "set", "unset"};

Decision::Kind decision_kind_from(const std::string& name) {
    for (std::size_t i = 0; i < decision_kinds.size(); ++i)
        if (name == decision_kinds.at(i)) return static_cast<Decision::Kind>(i);
    throw DatabaseError("the gradebook holds a decision of an unknown kind, " + name);
}

}  // namespace

std::string to_string(Decision::Kind kind) { return decision_kinds.at(static_cast<std::size_t>(kind)); }

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

void Gradebook::decide(const std::vector<Decision>& decisions) {
    Transaction transaction(database_);
    for (const Decision& decision : decisions)
        database_
            .ask(
                "INSERT INTO decision (kind, student, attempt, exercise, points, author, reason, made) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(to_string(decision.kind))
            .bind(decision.student)
            .bind(decision.attempt)
            .bind(decision.exercise)
            .bind(decision.points)
            .bind(decision.author)
            .bind(decision.reason)
            .bind(decision.made)
            .run();
    transaction.commit();
}

std::vector<Decision> Gradebook::decisions() const {
    std::vector<Decision> decisions;
    Statement rows = database_.ask(
        "SELECT kind, student, attempt, exercise, points, author, reason, made FROM decision ORDER BY id");
    while (rows.step()) {
        decisions.push_back({decision_kind_from(rows.text(0)), rows.text(1), std::nullopt, rows.text(3), rows.real(4),
                             rows.text(5), rows.text(6), rows.text(7)});
        if (rows.optional_text(2)) decisions.back().attempt = rows.integer(2);
    }
    return decisions;
}

std::size_t Gradebook::forget(const std::string& student) {
    // What is deleted is overwritten on the disk, too.
    database_.execute("PRAGMA secure_delete = ON");
    Transaction transaction(database_);
    const std::string theirs = "(SELECT id FROM attempt WHERE student = ?)";
    for (const char* table : {"attempt_time", "attempt_source"})
        database_.ask(std::string("DELETE FROM ") + table + " WHERE attempt IN " + theirs).bind(student).run();
    // A decision of a partner in their group may pin what is going.
    database_.ask("DELETE FROM decision WHERE student = ? OR attempt IN " + theirs).bind(student).bind(student).run();
    database_.ask("DELETE FROM adjustment WHERE student = ?").bind(student).run();
    database_.ask("DELETE FROM attempt WHERE student = ?").bind(student).run();
    const auto attempts = static_cast<std::size_t>(database_.changes());
    for (const char* table : {"verdict", "outage", "source_file"})
        database_.ask(std::string("DELETE FROM ") + table + " WHERE source NOT IN (SELECT source FROM attempt_source)")
            .run();
    database_.ask("DELETE FROM source WHERE digest NOT IN (SELECT source FROM attempt_source)").run();
    transaction.commit();
    database_.ask("PRAGMA wal_checkpoint(TRUNCATE)").run();
    return attempts;
}

}  // namespace headway::gradebook
