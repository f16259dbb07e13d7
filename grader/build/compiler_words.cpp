#include "build/compiler_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

constexpr std::string_view decimal_digits = "0123456789";

/// Errors and warnings that are read: compilers stop at 20 errors, but an assembler does not.
constexpr std::size_t most_errors_read = 4000;

/// Who asked for a template, or included a file: compilers leave out the middle of a long way. Each error may have
/// them.
constexpr std::size_t most_places_kept = 16;

/// The innermost ones, and the outermost one: in the end somebody's own line asked.
void keep_place(std::vector<Place>& places, const Place& place) {
    if (places.size() == most_places_kept) places.pop_back();
    places.push_back(place);
}

/// Takes digits off `text`; 0 if there are none, or too many for an int.
int take_number(std::string_view& text) {
    const std::string_view taken = text.substr(0, std::min(text.find_first_not_of(decimal_digits), text.size()));
    text.remove_prefix(taken.size());
    int number = 0;
    const auto [end, error] = std::from_chars(taken.data(), taken.data() + taken.size(), number);
    return error == std::errc() ? number : 0;
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

std::string_view without_indent(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// "FILE:14:5" or "FILE:14" at the beginning of `text`, taken off it.
std::optional<Place> take_place(std::string_view& text) {
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
        std::string_view rest = text.substr(colon + 1);
        Place place{.file = text.substr(0, colon), .line = take_number(rest)};
        if (place.line == 0) continue;
        if (rest.size() > 1 && rest[0] == ':' && decimal_digits.find(rest[1]) != std::string_view::npos) {
            rest.remove_prefix(1);
            place.column = take_number(rest);
        }
        text = rest;
        return place;
    }
    return {};
}

std::optional<Severity> take_severity(std::string_view& text) {
    constexpr std::array<std::pair<std::string_view, Severity>, 4> words = {{{"error: ", Severity::error},
                                                                             {"fatal error: ", Severity::error},
                                                                             {"warning: ", Severity::warning},
                                                                             {"note: ", Severity::note}}};
    for (const auto& [word, severity] : words)
        if (take(text, word)) return severity;
    return {};
}

/// "In file included from FILE:3," and "                 from FILE:3:"
std::optional<Place> including_place(std::string_view line) {
    line = without_indent(line);
    if (!take(line, "In file included from ") && !take(line, "from ")) return {};
    return take_place(line);
}

/// g++'s "FILE: In function ‘f()’:", "FILE: In instantiation of ‘f<int>()’:" and "FILE: At global scope:"
bool names_a_function(std::string_view line) {
    return line.ends_with(':') &&
           (line.find(": In ") != std::string_view::npos || line.find(": At ") != std::string_view::npos);
}

bool are_marks(std::string_view line) {
    return line.find_first_not_of(" ~^") == std::string_view::npos &&
           line.find_first_not_of(' ') != std::string_view::npos;
}

/// Reads line by line.
class OutputReader {
public:
    void read(std::string_view line) {
        if (read_head(line)) return;
        if (const auto place = including_place(line))
            keep_place(included_from_, *place);
        else if (!read_bar(line))
            read_quote(line);
    }

    bool has_enough() const { return found_.size() == most_errors_read; }
    std::vector<CompilerWords> found() && { return std::move(found_); }

private:
    /// "FILE:14:5: error: text", or "FILE:14:5:   required from here"
    bool read_head(std::string_view line) {
        const std::string_view whole = line;
        const auto place = take_place(line);
        if (!place || !take(line, ": ")) {
            is_in_another_function_ |= names_a_function(whole);
            return false;
        }
        if (const auto severity = take_severity(line)) {
            begin({.severity = *severity, .place = *place, .text = line});
            return true;
        }
        if (!line.starts_with("  ")) return false;
        keep_place(required_from_, *place);
        return true;
    }

    void begin(CompilerWords words) {
        words.required_from = std::exchange(required_from_, {});
        words.included_from = std::exchange(included_from_, {});
        // g++ spreads the warning of members' order over three.
        const bool goes_on = words.severity == Severity::note || words.text.starts_with("  ");
        if (!goes_on) {
            const bool is_of_the_same = words.severity == Severity::error && words.required_from.empty() &&
                                        words.included_from.empty() && !is_in_another_function_ && !found_.empty() &&
                                        found_.back().place.file == words.place.file;
            // g++ tells once who asked for a template, however much of it is wrong.
            if (is_of_the_same) words.required_from = found_.back().required_from;
            is_as_before_ = is_of_the_same;
            is_in_another_function_ = false;
            last_ = &found_.emplace_back(std::move(words));
        } else if (!found_.empty()) {
            CompilerWords& whole = found_.back();
            if (words.tells_who_asked()) {
                if (std::exchange(is_as_before_, false))
                    whole.required_from.clear();  // clang++ tells it after the error
                keep_place(whole.required_from, words.place);
            }
            words.required_from.clear();
            words.included_from.clear();
            last_ = &whole.notes.emplace_back(std::move(words));
        }
    }

    /// g++'s "   14 | source" and "      | ~~^~~"
    bool read_bar(std::string_view line) {
        line = without_indent(line);
        const int number = take_number(line);
        if (!take(line, number > 0 ? " |" : "|")) return false;
        if (line.starts_with(' ')) line.remove_prefix(1);
        if (last_ == nullptr) return true;
        if (number > 0)
            last_->quotes.push_back({.line = number, .text = line});
        else if (!last_->quotes.empty() && last_->quotes.back().marks.empty() && are_marks(line))
            last_->quotes.back().marks = line;
        return true;
    }

    /// clang++'s two lines.
    void read_quote(std::string_view line) {
        if (last_ == nullptr) return;
        if (last_->quotes.empty())
            last_->quotes.push_back({.line = last_->place.line, .text = line});
        else if (last_->quotes.back().marks.empty() && are_marks(line))
            last_->quotes.back().marks = line;
    }

    std::vector<CompilerWords> found_;
    CompilerWords* last_ = nullptr;  ///< what quotes belong to
    std::vector<Place> required_from_, included_from_;
    bool is_in_another_function_ = false;  ///< than the last error
    bool is_as_before_ = false;  ///< who asked for what the last error is of is what was known of the one before
};

}  // namespace

bool CompilerWords::tells_who_asked() const {
    return text.ends_with(" requested here") || text.starts_with("in expansion of macro");
}

std::vector<CompilerWords> compiler_words(std::string_view output) {
    OutputReader reader;
    while (!output.empty() && !reader.has_enough()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        reader.read(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return std::move(reader).found();
}

}  // namespace headway::build
