// Gradebook: which tests, compiler and policy marks follow.
#include "gradebook/gradebook.hpp"

namespace headway::gradebook {

std::vector<std::string> Edition::exercises() const {
    std::vector<std::string> names;
    for (const auto& [exercise, digest] : suites) names.push_back(exercise);
    return names;
}

Edition Gradebook::edition(Statement& row) const {
    Edition edition{row.integer(0), std::stoull(row.text(1)), row.text(2), {}};
    Statement suites = database_.ask("SELECT exercise, digest FROM suite WHERE edition = ?");
    suites.bind(edition.id);
    while (suites.step()) edition.suites[suites.text(0)] = suites.text(1);
    return edition;
}

std::optional<Edition> Gradebook::applied(std::int64_t others) const {
    Statement row = database_.ask(
        "SELECT e.id, e.seed, e.policy FROM application a JOIN edition e ON e.id = a.edition WHERE a.undone IS NULL "
        "ORDER BY a.id DESC LIMIT 1 OFFSET ?");
    row.bind(others);
    if (!row.step()) return std::nullopt;
    return edition(row);
}

std::optional<Edition> Gradebook::current() const { return applied(0); }

std::optional<Edition> Gradebook::previous() const { return applied(1); }

Edition Gradebook::propose(Edition proposed) {
    Transaction transaction(database_);
    Statement known = database_.ask("SELECT id, seed, policy FROM edition");
    while (known.step()) {
        const Edition earlier = edition(known);
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
    const std::string now = verdict::now();
    Transaction transaction(database_);
    database_.ask("UPDATE edition SET applied = ? WHERE id = ? AND applied IS NULL").bind(now).bind(edition.id).run();
    database_.ask("INSERT INTO application (edition, applied) VALUES (?, ?)").bind(edition.id).bind(now).run();
    transaction.commit();
}

std::optional<Edition> Gradebook::undo() {
    Transaction transaction(database_);
    const std::optional<Edition> before = previous();
    if (!before) return std::nullopt;
    database_.ask("UPDATE application SET undone = ? WHERE id = (SELECT max(id) FROM application WHERE undone IS NULL)")
        .bind(verdict::now())
        .run();
    transaction.commit();
    return before;
}

}  // namespace headway::gradebook
