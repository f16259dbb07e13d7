#include "submission/uncut_pieces.hpp"

#include "submission/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

/// From a loop's head to the line: each candidate is followed through all of them.
constexpr std::ptrdiff_t most_words = 1000;
constexpr int most_candidates = 8;
/// Words of what a loop counts from: heads that do not end are not each read to the end of the file.
constexpr std::size_t longest_start = 100;

/// What a loop counts, up to where, and by how much; and where its head ends.
struct Count {
    std::string variable, bound, step;
    std::size_t behind = 0;
};

class Pieces {
public:
    Pieces(std::span<const Word> words, int line) : words_(words), line_(line) {}

    std::optional<Count> count_of(int head) const {
        for (std::size_t i = 0; i < words_.size() && words_[i].line <= head; ++i) {
            if (words_[i].line != head || !are(i, {"for", "("})) continue;
            const std::size_t first = next(i, ";"), second = next(first + 1, ";");
            const bool is_compared = second == first + 4 && is(first + 2, "<");
            const bool is_moved = is(second + 2, "+") && is(second + 3, "=") && is(second + 5, ")");
            if (!is_compared || !is_moved || text(first + 1) != text(second + 1)) continue;
            return Count{text(first + 1), text(first + 3), text(second + 4), second + 6};
        }
        return {};
    }

    /// @param left  candidates, of all loops around the line together
    std::optional<UncutPiece> uncut(const Count& count, int& left) const {
        for (std::size_t i = count.behind; i < words_.size() && words_[i].line < line_; ++i) {
            if (!words_[i].is_name() || !are(i + 1, {"=", count.variable, "+", count.step, ";"})) continue;
            if (left-- == 0) return {};
            if (reaches(i))
                return UncutPiece{words_[i].line, text(i), count.variable + " + " + count.step, count.bound};
        }
        return {};
    }

private:
    const std::string& text(std::size_t i) const {
        static const std::string none;
        return i < words_.size() ? words_[i].text : none;
    }
    bool is(std::size_t i, std::string_view word) const { return text(i) == word; }
    bool are(std::size_t i, std::initializer_list<std::string_view> all) const {
        return std::ranges::all_of(all, [&](std::string_view word) { return is(i++, word); });
    }
    std::size_t next(std::size_t i, std::string_view word) const {
        while (i < words_.size() && !is(i, word)) ++i;
        return i;
    }

    /// Whether what is assigned here comes to the line as it is: by itself, or in what is computed from it.
    bool reaches(std::size_t assigned) const {
        std::set<std::string> carries{text(assigned)};
        std::size_t i = next(assigned, ";") + 1;
        while (i < words_.size() && words_[i].line < line_) {
            const std::size_t end = next(i, ";");
            if (end >= words_.size() || words_[end].line >= line_) break;
            for (std::size_t at = i; at < end; ++at) {
                const bool is_set = words_[at].is_name() && is(at + 1, "=") && !is(at + 2, "=");
                const bool is_changed = is_set || (is(at + 2, "=") && !is(at + 1, "=") && !is(at + 1, "<"));
                if (is_changed && carries.contains(text(at))) return false;  // an if may cut it here
                if (is_set && reads(carries, at + 2, end)) {
                    if (cuts(at + 2, end)) return false;
                    carries.insert(text(at));
                }
            }
            i = end + 1;
        }
        const auto of_line = [&](const Word& word) { return word.line == line_; };
        const auto first = static_cast<std::size_t>(std::ranges::find_if(words_, of_line) - words_.begin());
        std::size_t last = first;
        while (last < words_.size() && words_[last].line == line_) ++last;
        return reads(carries, first, last) && !cuts(first, last);
    }

    bool reads(const std::set<std::string>& names, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i)
            if (names.contains(words_[i].text) && !is(i - 1, ".")) return true;
        return false;
    }
    bool cuts(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i)
            if (is(i, "min") || is(i, "clamp") || is(i, "?")) return true;
        return false;
    }

    std::span<const Word> words_;
    int line_;
};

/// The words of the loop that begins there, up to the end of the line; none if they are too many.
std::span<const Word> words_between(const std::vector<Word>& words, int head, int line) {
    const auto begin = std::ranges::lower_bound(words, head, {}, &Word::line);
    const auto end = std::ranges::upper_bound(words, line, {}, &Word::line);
    return begin < end && end - begin <= most_words ? std::span(begin, end) : std::span<const Word>{};
}

}  // namespace

std::vector<UncutPiece> uncut_pieces(const FunctionAround& function, int line) {
    const std::vector<Loop> loops = loops_around(function, line);
    std::vector<UncutPiece> found;
    int left = most_candidates;
    for (auto loop = loops.rbegin(); loop != loops.rend() && left > 0; ++loop) {
        const Pieces pieces(words_between(function.words, loop->line, line), line);
        if (const auto count = pieces.count_of(loop->line))
            if (auto piece = pieces.uncut(*count, left)) found.push_back(std::move(*piece));
    }
    std::ranges::reverse(found);
    return found;
}

std::optional<WholePieces> whole_pieces(const FunctionAround& function) {
    const std::vector<Word>& words = function.words;
    const auto is = [&](std::size_t i, std::string_view text) { return i < words.size() && words[i].text == text; };
    std::optional<WholePieces> found;
    // for (Index t = 0; t + run <= T; t += run)
    for (std::size_t i = 0; i + 4 < words.size(); ++i) {
        if (!is(i, "for") || !is(i + 1, "(") || !words[i + 2].is_name() || !is(i + 4, "=")) continue;
        std::size_t at = i + 5;
        while (at < i + longest_start && !is(at, ";") && !is(at, ")")) ++at;
        const std::string& counter = words[i + 3].text;
        constexpr std::size_t rest = 14;  // words of "; t + run <= T; t += run)" and of what follows, at least
        if (at + rest > words.size() || !is(at + 1, counter) || !is(at + 2, "+") || !is(at + 4, "<")) continue;
        const std::string& step = words[at + 3].text;
        const std::size_t bound = is(at + 5, "=") ? at + 6 : at + 5, end = bound + 1;
        const bool is_moved = is(end, ";") && is(end + 1, counter) && is(end + 2, "+") && is(end + 3, "=") &&
                              is(end + 4, step) && is(end + 5, ")");
        if (!is_moved || step == "1" || !words[bound].is_name()) continue;
        if (found) return {};
        found = WholePieces{words[i].line, fmt::format("{} + {} {} {}", counter, step, bound == at + 6 ? "<=" : "<",
                                                       words[bound].text)};
    }
    return found;
}

}  // namespace headway::build
