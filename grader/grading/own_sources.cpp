#include "grading/own_sources.hpp"

#include "submission/source_words.hpp"
#include "submission/words_of_files.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace headway::cli {
namespace {

// What anybody writes is far shorter. What is longer is not read: it would keep the grader busy.
constexpr std::size_t most_words_of_a_function = 10'000;

}  // namespace

OwnSources::OwnSources(const std::vector<build::SourceFile>& files) {
    if (read(files)) return;
    parts_.clear();
    of_file_.clear();
    of_function_.clear();
}

/// @return whether all of it is short enough, and its brackets match
bool OwnSources::read(const std::vector<build::SourceFile>& files) {
    if (!build::is_read_for_advice(files)) return false;
    for (const build::SourceFile& file : files) {
        if (build::is_replay(file.path)) continue;
        const std::vector<build::Word> words = build::words_of(file.text);
        auto declarations = build::declarations_in(words);
        if (!declarations) return false;
        for (build::Declaration& one : *declarations) {
            if (one.words.size() > most_words_of_a_function) return false;
            const std::size_t index = parts_.size();
            std::set<std::size_t> mentions;
            for (const build::Word& word : one.words)
                if (word.is_name()) mentions.insert(number_of(word.text));
            for (const std::string& name : one.names) reached_by_[number_of(name)].push_back(index);
            if (!one.is_directive) of_file_[file.path.string()].push_back(index);
            if (!one.function.empty()) of_function_[one.function].push_back(index);
            parts_.push_back({std::move(one), {mentions.begin(), mentions.end()}});
        }
    }
    return true;
}

std::size_t OwnSources::number_of(const std::string& name) {
    const auto [known, is_new] = numbers_.emplace(name, reached_by_.size());
    if (is_new) reached_by_.emplace_back();
    return known->second;
}

/// The part that the line is in; null where two parts share it.
const OwnSources::Part* OwnSources::part_around(const verdict::SourceLine& at) const {
    const auto file = of_file_.find(at.file);
    if (file == of_file_.end()) return nullptr;
    const std::vector<std::size_t>& parts = file->second;
    const auto first_line = [&](std::size_t part) { return parts_[part].declared.first_line(); };
    const auto last_line = [&](std::size_t part) { return parts_[part].declared.last_line(); };
    const auto next = std::ranges::upper_bound(parts, at.line, {}, first_line);
    if (next == parts.begin() || last_line(*std::prev(next)) < at.line) return nullptr;
    const auto around = std::prev(next);
    const bool is_shared = around != parts.begin() && last_line(*std::prev(around)) >= at.line;
    return is_shared ? nullptr : &parts_[*around];
}

std::string OwnSources::function_around(const verdict::SourceLine& at) const {
    const Part* part = part_around(at);
    return part == nullptr ? "" : part->declared.function;
}

std::vector<std::string> OwnSources::functions_that_name(const std::string& function) const {
    std::vector<std::string> all;
    const auto number = numbers_.find(function);
    if (number == numbers_.end()) return all;
    for (const Part& part : parts_) {
        const std::string& name = part.declared.function;
        if (name.empty() || name == function || std::ranges::find(all, name) != all.end()) continue;
        if (std::ranges::find(part.mentions, number->second) != part.mentions.end()) all.push_back(name);
    }
    return all;
}

/// Whether these names lead to `other`. Each name is followed once, and each part that it leads to is read once.
/// @param but  a name that is not followed
bool OwnSources::may_reach(std::vector<std::size_t> mentioned, const std::string& other, const std::string& but) const {
    const auto sought = numbers_.find(other);
    if (sought == numbers_.end()) return false;
    std::vector<bool> is_mentioned(reached_by_.size(), false), is_reached(parts_.size(), false);
    if (const auto known = numbers_.find(but); known != numbers_.end()) is_mentioned[known->second] = true;
    while (!mentioned.empty()) {
        const std::size_t name = mentioned.back();
        mentioned.pop_back();
        if (name == sought->second) return true;
        if (is_mentioned[name]) continue;
        is_mentioned[name] = true;
        for (const std::size_t part : reached_by_[name]) {
            if (is_reached[part]) continue;
            is_reached[part] = true;
            mentioned.insert(mentioned.end(), parts_[part].mentions.begin(), parts_[part].mentions.end());
        }
    }
    return false;
}

/// The names that all definitions of this function mention.
std::vector<std::size_t> OwnSources::mentioned_in(const std::string& function) const {
    std::vector<std::size_t> mentioned;
    if (const auto defined = of_function_.find(function); defined != of_function_.end())
        for (const std::size_t part : defined->second)
            mentioned.insert(mentioned.end(), parts_[part].mentions.begin(), parts_[part].mentions.end());
    return mentioned;
}

bool OwnSources::never_calls(const std::string& function, const std::string& other) const {
    return of_function_.contains(function) && !may_reach(mentioned_in(function), other);
}

bool OwnSources::never_calls_but_through(const std::string& through, const std::string& function,
                                         const std::string& other) const {
    return of_function_.contains(function) && !may_reach(mentioned_in(function), other, through);
}

bool OwnSources::calls(const std::string& function, const std::string& other) const {
    const auto defined = of_function_.find(function);
    if (defined == of_function_.end() || defined->second.size() != 1) return false;
    const build::Declaration& declared = parts_[defined->second.front()].declared;
    for (std::size_t i = declared.body; i + 1 < declared.words.size(); ++i)
        if (declared.words[i].text == other && declared.words[i + 1].text == "(") return true;
    return false;
}

bool OwnSources::calls_none_before(const verdict::SourceLine& at, const std::string& other) const {
    static const std::set<std::string> repeats = {"for", "while", "do", "goto"};
    const Part* part = part_around(at);
    if (part == nullptr || part->declared.function.empty()) return false;
    const build::Declaration& declared = part->declared;
    std::vector<std::size_t> mentioned;
    for (std::size_t i = 0; i < declared.words.size() && declared.words[i].line <= at.line; ++i) {
        const build::Word& word = declared.words[i];
        // In a loop, what stands below may come before.
        if (repeats.contains(word.text)) return false;
        // Its own name above its block calls nothing.
        const bool is_its_name = i < declared.body && word.text == declared.function;
        if (word.is_name() && !is_its_name) mentioned.push_back(numbers_.at(word.text));
    }
    return !may_reach(std::move(mentioned), other);
}

}  // namespace headway::cli
