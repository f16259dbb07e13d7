#include "build/reached_lines.hpp"

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

namespace headway::build {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
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

/// By line, whether it was reached. Templates and the like give a line several counts, and so do several processes.
using Reached = std::map<std::uint64_t, bool>;

/// @return whether the document speaks of the file
bool add_lines(const json& document, const fs::path& file, std::size_t most_lines, Reached& reached) {
    bool is_told = false;
    for (const json& one : array_in(document, "files")) {
        const auto name = one.is_object() ? one.find("file") : one.end();
        if (name == one.end() || !name->is_string() || fs::path(name->get<std::string>()).lexically_normal() != file)
            continue;
        is_told = true;
        for (const json& line : array_in(one, "lines")) {
            const std::uint64_t number = number_in(line, "line_number");
            if (number >= 1 && number <= most_lines) reached[number] |= number_in(line, "count") > 0;
        }
    }
    return is_told;
}

verdict::Coverage coverage_of(const SourceFile& source, const std::vector<std::string>& text, const Reached& reached) {
    verdict::Coverage coverage;
    coverage.file = source.path.string();
    for (const auto& [number, was_reached] : reached) {
        ++coverage.all_lines;
        if (was_reached)
            ++coverage.reached_lines;
        else
            coverage.missed.push_back({static_cast<int>(number), text[number - 1]});
    }
    return coverage;
}

}  // namespace

std::vector<verdict::Coverage> reached_lines(const std::vector<json>& documents, const std::vector<SourceFile>& files) {
    std::vector<verdict::Coverage> coverage;
    for (const SourceFile& source : files) {
        const std::vector<std::string> text = lines_of(source.text);
        Reached reached;
        bool is_told = false;
        for (const json& document : documents) is_told |= add_lines(document, source.path, text.size(), reached);
        if (is_told) coverage.push_back(coverage_of(source, text, reached));
    }
    return coverage;
}

}  // namespace headway::build
