#pragma once

#include "submission/source_words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The words of a function, as somebody asks of its loops. Of endless_numbers.cpp alone.
namespace headway::build {

/// How far `b` in "const double a = f(x, y), b = 1;" may be from the beginning: each `, b` is followed back to it.
inline constexpr std::size_t most_words_back = 200;

/// How a variable changes in a loop, if it does so in one way alone: `*` and `2` of "power *= 2".
struct Change {
    std::string sign;
    double by = 0;
};

class LoopWords {
public:
    explicit LoopWords(const std::vector<Word>& words) : words_(words) {}

    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }
    bool are(std::size_t i, std::initializer_list<std::string_view> texts) const {
        return std::ranges::all_of(texts, [&](std::string_view text) { return is(i++, text); });
    }
    bool is_name(std::size_t i) const { return i < words_.size() && words_[i].is_name(); }
    bool is_number(std::size_t i) const { return i < words_.size() && words_[i].is_number(); }
    double number(std::size_t i) const { return std::strtod(words_[i].text.c_str(), nullptr); }
    const std::string& text(std::size_t i) const { return words_[i].text; }
    std::size_t size() const { return words_.size(); }
    int line(std::size_t i) const { return words_[i].line; }

    /// The closing bracket of the one that opens here, or the end.
    std::size_t closing(std::size_t open) const {
        std::size_t depth = 0;
        for (std::size_t i = open; i < words_.size(); ++i) {
            if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
            if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0) return i;
        }
        return words_.size();
    }

    /// Where in the line its one loop begins, which has brackets behind it.
    std::optional<std::size_t> loop_in(int line) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
            if (words_[i].line != line || !(is(i, "for") || is(i, "while"))) continue;
            if (found || !is(i + 1, "(")) return {};
            found = i;
        }
        return found;
    }

    /// In the head of a for, without those of a function that it calls.
    std::vector<std::size_t> semicolons(std::size_t loop) const {
        std::vector<std::size_t> found;
        const std::size_t close = closing(loop + 1);
        for (std::size_t i = loop + 2; i < close; ++i) {
            if (is(i, "(") || is(i, "{") || is(i, "[")) i = closing(i);
            if (is(i, ";")) found.push_back(i);
        }
        return found;
    }

    /// Behind a loop whose body is a block or a single statement.
    std::size_t end_of(std::size_t loop) const {
        const std::size_t body = closing(loop + 1) + 1;
        if (is(body, "{")) return closing(body);
        std::size_t i = body;
        while (i < words_.size() && !is(i, ";")) i = is(i, "(") || is(i, "{") ? closing(i) + 1 : i + 1;
        return std::min(i, words_.size());
    }

    bool is_among(std::string_view name, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i)
            if (is(i, name)) return true;
        return false;
    }

    /// Declared before it as a float or a double, and as nothing else.
    bool is_floating(const std::string& name, std::size_t before) const {
        bool is_one = false;
        for (std::size_t i = 1; i < std::min(before, words_.size()); ++i) {
            if (!is(i, name)) continue;
            if (is(i - 1, ",") && is_declared_behind_another(i)) is_one = true;
            if (!words_[i - 1].is_name() || is(i - 1, "return") || is(i - 1, "else")) continue;
            if (!is(i - 1, "float") && !is(i - 1, "double")) return false;
            is_one = true;
        }
        return is_one;
    }

    /// Whether the name is only read here: in sums and comparisons, handed to nobody.
    bool stays(const std::string& name, std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i)
            if (is(i, name) && may_change(i)) return false;
        return true;
    }

    /// The one way in which the name changes here, once.
    std::optional<Change> only_change(const std::string& name, std::size_t begin, std::size_t end) const {
        std::optional<Change> found;
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i) {
            if (!is(i, name) || !may_change(i)) continue;
            if (found) return {};
            const bool is_again = is(i + 1, "=") && is(i + 2, name) && is_sign(i + 3) && is_number(i + 4);
            const bool is_short = is_sign(i + 1) && is(i + 2, "=") && is_number(i + 3);
            const bool stands_alone = is(i - 1, ")") || is(i - 1, ";") || is(i - 1, "{");
            const std::size_t last = is_again ? i + 4 : i + 3;
            const bool ends = is(last + 1, ";") || is(last + 1, ")");
            if (!(is_again || is_short) || !stands_alone || !ends || !(number(last) > 0)) return {};
            found = Change{text(is_again ? i + 3 : i + 1), number(last)};
        }
        return found;
    }

    /// Whether the name is compared with a number before the loop, which may leave out what never ends.
    bool is_looked_at(const std::string& name, std::size_t before) const {
        for (std::size_t i = 1; i + 1 < std::min(before, words_.size()); ++i) {
            if (is(i, "while") && is(i + 1, "(")) i = closing(i + 1);  // that goes on, and leaves nothing out
            if (!is(i, name)) continue;
            if (begins_comparison(i + 1) || is(i - 1, "<") || is(i - 1, ">") || is(i - 1, "!")) return true;
            // "0 <= x", "0 == x"
            if (i > 2 && is(i - 1, "=") && (begins_comparison(i - 2) || is(i - 2, "="))) return true;
        }
        return false;
    }

    /// The same by < or > alone: equal to 0 is no infinite number, and all others go on.
    bool is_ordered(const std::string& name, std::size_t before) const {
        for (std::size_t i = 1; i + 1 < std::min(before, words_.size()); ++i)
            if (is(i, name) && (is(i + 1, "<") || is(i + 1, ">") || is(i - 1, "<") || is(i - 1, ">") ||
                                (i > 2 && is(i - 1, "=") && (is(i - 2, "<") || is(i - 2, ">")))))
                return true;
        return false;
    }

private:
    /// `b` of "const double a = f(x, y), b = 1;".
    bool is_declared_behind_another(std::size_t i) const {
        if (!is(i + 1, "=") && !is(i + 1, ",") && !is(i + 1, ";")) return false;
        std::size_t depth = 0, back = 0;
        while (i > 0 && !(depth == 0 && (is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}")))) {
            if (++back > most_words_back) return false;
            --i;
            if (is(i, ")") || is(i, "]") || is(i, "}")) ++depth;
            if ((is(i, "(") || is(i, "[") || is(i, "{")) && depth-- == 0) return false;
        }
        if (is(i, "const")) ++i;
        return is(i, "float") || is(i, "double");
    }

    bool is_sign(std::size_t i) const { return is(i, "+") || is(i, "-") || is(i, "*") || is(i, "/"); }

    bool begins_comparison(std::size_t i) const {
        return is(i, "<") || is(i, ">") || are(i, {"=", "="}) || are(i, {"!", "="});
    }

    /// Whether this use may change the variable: true for all that is not known only to read it.
    bool may_change(std::size_t i) const {
        const bool is_changed = (is(i + 1, "=") && !is(i + 2, "=")) || (is_sign(i + 1) && is(i + 2, "=")) ||
                                are(i + 1, {"+", "+"}) || are(i + 1, {"-", "-"});
        if (is_changed || i < 2 || are(i - 2, {"+", "+"}) || are(i - 2, {"-", "-"}) || is(i - 1, "&")) return true;
        const bool is_compared =
            is(i - 1, "(") && (is(i - 2, "min") || is(i - 2, "max") || is(i - 2, "abs") || is(i - 2, "fabs"));
        const bool is_read = is_compared || is_sign(i + 1) || begins_comparison(i + 1) || is_sign(i - 1) ||
                             is(i - 1, "<") || is(i - 1, ">") || is(i - 1, "=");
        return !is_read;
    }

    const std::vector<Word>& words_;
};

}  // namespace headway::build
