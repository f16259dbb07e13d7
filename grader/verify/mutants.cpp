#include "verify/mutants.hpp"

#include "submission/digest.hpp"
#include "verdict/names.hpp"
#include "verify/unfinished.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> known_keys{
    "mistake",  "expect", "stage", "functions", "diagnosis",       "and_more",       "source",
    "extended", "base",   "edit",  "replaces",  "reason_for_cost", "needs_sanitizer"};
constexpr const char* catalogue = "mutants.toml";
constexpr const char* own_catalogue = "mutant.toml";

std::runtime_error wrong(const fs::path& file, const std::string& name, const std::string& what) {
    return std::runtime_error(fmt::format("{}: {}: {}", file.string(), name, what));
}

toml::table parse(const fs::path& file) {
    try {
        return toml::parse_file(file.string());
    } catch (const toml::parse_error& error) {
        throw std::runtime_error(
            fmt::format("{}, line {}: {}", file.string(), error.source().begin.line, error.description()));
    }
}

std::vector<std::string> words(const toml::node_view<const toml::node>& node) {
    std::vector<std::string> words;
    if (const toml::array* array = node.as_array())
        for (const toml::node& word : *array) words.push_back(word.value_or(std::string()));
    return words;
}

Changes changes_of(const toml::table& table) {
    Changes changes;
    if (const toml::array* edits = table["edit"].as_array())
        for (const toml::node& node : *edits) {
            const toml::table* edit = node.as_table();
            const auto was = edit != nullptr ? (*edit)["was"].value<std::string>() : std::nullopt;
            const auto is = edit != nullptr ? (*edit)["is"].value<std::string>() : std::nullopt;
            if (!was || !is) throw std::invalid_argument(R"(each edit is { was = "...", is = "..." })");
            changes.edits.push_back({*was, *is});
        }
    if (const toml::table* replaces = table["replaces"].as_table())
        for (const auto& [function, text] : *replaces) {
            const auto source = text.value<std::string>();
            if (!source) throw std::invalid_argument("replaces.FUNCTION is the text of that function");
            changes.replaces.emplace(function.str(), *source);
        }
    return changes;
}

/// `expect = { stage, functions, diagnosis }` is the short form of these three keys.
toml::table without_short_form(toml::table table) {
    if (const toml::table* expected = table["expect"].as_table()) {
        const toml::table copy = *expected;
        table.erase("expect");
        for (const auto& [key, value] : copy) table.insert(key, value);
    }
    return table;
}

void expect_finished(const toml::table& said) {
    std::ostringstream text;
    text << said;
    if (text.str().find(to_be_filled_in) != std::string::npos)
        throw std::invalid_argument(fmt::format(
            "not finished. Write what is wrong in place of each {}; CONTRIBUTING.md describes the keys (\"Mutants\")",
            to_be_filled_in));
}

/// "none" stands for no stage, as does a catalogue that says nothing of it.
verdict::Stage stage_of(const toml::table& table) {
    if (!table.contains("stage")) return verdict::Stage::none;
    const auto said = table["stage"].value_or(std::string());
    std::vector<std::string_view> known;
    for (const auto& [stage, word] : verdict::names_of(verdict::Stage{})) {
        known.push_back(stage == verdict::Stage::none ? "none" : word);
        if (said == known.back()) return stage;
    }
    throw std::invalid_argument(fmt::format("there is no stage \"{}\"; there are {}", said, fmt::join(known, ", ")));
}

Mutant mutant_of(const std::string& name, const toml::table& said) {
    expect_finished(said);
    toml::table table = without_short_form(said);
    for (const auto& [key, value] : table)
        if (std::ranges::find(known_keys, key.str()) == known_keys.end())
            throw std::invalid_argument(
                fmt::format("there is no key {}; there are {}", key.str(), fmt::join(known_keys, ", ")));
    Mutant mutant;
    mutant.name = name;
    mutant.stage = stage_of(table);
    mutant.functions = words(std::as_const(table)["functions"]);
    mutant.diagnosis = words(std::as_const(table)["diagnosis"]);
    mutant.reason_for_cost = table["reason_for_cost"].value_or(std::string());
    mutant.extended = table["extended"].value_or(false);
    mutant.needs_sanitizer = table["needs_sanitizer"].value_or(false);
    mutant.and_more = table["and_more"].value_or(false);
    mutant.base = table["base"].value_or(std::string());
    mutant.changes = changes_of(table);
    if (mutant.is_whole() != (mutant.changes.edits.empty() && mutant.changes.replaces.empty()))
        throw std::invalid_argument("a `base` and what is changed in it belong together: edit, replaces or both");
    for (const char* how : {"base", "edit", "replaces"}) table.erase(how);
    std::ostringstream text;
    text << table << '\n';
    mutant.about = text.str();
    return mutant;
}

/// Path below the folder -> text.
std::map<std::string, std::string> files_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files.emplace(entry.path().lexically_relative(folder).string(), build::read_file(entry.path()));
    return files;
}

}  // namespace

std::size_t lines_apart(const std::string& one, const std::string& other) {
    std::map<std::string, std::ptrdiff_t> more;  // in `one` than in `other`
    const auto count = [&](const std::string& text, std::ptrdiff_t sign) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            if (line.find_first_not_of(' ') != std::string::npos) more[line] += sign;
    };
    count(one, 1);
    count(other, -1);
    std::size_t apart = 0;
    for (const auto& [line, times] : more) apart += static_cast<std::size_t>(std::abs(times));
    return apart;
}

Mutants::Mutants(const fs::path& course, std::string exercise)
    : course_(course), folder_(course / "tests" / "mutants" / exercise), exercise_(std::move(exercise)) {
    if (fs::exists(folder_ / catalogue)) read_catalogue();
    if (fs::is_directory(folder_)) read_folders();
    std::ranges::sort(all_, {}, &Mutant::name);
}

void Mutants::read_catalogue() {
    const fs::path file = folder_ / catalogue;
    for (const auto& [name, node] : parse(file)) {
        const std::string title(name.str());
        const toml::table* table = node.as_table();
        if (table == nullptr) throw wrong(file, title, "each mutant is a table: [name]");
        try {
            all_.push_back(mutant_of(title, *table));
        } catch (const std::invalid_argument& error) {
            throw wrong(file, title, error.what());
        }
        const bool has_folder = fs::is_directory(folder_ / title / exercise_);
        if (all_.back().is_whole() && !has_folder)
            throw wrong(file, title,
                        fmt::format("has no `base`, and no program in {}/{}/{}", folder_.string(), title, exercise_));
        if (!all_.back().is_whole() && has_folder)
            throw wrong(file, title, "has a `base` and a folder of its own; one of them must go");
    }
}

void Mutants::read_folders() {
    std::set<std::string> listed;
    for (const Mutant& mutant : all_) listed.insert(mutant.name);
    for (const auto& entry : fs::directory_iterator(folder_)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_directory()) continue;
        const fs::path file = entry.path() / own_catalogue;
        if (listed.contains(name) == fs::exists(file))
            throw wrong(file, name,
                        listed.contains(name) ? fmt::format("{} lists it too", catalogue)
                                              : fmt::format("missing, and {} does not list it", catalogue));
        if (listed.contains(name)) continue;
        try {
            all_.push_back(mutant_of(name, parse(file)));
        } catch (const std::invalid_argument& error) {
            throw wrong(file, name, error.what());
        }
        if (!all_.back().is_whole()) throw wrong(file, name, fmt::format("what has a `base` stands in {}", catalogue));
    }
}

const Mutant& Mutants::find(const std::string& name) const {
    const auto found = std::ranges::find(all_, name, &Mutant::name);
    if (found == all_.end())
        throw std::out_of_range(fmt::format("there is no mutant {} in {}", name, folder_.string()));
    return *found;
}

/// The folder of the submission that its program is made from.
fs::path Mutants::base_of(const Mutant& mutant) const {
    if (mutant.base == "solution") return course_ / "solutions";
    fs::path other = mutant.base.starts_with("accepted/")
                         ? course_ / "tests" / "accepted" / exercise_ / mutant.base.substr(9)
                         : folder_ / mutant.base;
    if (!fs::is_directory(other / exercise_))
        throw wrong(
            folder_ / catalogue, mutant.name,
            fmt::format("its base {} is no whole program: there is no {}/{}", mutant.base, other.string(), exercise_));
    return other;
}

std::map<std::string, std::string> Mutants::program(const Mutant& mutant) const {
    std::map<std::string, std::string> files =
        files_below((mutant.is_whole() ? folder_ / mutant.name : base_of(mutant)) / exercise_);
    if (mutant.is_whole()) return files;
    if (files.size() != 1)
        throw wrong(folder_ / catalogue, mutant.name, fmt::format("its base {} is not a single file", mutant.base));
    try {
        std::string& source = files.begin()->second;
        source = changed_program(source, mutant.changes);
    } catch (const std::invalid_argument& error) {
        throw wrong(folder_ / catalogue, mutant.name, fmt::format("base {}: {}", mutant.base, error.what()));
    }
    return files;
}

std::set<std::string> Mutants::near_copies() const {
    constexpr std::size_t few = 12;
    const auto text_in = [](const std::map<std::string, std::string>& files) {
        std::string text;
        for (const auto& [path, part] : files) text += part + "\n";
        return text;
    };
    std::vector<std::string> known;
    std::vector<fs::path> right{course_ / "solutions" / exercise_};
    if (const fs::path accepted = course_ / "tests" / "accepted" / exercise_; fs::is_directory(accepted))
        for (const auto& entry : fs::directory_iterator(accepted))
            if (entry.is_directory()) right.push_back(entry.path() / exercise_);
    for (const fs::path& folder : right)
        if (fs::is_directory(folder)) known.push_back(text_in(files_below(folder)));
    std::set<std::string> copies;
    for (const Mutant& mutant : all_) {
        if (!mutant.is_whole()) continue;
        std::string text = text_in(program(mutant));
        if (std::ranges::any_of(known, [&](const std::string& other) { return lines_apart(text, other) <= few; }))
            copies.insert(mutant.name);
        known.push_back(std::move(text));
    }
    return copies;
}

void Mutants::write(const Mutant& mutant, const fs::path& submission) const {
    for (const auto& [path, text] : program(mutant)) {
        const fs::path file = submission / exercise_ / path;
        fs::create_directories(file.parent_path());
        build::write_file(file, text);
    }
    build::write_file(submission / own_catalogue, mutant.about);
}

}  // namespace headway::cli
