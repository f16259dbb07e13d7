#include "intake/entry_name.hpp"

#include "intake/file_tree.hpp"

#include <regex>

namespace headway::intake {
namespace {

/// Names come from strangers, and std::regex recurses once a character.
constexpr std::size_t longest_name = 255;

}  // namespace

std::optional<EntryName> moodle_name(const std::string& name) {
    static const std::regex form(R"(_(\d+)_assignsubmission_(file|onlinetext))");
    std::smatch match;
    if (name.size() > longest_name || !std::regex_search(name, match, form)) return std::nullopt;
    const std::string student = match[1];
    const std::string person = match.prefix();
    const bool is_online_text = match[2] == "onlinetext";
    std::string file = match.suffix();
    const bool is_alone = !std::regex_search(file.cbegin(), file.cend(), match, form);
    if (file.starts_with('_')) file.erase(0, 1);
    if (is_alone) return EntryName{student, file, "", person, false, is_online_text};
    return EntryName{name, file, "names several participants; --student-id PATTERN says which one is meant"};
}

std::optional<EntryName> canvas_name(const std::string& name) {
    static const std::regex form(R"(([^_/]*)_(LATE_)?(\d+)_(\d+)_([^/]+))");
    std::smatch match;
    if (name.size() > longest_name || !std::regex_match(name, match, form)) return std::nullopt;
    // A file handed in again gets a number: scaled_scores-1.cpp
    static const std::regex again(R"((.*)-\d+(\.[^.]+|\.tar\.\w+))");
    static const std::regex two_numbers(R"((?:^|_)(?:LATE_)?\d+_\d+_.)");
    return EntryName{match[3], std::regex_replace(match[5].str(), again, "$1$2"),
                     match[2].matched ? late_on_canvas : "", match[1],
                     std::regex_search(match[4].first, name.cend(), two_numbers)};
}

bool is_canvas_test_student(const EntryName& name) { return name.person == "studenttest"; }

EntryName plain_name(const std::string& name) {
    const std::size_t ending = archive_ending(name).size() + foreign_archive_ending(name).size();
    return {name.substr(0, name.size() - ending), name, ""};
}

}  // namespace headway::intake
