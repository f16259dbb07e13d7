#include "classroom/roster.hpp"

#include "classroom/platform_numbers.hpp"
#include "intake/csv_reader.hpp"
#include "intake/student_id.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <span>

namespace headway::classroom {
namespace {

using intake::CsvRow;

/// What a column is called, in lower case: in English, German, French and Spanish where Moodle translates it.
using Names = std::span<const std::string_view>;

namespace heading {
constexpr std::string_view id[] = {"id"};  // anybody's: Canvas's, yours, Moodle's in German
constexpr std::string_view participant[] = {"identifier", "identifiant", "identificador"};
constexpr std::string_view sis_user[] = {"sis user id", "sid", "student id"};
constexpr std::string_view sis_login[] = {"sis login id"};
constexpr std::string_view login[] = {"username", "anmeldename", "nom d'utilisateur", "nom d’utilisateur",
                                      "nombre de usuario"};
constexpr std::string_view org_defined[] = {"orgdefinedid", "org defined id"};
constexpr std::string_view end_of_line[] = {"end-of-line indicator"};
constexpr std::string_view id_number[] = {"id number", "id-nummer", "numéro d'identification",
                                          "numéro d’identification", "número de id"};
constexpr std::string_view email[] = {
    "email address",       "email",           "e-mail-adresse",    "e-mail", "adresse de courriel",
    "dirección de correo", "dirección email", "correo electrónico"};
constexpr std::string_view full_name[] = {"full name",          "name",        "student",
                                          "vollständiger name", "nom complet", "nombre completo"};
constexpr std::string_view first_name[] = {"first name", "vorname", "prénom", "nombre"};
constexpr std::string_view last_name[] = {"last name",      "surname",     "nachname", "nom",
                                          "nom de famille", "apellido(s)", "apellidos"};
constexpr std::string_view section[] = {"section", "sections", "group",   "groups", "gruppe",
                                        "gruppen", "groupe",   "groupes", "grupo",  "grupos"};
constexpr std::string_view handed_in[] = {"last modified (submission)", "zuletzt geändert (abgabe)",
                                          "dernière modification (travail remis)", "Última modificación (entrega)",
                                          "Última modificación (envío)"};
}  // namespace heading

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return "";
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

std::string small(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Of an e-mail address: platforms write these with capitals or without. Two other ids may differ in nothing else.
std::string without_capitals(const std::string& id) { return id.find('@') == std::string::npos ? id : small(id); }

/// 4711 of "Participant 4711", in each of these languages; empty if it is nothing of that kind.
std::string after_moodles_word(const std::string& id) {
    for (const std::string_view word : {"Participante", "Participant", "Teilnehmer/in"}) {
        if (!id.starts_with(word)) continue;
        std::string number = trimmed(std::string_view(id).substr(word.size()));
        if (is_number(number)) return number;
    }
    return "";
}

/// The heading, and from it the fields of a row by what they are.
class Columns {
public:
    explicit Columns(const CsvRow& heading) {
        for (const std::string& field : heading.fields) names_.push_back(trimmed(small(field)));
    }

    std::size_t size() const { return names_.size(); }
    bool has(Names names) const { return place(names) < names_.size(); }
    std::string field(const CsvRow& row, Names names) const {
        const std::size_t at = place(names);
        return at < row.fields.size() ? trimmed(row.fields[at]) : "";
    }

private:
    /// Of the first of these names that is there.
    std::size_t place(Names names) const {
        for (const std::string_view name : names)
            if (const auto found = std::ranges::find(names_, name); found != names_.end())
                return static_cast<std::size_t>(found - names_.begin());
        return names_.size();
    }

    std::vector<std::string> names_;
};

/// Finds out which platform an id is a number of, since no other must be told it. @return the id
std::string read_number(Enrolled& one, const Columns& columns, const CsvRow& row) {
    const std::string identifier = columns.field(row, heading::participant);
    const std::string id = identifier.empty() ? columns.field(row, heading::id) : identifier;
    one.participant = after_moodles_word(id);
    if (!one.participant.empty()) return one.participant;
    one.participant = identifier;
    if (identifier.empty() && columns.has(heading::sis_login)) one.canvas_user = id;
    return id;
}

/// Brightspace's export of grades writes #4711, so that a spreadsheet leaves a number's zeros where they are.
std::string without_mark(const std::string& id) { return id.starts_with('#') ? id.substr(1) : id; }

/// Its two keys; the export has one of them or both. @return what stands under "Username", whose list it may be
std::string read_brightspace(Enrolled& one, const Columns& columns, const CsvRow& row) {
    const std::string login = columns.field(row, heading::login);
    if (!columns.has(heading::org_defined) && !columns.has(heading::end_of_line)) return login;
    one.org_defined = without_mark(columns.field(row, heading::org_defined));
    one.brightspace_user = without_mark(login);
    return one.brightspace_user;
}

Enrolled person(const Columns& columns, const CsvRow& row) {
    Enrolled one{.id = ""};
    const std::string number = read_number(one, columns, row);
    one.line = row.line;
    one.name = columns.field(row, heading::full_name);
    if (one.name.empty())
        one.name = trimmed(columns.field(row, heading::first_name) + " " + columns.field(row, heading::last_name));
    one.section = columns.field(row, heading::section);
    one.sis_user = columns.field(row, heading::sis_user);
    one.sis_login = columns.field(row, heading::sis_login);
    one.handed_in = columns.field(row, heading::handed_in);
    const std::string login = read_brightspace(one, columns, row);
    for (const std::string& id : {number, columns.field(row, heading::id_number), one.org_defined, login, one.sis_user,
                                  one.sis_login, columns.field(row, heading::email)})
        if (!id.empty()) one.ids.push_back(intake::id_meant_by(id));
    const auto usable = std::ranges::find_if(one.ids, intake::is_usable_id);
    if (usable != one.ids.end()) one.id = *usable;
    return one;
}

/// Canvas's second row says what can be reached, and its third how grades are posted; neither is a person.
bool is_of_nobody(const Enrolled& one) {
    return one.ids.empty() && (one.name.empty() || one.name == "Points Possible");
}

/// Whom teachers become in Canvas to try an assignment out. Only there: elsewhere somebody may be called so.
bool is_test_student(const Columns& columns, const Enrolled& one) {
    return one.name == "Student, Test" && columns.has(heading::sis_login);
}

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& why) {
    throw RosterError(fmt::format("{}, line {}: {}", file, line, why));
}

std::vector<CsvRow> rows_of(std::string_view text, const std::string& file) {
    if (verdict::valid_utf8(text) != text)
        throw RosterError(fmt::format("{} is not UTF-8; save it as \"CSV UTF-8\"", file));
    try {
        std::vector<CsvRow> rows = intake::read_csv(text);
        if (rows.empty()) throw RosterError(fmt::format("{} is empty", file));
        return rows;
    } catch (const intake::CsvError& error) {
        throw RosterError(fmt::format("{}, {}", file, error.what()));
    }
}

}  // namespace

Roster Roster::parse(std::string_view text, const std::string& file) {
    const std::vector<CsvRow> rows = rows_of(text, file);
    const Columns columns(rows.front());
    if (std::ranges::none_of(
            std::initializer_list<Names>{heading::id, heading::participant, heading::id_number, heading::org_defined,
                                         heading::login, heading::sis_user, heading::sis_login, heading::email},
            [&](Names names) { return columns.has(names); }))
        refuse(file, rows.front().line,
               "no column of ids; the first line names the columns, such as id,name,section, or is that of "
               "Moodle, Canvas, Brightspace or Gradescope");
    Roster roster;
    std::map<std::string, std::size_t> lines;  // of each id
    for (auto row = std::next(rows.begin()); row != rows.end(); ++row) {
        if (row->fields.size() > columns.size())
            refuse(file, row->line,
                   fmt::format("{} fields below {} headings; a field that holds a comma is put in quotation marks",
                               row->fields.size(), columns.size()));
        Enrolled one = person(columns, *row);
        if (is_of_nobody(one)) continue;
        if (is_test_student(columns, one)) {
            roster.made_up_.insert(one.ids.begin(), one.ids.end());
            continue;
        }
        if (one.ids.empty()) refuse(file, row->line, fmt::format("{} has no id", one.name));
        if (one.id.empty())
            refuse(file, row->line,
                   fmt::format("{} can be no student's id: it begins with a letter, a digit or _, and is not long",
                               one.ids.front()));
        const auto [before, is_new] = lines.emplace(one.id, row->line);
        if (!is_new) refuse(file, row->line, fmt::format("{} stands in line {} already", one.id, before->second));
        roster.people_.push_back(std::move(one));
    }
    if (roster.empty()) throw RosterError(fmt::format("{} names nobody below its headings", file));
    roster.index();
    return roster;
}

bool Roster::has_times(std::string_view text) try {
    const std::vector<CsvRow> rows = intake::read_csv(text.substr(0, text.find('\n')));
    return !rows.empty() && Columns(rows.front()).has(heading::handed_in);
} catch (const intake::CsvError&) {
    return false;
}

void Roster::index() {
    by_id_.clear();
    for (std::size_t i = 0; i < people_.size(); ++i) by_id_[people_[i].id] = i;
}

const Enrolled* Roster::find(const std::string& id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &people_[found->second];
}

std::string Roster::name_of(const std::string& id) const {
    const Enrolled* one = find(id);
    return one == nullptr ? "" : one->name;
}

void Roster::go_by(const std::set<std::string>& known) {
    std::map<std::string, std::set<std::string>> in_gradebook;
    for (const std::string& id : known) in_gradebook[without_capitals(id)].insert(id);
    std::map<std::string, std::set<std::size_t>> claims;  // by whom; what is several people's means none of them
    for (std::size_t i = 0; i < people_.size(); ++i)
        for (const std::string& id : people_[i].ids) claims[without_capitals(id)].insert(i);
    for (Enrolled& one : people_)
        for (const std::string& id : one.ids) {
            const auto found = in_gradebook.find(without_capitals(id));
            if (found == in_gradebook.end() || claims[found->first].size() > 1) continue;
            const bool is_exact = found->second.contains(id);
            if (!is_exact && found->second.size() > 1) continue;
            one.id = is_exact ? id : *found->second.begin();
            break;
        }
    index();
}

}  // namespace headway::classroom
