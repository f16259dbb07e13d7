#include "intake/exercise_names.hpp"

#include "submission/submission.hpp"

#include <filesystem>
#include <regex>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

/// Names come from strangers, and std::regex recurses once a character.
constexpr std::size_t longest_name = 255;

/// Letters and digits alone, in small letters.
std::string bare(const std::string& name) {
    std::string letters;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) letters += c;
    }
    return letters;
}

/// What browsers and file managers add to the name of a second file: "(1)", " - Copy", " copy 2", " - Kopie".
const std::regex& copy_mark() {
    static const std::regex form(R"( ?\(\d{1,3}\)$| -? ?(?:copy|kopie)(?: \d{1,3}| \(\d{1,3}\))?$)", std::regex::icase);
    return form;
}

/// And Canvas to that of a file handed in again.
std::string without_marks(const std::string& stem) {
    static const std::regex again(R"(-\d{1,3}$)");
    return std::regex_replace(std::regex_replace(stem, copy_mark(), ""), again, "");
}

}  // namespace

std::string name_without_number(const std::string& exercise) { return exercise.substr(exercise.find('_') + 1); }

bool is_folder_of(const std::string& folder, const std::string& exercise) { return bare(folder) == bare(exercise); }

bool is_stub_of(const std::string& file, const std::string& exercise) {
    if (file.size() > longest_name || !build::SourceFile{file, {}}.is_compiled()) return false;
    const std::string name = bare(without_marks(fs::path(file).stem().string()));
    return name == bare(name_without_number(exercise)) || name == bare(exercise);
}

bool is_marked_as_copy(const std::string& file) {
    return file.size() <= longest_name && std::regex_search(fs::path(file).stem().string(), copy_mark());
}

}  // namespace headway::intake
