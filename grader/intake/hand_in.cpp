#include "intake/hand_in.hpp"

#include "intake/entry_name.hpp"
#include "intake/gradescope_export.hpp"
#include "intake/student_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <set>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

constexpr const char* gradescope_file = "submission_metadata.yml";

constexpr std::array<std::pair<ExportFormat, const char*>, 4> layouts = {{{ExportFormat::moodle, "moodle"},
                                                                          {ExportFormat::canvas, "canvas"},
                                                                          {ExportFormat::gradescope, "gradescope"},
                                                                          {ExportFormat::plain, "plain"}}};

/// What systems and tools leave in folders. A student whose name on Moodle begins with a dot is nothing of that.
bool is_hidden(const std::string& name) {
    return name.starts_with("._") || (name.starts_with('.') && !moodle_name(name));
}

bool is_number(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whose an entry is, by the way in which this export names them.
std::optional<EntryName> name_in(ExportFormat format, const std::string& name) {
    if (format == ExportFormat::moodle) return moodle_name(name);
    return format == ExportFormat::canvas ? canvas_name(name) : std::nullopt;
}

bool is_named_by_a_system(const std::string& name) { return moodle_name(name) || canvas_name(name); }

/// A list of marks, a readme: whatever an instructor has put beside the hand-ins.
bool is_stray(const fs::path& path) {
    const std::string name = path.filename().string();
    return fs::is_regular_file(fs::symlink_status(path)) && archive_ending(name).empty() &&
           foreign_archive_ending(name).empty() && !FileTree::counts(FileTree::with_small_ending(name));
}

bool is_systems_own(const std::string& name) { return name == gradescope_file || name == "__MACOSX"; }

/// What may be a hand-in, sorted by name. Strays are not, unless `is_named` says that they are somebody's.
std::vector<fs::path> entries_of(const fs::path& folder, const std::function<bool(const std::string&)>& is_named) {
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (is_hidden(name) || is_systems_own(name) || (is_stray(entry.path()) && !is_named(name))) continue;
        entries.push_back(entry.path());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

/// The first group of the pattern, if that fits.
std::optional<std::string> id_by(const std::regex& pattern, const std::string& name) {
    constexpr std::size_t longest = 255;  // std::regex recurses once a character
    std::smatch match;
    if (name.size() > longest || !std::regex_search(name, match, pattern) || match.size() < 2) return std::nullopt;
    return match[1];
}

bool is_of_test_student(const fs::path& path) {
    const auto name = canvas_name(path.filename().string());
    return name && is_canvas_test_student(*name);
}

/// Of a folder, what may be somebody's.
std::vector<fs::path> named_entries_of(const fs::path& folder, const Naming& naming, ExportFormat format) {
    if (naming.pattern.empty())
        return entries_of(folder, [&](const std::string& name) { return name_in(format, name).has_value(); });
    const std::regex pattern(naming.pattern);
    return entries_of(folder, [&](const std::string& name) { return id_by(pattern, name).has_value(); });
}

/// Which entries of a folder are hand-ins.
std::vector<fs::path> hand_ins_of(const fs::path& folder, const Naming& naming, ExportFormat format) {
    std::vector<fs::path> entries = named_entries_of(folder, naming, format);
    if (format == ExportFormat::canvas) std::erase_if(entries, is_of_test_student);
    return entries;
}

using ByStudent = std::map<std::string, HandIn>;

/// Whether an archive is all of a hand-in, or one of the files of which a system makes an entry each.
enum class Archives { alone, among_files };

/// Puts a file or folder to what its student has handed in already. @param student  an id, or a row; see student_id.hpp
HandIn& add_to(ByStudent& by_student, const std::string& student, const fs::path& path, const EntryName& name,
               Archives archives = Archives::alone) {
    HandIn& hand_in = by_student[student];
    hand_in.student = student;
    const bool single = !fs::is_directory(path) && (!is_archive(path) || archives == Archives::among_files);
    if (!hand_in.paths.empty() && (!single || hand_in.names.empty()))
        hand_in.problem = fmt::format("{} is a second submission of the same student", path.filename().string());
    hand_in.paths.push_back(path);
    if (single) hand_in.names.push_back(name.file);
    if (!name.note.empty()) hand_in.note = name.note;
    return hand_in;
}

/// What was typed into Moodle's editor lies in a folder of its own, beside that of the files. It is no program: what
/// counts are the files, where there are any.
void add_online_texts(ByStudent& by_student, const std::vector<std::pair<fs::path, EntryName>>& texts) {
    for (const auto& [path, name] : texts)
        if (const auto found = by_student.find(name.student); found == by_student.end())
            add_to(by_student, name.student, path, name);
        else
            found->second.note = "handed in an online text too, which is not graded";
}

/// A person says whose each is. What else the export tells holds: files' own names, what is late, times.
void add_by_pattern(ByStudent& by_student, const fs::path& folder, const Naming& naming, ExportFormat format) {
    const std::regex form(naming.pattern);
    const bool has_metadata = format == ExportFormat::gradescope && fs::exists(folder / gradescope_file);
    const auto metadata = has_metadata ? read_gradescope_metadata(folder / gradescope_file)
                                       : std::map<std::string, GradescopeSubmission>();
    std::vector<std::pair<fs::path, EntryName>> online_texts;
    for (const fs::path& path : hand_ins_of(folder, naming, format)) {
        const std::string whole = path.filename().string();
        const auto id = id_by(form, whole);
        if (!id) {
            add_to(by_student, row_of(whole), path, {"", whole, ""}).problem =
                fmt::format("--student-id {} does not fit its name, so nobody knows whose it is", naming.pattern);
            continue;
        }
        EntryName name = name_in(format, whole).value_or(EntryName{"", whole, ""});
        name.student = student_of(*id);
        if (format == ExportFormat::moodle) name.note.clear();  // which participant is meant is said now
        if (name.is_online_text) {
            online_texts.emplace_back(path, name);
            continue;
        }
        const bool is_systems = name_in(format, whole).has_value();
        HandIn& hand_in =
            add_to(by_student, name.student, path, name, is_systems ? Archives::among_files : Archives::alone);
        if (const auto told = metadata.find(whole); told != metadata.end()) hand_in.submitted = told->second.submitted;
    }
    add_online_texts(by_student, online_texts);
}

/// One folder or archive a student. "anna", "anna.zip" and "anna.tar.gz" may come from several people, of whom none may
/// cost another a mark or get it: the folder is anna's, and archives beside it or each other go by their whole names.
/// Of two whole names that are one but for how Unicode writes their letters, the composed one is the id.
void add_by_name(ByStudent& by_student, const std::vector<fs::path>& entries) {
    std::map<std::string, std::set<std::string>> claims;  // of whole names, too
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        claims[student_of(name)].insert(name);
        claims[student_of(plain_name(name).student)].insert(name);
    }
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        const EntryName whose = plain_name(name);
        const std::set<std::string>& all = claims[student_of(whose.student)];
        if (all.size() == 1) {
            add_to(by_student, student_of(whose.student), path, whose);
            continue;
        }
        if (student_of(name) != name && all.contains(student_of(name))) {
            add_to(by_student, row_of(name), path, whose).problem =
                fmt::format("is called {} too, with its letters written in another way, so nobody knows whose it is",
                            student_of(name));
            continue;
        }
        const std::string note =
            fmt::format("{} submissions are called {}; this is {}", all.size(), whose.student, name);
        add_to(by_student, student_of(name), path, {name, whose.file, note});
    }
}

/// One that a system numbers, or what lies beside those: an entry whose name is not as the system gives them goes by
/// the whole of it, and so does one that may be two people's where somebody else has that number.
void add_by_number(ByStudent& by_student, const std::vector<fs::path>& entries, ExportFormat format) {
    std::map<std::string, std::set<std::string>> people;  // of each number
    for (const fs::path& path : entries)
        if (const auto name = name_in(format, path.filename().string())) people[name->student].insert(name->person);
    std::vector<std::pair<fs::path, EntryName>> online_texts;
    for (const fs::path& path : entries) {
        const std::string whole = path.filename().string();
        const auto name = name_in(format, whole);
        if (!name)
            // A name that is a number must not be taken for somebody's.
            add_to(by_student, is_number(whole) ? row_of(whole) : student_of(whole), path,
                   {whole, whole,
                    fmt::format("not named as {} does; --student-id PATTERN can say whose it is", to_string(format))});
        else if (name->has_others && people[name->student].size() > 1)
            add_to(by_student, student_of(whole), path,
                   {whole, name->file, "names several users; --student-id PATTERN says which one is meant"});
        else if (name->is_online_text)
            online_texts.emplace_back(path, *name);
        else
            add_to(by_student, student_of(name->student), path, *name, Archives::among_files);
    }
    add_online_texts(by_student, online_texts);
}

void add_gradescope(ByStudent& by_student, const fs::path& folder) {
    if (!fs::exists(folder / gradescope_file))
        throw std::runtime_error(
            fmt::format("{} has no {}, which Gradescope writes: take the whole export (Download Submissions), or say "
                        "--layout plain",
                        folder.string(), gradescope_file));
    for (const auto& [name, submission] : read_gradescope_metadata(folder / gradescope_file))
        for (const std::string& student : submission.students)
            add_to(by_student, student_of(student), folder / name, {student, name, ""}).submitted =
                submission.submitted;
}

/// What nobody can read, whatever is in it.
std::string problem_of(const HandIn& hand_in) {
    for (const fs::path& path : hand_in.paths)
        if (fs::is_symlink(path)) return "is a link";
    for (const fs::path& path : hand_in.paths)
        if (!fs::is_regular_file(path) && !fs::is_directory(path)) return "is no ordinary file and no folder";
    if (is_usable_id(hand_in.student) || !hand_in.problem.empty()) return hand_in.problem;
    return "the name is no usable student id: that begins with a letter, a digit or _, and has at most 100 bytes; a "
           "number must be the system's. --student-id PATTERN says how to find one";
}

}  // namespace

std::string to_string(ExportFormat format) {
    switch (format) {
        case ExportFormat::moodle:
            return "Moodle";
        case ExportFormat::canvas:
            return "Canvas";
        case ExportFormat::gradescope:
            return "Gradescope";
        case ExportFormat::plain:
            break;
    }
    return "one folder or archive per student";
}

std::string name_of(ExportFormat format) {
    for (const auto& [one, name] : layouts)
        if (one == format) return name;
    return "plain";
}

ExportFormat format_called(const std::string& name) {
    for (const auto& [format, one] : layouts)
        if (one == name) return format;
    throw std::runtime_error(
        fmt::format("there is no layout {}; there are moodle, canvas, gradescope and plain", name));
}

ExportFormat format_of(const fs::path& folder) {
    if (fs::exists(folder / gradescope_file)) return ExportFormat::gradescope;
    const std::vector<fs::path> entries = entries_of(folder, is_named_by_a_system);
    const auto most = [&](auto&& read) {
        const auto named = std::count_if(entries.begin(), entries.end(), [&](const fs::path& entry) {
            return read(entry.filename().string()).has_value();
        });
        return 2 * named > std::ssize(entries);
    };
    // Most of them: a student may call a folder anything, and must not change everybody's id by it.
    if (most(moodle_name)) return ExportFormat::moodle;
    return most(canvas_name) ? ExportFormat::canvas : ExportFormat::plain;
}

std::vector<std::string> left_out(const fs::path& folder, const Naming& naming) {
    const ExportFormat format = naming.format.value_or(format_of(folder));
    std::set<fs::path> taken;
    if (format != ExportFormat::gradescope || !naming.pattern.empty())
        for (const fs::path& path : hand_ins_of(folder, naming, format)) taken.insert(path);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        const bool is_made_up = format == ExportFormat::canvas && is_of_test_student(entry.path());
        if (taken.contains(entry.path()) || is_systems_own(name) || is_made_up) continue;
        if (is_hidden(name) || is_stray(entry.path())) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> of_test_student(const fs::path& folder, const Naming& naming) {
    const ExportFormat format = naming.format.value_or(format_of(folder));
    std::vector<std::string> names;
    if (format != ExportFormat::canvas) return names;
    for (const fs::path& path : named_entries_of(folder, naming, format))
        if (is_of_test_student(path)) names.push_back(path.filename().string());
    return names;
}

std::vector<HandIn> find_hand_ins(const fs::path& folder, const Naming& naming) try {
    ByStudent by_student;
    const ExportFormat format = naming.format.value_or(format_of(folder));
    if (!naming.pattern.empty())
        add_by_pattern(by_student, folder, naming, format);
    else if (format == ExportFormat::gradescope)
        add_gradescope(by_student, folder);
    else if (format == ExportFormat::plain)
        add_by_name(by_student, hand_ins_of(folder, naming, format));
    else
        add_by_number(by_student, hand_ins_of(folder, naming, format), format);
    std::vector<HandIn> hand_ins;
    for (auto& [student, hand_in] : by_student) {
        hand_in.problem = problem_of(hand_in);
        if (const auto time = naming.times.find(student); time != naming.times.end()) {
            hand_in.submitted = time->second;
            hand_in.time_from = TimeFrom::person;
        }
        hand_ins.push_back(std::move(hand_in));
    }
    return hand_ins;
} catch (const std::regex_error& error) {
    throw std::runtime_error(fmt::format("--student-id {} is no regular expression: {}", naming.pattern, error.what()));
}

}  // namespace headway::intake
