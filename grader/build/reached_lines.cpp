#include "build/reached_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace headway::build {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// That are no source's own: what a source includes may be spelled in a few ways, and #line may make up any number.
constexpr std::size_t most_other_names = 2000;
constexpr std::size_t longest_counted_name = 2000;

/// As many as std::getline() finds.
std::size_t count_lines(const std::string& text) {
    const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return text.empty() || text.back() == '\n' ? ends : ends + 1;
}

/// The array under `key`; empty if there is none.
const json& array_in(const json& object, const char* key) {
    static const json none = json::array();
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : none;
}

/// The number under `key`; 0 if there is none above.
std::uint64_t number_in(const json& object, const char* key) {
    if (!object.is_object()) return 0;
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace

ReachedLines::ReachedLines(const std::vector<SourceFile>& files) {
    files_.reserve(files.size());  // names_ knows where they are
    for (const SourceFile& file : files) {
        File& one = files_.emplace_back(File{&file, std::vector<Line>(count_lines(file.text), Line::not_told)});
        names_[file.path.string()] = names_["./" + file.path.string()] = &one;
    }
    most_names_ = names_.size() + most_other_names;
}

ReachedLines::File* ReachedLines::find(const std::string& name) {
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
    // One of a library, or of nobody.
    if (name.starts_with('/') || name.size() > longest_counted_name || names_.size() == most_names_) return nullptr;
    const auto own = names_.find(fs::path(name).lexically_normal().string());
    return names_[name] = own != names_.end() ? own->second : nullptr;
}

/// Templates and the like give a line several counts, and so do several processes.
void ReachedLines::add(const json& document) {
    for (const json& one : array_in(document, "files")) {
        const auto name = one.is_object() ? one.find("file") : one.end();
        File* const file = name != one.end() && name->is_string() ? find(name->get_ref<const std::string&>()) : nullptr;
        if (file == nullptr) continue;
        file->is_told = true;
        for (const json& line : array_in(one, "lines")) {
            const std::uint64_t number = number_in(line, "line_number");
            if (number < 1 || number > file->lines.size()) continue;
            Line& known = file->lines[number - 1];
            known = std::max(known, number_in(line, "count") > 0 ? Line::reached : Line::missed);
        }
    }
}

std::vector<verdict::Coverage> ReachedLines::found() const {
    std::vector<verdict::Coverage> all;
    for (const File& file : files_) {
        if (!file.is_told) continue;
        verdict::Coverage& coverage = all.emplace_back();
        coverage.file = file.source->path.string();
        std::istringstream in(file.source->text);
        std::string text;
        for (std::size_t i = 0; i < file.lines.size() && std::getline(in, text); ++i) {
            if (file.lines[i] == Line::not_told) continue;
            ++coverage.all_lines;
            if (file.lines[i] == Line::reached)
                ++coverage.reached_lines;
            else
                coverage.missed.push_back({static_cast<int>(i) + 1, text});
        }
    }
    return all;
}

}  // namespace headway::build
