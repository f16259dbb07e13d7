#include "reached_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>

namespace headway::build {
namespace {

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

/// Templates and the like give a line several counts: one of them reached is enough.
verdict::Coverage coverage_of(const SourceFile& source, const json& counts) {
    const std::vector<std::string> text = lines_of(source.text);
    std::map<std::uint64_t, bool> reached;
    for (const json& line : counts) {
        const std::uint64_t number = number_in(line, "line_number");
        if (number >= 1 && number <= text.size()) reached[number] |= number_in(line, "count") > 0;
    }
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

std::vector<verdict::Coverage> reached_lines(const json& gcov, const std::vector<SourceFile>& files) {
    std::vector<verdict::Coverage> coverage;
    for (const SourceFile& source : files) {
        const json& counted = array_in(gcov, "files");
        const auto is_of_source = [&](const json& file) {
            const auto name = file.is_object() ? file.find("file") : file.end();
            return name != file.end() && name->is_string() &&
                   std::filesystem::path(name->get<std::string>()).lexically_normal() == source.path;
        };
        // gcov names a file once.
        const auto found = std::find_if(counted.begin(), counted.end(), is_of_source);
        if (found != counted.end()) coverage.push_back(coverage_of(source, array_in(*found, "lines")));
    }
    return coverage;
}

}  // namespace headway::build
