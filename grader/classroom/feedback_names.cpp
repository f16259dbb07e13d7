#include "classroom/feedback_names.hpp"

#include "classroom/platform_numbers.hpp"
#include "classroom/zip_file.hpp"
#include "intake/entry_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace headway::classroom {
namespace {

constexpr std::string_view submission = "_assignsubmission_";

/// The folder's own name, without what the student called a file in it; Moodle splits it at underscores, so that a
/// person's name has none.
std::string moodles_folder(const std::string& entry, const std::string& number) {
    const std::string middle = fmt::format("_{}{}", number, submission);
    const std::size_t begins = entry.find(middle);
    std::string person = entry.substr(0, begins);
    std::ranges::replace(person, '_', ' ');
    const std::size_t kind = begins + middle.size();
    const std::size_t ends = entry.find('_', kind);
    return person + middle + entry.substr(kind, ends == std::string::npos ? ends : ends + 1 - kind);
}

std::string participants_page(const std::string& number) {
    return fmt::format("Participant_{}{}file_/feedback.html", number, submission);
}

/// What Canvas looks at: user and file, the first two numbers between underscores.
std::string canvass_numbers(const std::string& entry) {
    std::string numbers;
    std::size_t found = 0;
    std::istringstream parts(entry);
    for (std::string part; found < 2 && std::getline(parts, part, '_');) {
        if (!is_number(part)) continue;
        numbers += "_" + part;
        ++found;
    }
    return numbers;
}

}  // namespace

std::optional<std::string> moodle_feedback_name(const std::vector<std::string>& entries, const std::string& number) {
    for (const std::string& entry : entries) {
        const auto name = intake::moodle_name(entry);
        if (!name || !is_number(name->student)) continue;
        const std::string page = moodles_folder(entry, name->student) + "/feedback.html";
        return ZipFile::can_hold(page) ? page : participants_page(name->student);
    }
    if (!is_number(number)) return std::nullopt;
    return participants_page(number);
}

std::optional<std::string> canvas_feedback_name(const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
        if (!intake::canvas_name(entry)) continue;
        const std::string file = intake::plain_name(entry).student;
        const std::string page = (file == entry ? std::filesystem::path(entry).stem().string() : file) + ".html";
        return ZipFile::can_hold(page) ? page : "student" + canvass_numbers(entry) + "_feedback.html";
    }
    return std::nullopt;
}

}  // namespace headway::classroom
