#include "suites/06_catch_the_bug/line_counts.hpp"

#include "build/gcov.hpp"

#include <map>
#include <string>

namespace headway::judge {
namespace {

namespace fs = std::filesystem;

constexpr const char* gcov = "/usr/bin/gcov";
/// The source of the reference, of which there is one object.
constexpr const char* source = "staged.cpp";

LineCounts added_up(const nlohmann::json& lines) {
    LineCounts counts;
    std::map<int, bool> run;  // a line has an entry for each function that it is part of
    for (const auto& line : lines) {
        run[line.at("line_number").get<int>()] |= line.at("count").get<std::int64_t>() > 0;
        for (const auto& branch : line.at("branches")) {
            if (branch.at("throw").get<bool>()) continue;
            ++counts.branches;
            counts.branches_taken += branch.at("count").get<std::int64_t>() > 0 ? 1 : 0;
        }
    }
    for (const auto& [number, was_run] : run) {
        ++counts.lines;
        counts.lines_run += was_run ? 1 : 0;
    }
    return counts;
}

}  // namespace

std::optional<LineCounts> line_counts(const fs::path& folder, const fs::path& notes) try {
    if (!fs::exists(notes) || !fs::exists(gcov)) return std::nullopt;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().filename() != std::string(source) + ".gcda") continue;
        fs::path beside = entry.path();
        fs::copy_file(notes, beside.replace_extension(".gcno"));
        const auto document = build::gcov_of(gcov, entry.path());
        if (document.is_null()) return std::nullopt;
        for (const auto& file : document.at("files"))
            if (fs::path(file.at("file").get<std::string>()).filename() == source) return added_up(file.at("lines"));
    }
    return std::nullopt;
} catch (const std::exception&) {
    return std::nullopt;  // it is told beside the marks, and costs nobody any
}

}  // namespace headway::judge
