#include "intake/hand_in.hpp"

#include "intake/entry_name.hpp"
#include "intake/gradescope_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

constexpr const char* gradescope_file = "submission_metadata.yml";

/// What systems and tools leave in folders. A student whose name on Moodle begins with a dot is nothing of that.
bool is_hidden(const std::string& name) {
    return name.starts_with("._") || (name.starts_with('.') && !moodle_name(name));
}

bool is_number(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!is_hidden(name) && name != gradescope_file && name != "__MACOSX") entries.push_back(entry.path());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

EntryName name_by(const std::regex& pattern, const std::string& name) {
    std::smatch match;
    if (name.size() > 255 || !std::regex_search(name, match, pattern) || match.size() < 2) return {"", name, ""};
    return {match[1], name, ""};
}

/// Puts a file or folder to what its student has handed in already.
void add_to(std::map<std::string, HandIn>& by_student, const fs::path& path, const EntryName& name) {
    HandIn& hand_in = by_student[name.student];
    hand_in.student = name.student;
    const bool single = !fs::is_directory(path) && !is_archive(path);
    if (!hand_in.paths.empty() && (!single || hand_in.names.empty()))
        hand_in.problem = fmt::format("{} is a second submission of the same student", path.filename().string());
    hand_in.paths.push_back(path);
    if (single) hand_in.names.push_back(name.file);
    if (!name.note.empty()) hand_in.note = name.note;
}

/// One folder or archive a student. "anna", "anna.zip" and "anna.tar.gz" may come from several people, of whom none may
/// cost another a mark or get it: the folder is anna's, and archives beside it or each other go by their whole names.
void add_by_name(std::map<std::string, HandIn>& by_student, const std::vector<fs::path>& entries) {
    std::map<std::string, std::set<std::string>> claims;  // of whole names, too
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        claims[name].insert(name);
        claims[plain_name(name).student].insert(name);
    }
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        const EntryName whose = plain_name(name);
        const bool is_alone = claims[whose.student].size() == 1;
        const std::string note =
            fmt::format("{} submissions are called {}; this is {}", claims[whose.student].size(), whose.student, name);
        add_to(by_student, path, is_alone ? whose : EntryName{name, whose.file, note});
    }
}

/// One that a system numbers, or what lies beside those: an entry whose name is not as the system gives them goes by
/// the whole of it, and so does one that may be two people's where somebody else has that number.
void add_by_number(std::map<std::string, HandIn>& by_student, const std::vector<fs::path>& entries,
                   ExportFormat format) {
    const auto read = format == ExportFormat::moodle ? moodle_name : canvas_name;
    std::map<std::string, std::set<std::string>> people;  // of each number
    for (const fs::path& path : entries)
        if (const auto name = read(path.filename().string())) people[name->student].insert(name->person);
    for (const fs::path& path : entries) {
        const std::string whole = path.filename().string();
        const auto name = read(whole);
        if (!name)
            // A name that is a number must not be taken for somebody's.
            add_to(by_student, path,
                   {is_number(whole) ? "'" + whole + "'" : whole, whole,
                    fmt::format("not named as {} does; --student-id PATTERN can say whose it is", to_string(format))});
        else if (name->has_others && people[name->student].size() > 1)
            add_to(by_student, path,
                   {whole, name->file, "names several users; --student-id PATTERN says which one is meant"});
        else
            add_to(by_student, path, *name);
    }
}

void add_gradescope(std::map<std::string, HandIn>& by_student, const fs::path& folder) {
    for (const auto& [name, submission] : read_gradescope_metadata(folder / gradescope_file))
        for (const std::string& student : submission.students) {
            add_to(by_student, folder / name, {student, name, ""});
            by_student[student].submitted = submission.submitted;
        }
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
    return "one folder or archive a student";
}

ExportFormat format_of(const fs::path& folder) {
    if (fs::exists(folder / gradescope_file)) return ExportFormat::gradescope;
    const std::vector<fs::path> entries = entries_of(folder);
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

std::vector<std::string> left_out(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        if (std::string name = entry.path().filename().string(); is_hidden(name)) names.push_back(std::move(name));
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<HandIn> find_hand_ins(const fs::path& folder, const Naming& naming) try {
    std::map<std::string, HandIn> by_student;
    const ExportFormat format = format_of(folder);
    const std::regex pattern(naming.pattern);
    if (format == ExportFormat::gradescope && naming.pattern.empty())
        add_gradescope(by_student, folder);
    else if (!naming.pattern.empty())
        for (const fs::path& path : entries_of(folder))
            add_to(by_student, path, name_by(pattern, path.filename().string()));
    else if (format == ExportFormat::plain)
        add_by_name(by_student, entries_of(folder));
    else
        add_by_number(by_student, entries_of(folder), format);
    std::vector<HandIn> hand_ins;
    for (auto& [student, hand_in] : by_student) {
        if (!is_usable_id(student))
            hand_in.problem = fmt::format("'{}' is no usable student id; --student-id PATTERN says how to find one",
                                          student.substr(0, 80));
        for (const fs::path& path : hand_in.paths)
            if (fs::is_symlink(path)) hand_in.problem = "is a link";
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
