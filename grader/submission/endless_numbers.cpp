#include "submission/endless_numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace headway::build {
namespace {

/// How far `b` in "const double a = f(x, y), b = 1;" may be from the beginning: each `, b` is followed back to it.
constexpr std::size_t most_words_back = 200;

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
            if (!is(i, name)) continue;
            if (begins_comparison(i + 1) || is(i - 1, "<") || is(i - 1, ">") || is(i - 1, "!")) return true;
            // "0 <= x", "0 == x"
            if (i > 2 && is(i - 1, "=") && (begins_comparison(i - 2) || is(i - 2, "="))) return true;
        }
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
        const bool is_compared = is(i - 1, "(") && (is(i - 2, "min") || is(i - 2, "max"));
        const bool is_read = is_compared || is_sign(i + 1) || begins_comparison(i + 1) || is_sign(i - 1) || is(i - 1, "<") ||
                             is(i - 1, ">") || is(i - 1, "=");
        return !is_read;
    }

    const std::vector<Word>& words_;
};

/// Whether something before the loop looks for infinite numbers.
bool looks_for_infinity(const LoopWords& read, std::size_t loop) {
    return read.is_among("isinf", 0, loop) || read.is_among("isfinite", 0, loop) ||
           read.is_among("infinity", 0, loop) || read.is_among("INFINITY", 0, loop);
}

/// "C < B", "C * 2 <= B": where it begins and ends, and what is compared.
struct Comparison {
    std::string left, sign, right, words;
    bool is_of_a_product = false, right_is_a_number = false;
};

/// "B >= 2 * C", as "C * 2 <= B".
std::optional<Comparison> comparison_from_the_right(const LoopWords& read, std::size_t begin, std::size_t end) {
    std::size_t i = begin + 1;
    if (!read.is_name(begin) || (!read.is(i, "<") && !read.is(i, ">"))) return {};
    Comparison found{.left = {}, .sign = read.is(i, "<") ? ">" : "<", .right = read.text(begin), .words = {}};
    std::string asked = read.text(begin) + " " + read.text(i++);
    if (read.is(i, "=")) found.sign += "=", asked += read.text(i++);
    const bool number_first = read.is_number(i) && read.is(i + 1, "*") && read.is_name(i + 2);
    const bool name_first = read.is_name(i) && read.is(i + 1, "*") && read.is_number(i + 2);
    if ((!number_first && !name_first) || i + 3 != end) return {};
    found.is_of_a_product = true;
    found.left = read.text(number_first ? i + 2 : i);
    found.words = asked + " " + read.text(i) + " * " + read.text(i + 2);
    return found;
}

std::optional<Comparison> comparison(const LoopWords& read, std::size_t begin, std::size_t end) {
    if (auto turned = comparison_from_the_right(read, begin, end)) return turned;
    if (!read.is_name(begin)) return {};
    Comparison found{.left = read.text(begin), .sign = {}, .right = {}, .words = read.text(begin)};
    std::size_t i = begin + 1;
    if (read.is(i, "*") && read.is_number(i + 1)) {
        found.is_of_a_product = true;
        found.words += " * " + read.text(i + 1);
        i += 2;
    }
    if (!read.is(i, "<") && !read.is(i, ">")) return {};
    found.sign = read.text(i++);
    if (read.is(i, "=")) found.sign += read.text(i++);
    if (i + 1 != end || !(read.is_name(i) || read.is_number(i))) return {};
    found.right = read.text(i);
    found.right_is_a_number = read.is_number(i);
    found.words += " " + found.sign + " " + found.right;
    return found;
}

/// Of "power * 2 <= size", a variable on both sides: what an infinite `size` leads to.
std::optional<StaysTrue> never_passes(const LoopWords& read, const Comparison& asked, const Change& change,
                                      std::size_t loop) {
    const bool goes_up = asked.sign.front() == '<';
    if (!goes_up || looks_for_infinity(read, loop) || read.is_looked_at(asked.right, loop)) return {};
    if (change.sign == "*" && change.by > 1 && asked.sign == "<=")
        return StaysTrue{StaysTrue::Why::counter_grows_to_it, asked.right, asked.left, asked.words};
    if (change.sign == "+" && !asked.is_of_a_product)
        return StaysTrue{StaysTrue::Why::counter_never_gets_to, asked.right, asked.left, asked.words};
    return {};
}

/// Of "size >= 2", compared with a number: what an infinite `size`, or one of 0, leads to.
std::optional<StaysTrue> stays_below_or_above(const LoopWords& read, const Comparison& asked, const Change& change,
                                              std::size_t loop) {
    const bool scales = change.sign == "*" || change.sign == "/";
    if (asked.is_of_a_product || !scales || read.is_looked_at(asked.left, loop)) return {};
    const bool goes_up = asked.sign.front() == '<';
    if (!goes_up && !looks_for_infinity(read, loop))
        return StaysTrue{StaysTrue::Why::infinity_stays, asked.left, {}, asked.words};
    if (goes_up && std::strtod(asked.right.c_str(), nullptr) > 0)
        return StaysTrue{StaysTrue::Why::zero_stays, asked.left, {}, asked.words};
    return {};
}

}  // namespace

bool goes_through_a_list(const FunctionAround& function, int line) {
    const LoopWords read(function.words);
    const auto loop = read.loop_in(line);
    return loop && read.is(*loop, "for") && read.semicolons(*loop).empty();
}

std::optional<VariableStep> variable_step(const FunctionAround& function, int line) {
    const LoopWords read(function.words);
    const auto loop = read.loop_in(line);
    if (!loop || !read.is(*loop, "for")) return {};
    const std::vector<std::size_t> parts = read.semicolons(*loop);
    if (parts.size() != 2 || !read.is_name(parts[1] + 1)) return {};
    const std::size_t begin = parts[1] + 1, close = read.closing(*loop + 1);
    const bool is_short = read.are(begin + 1, {"+", "="}) && read.is_name(begin + 3) && begin + 4 == close;
    const bool is_again =
        read.are(begin + 1, {"=", read.text(begin), "+"}) && read.is_name(begin + 4) && begin + 5 == close;
    if (!is_short && !is_again) return {};
    VariableStep found{.counter = read.text(begin), .step = read.text(close - 1), .divided = {}, .divisor = {}};
    if (read.is_looked_at(found.step, *loop) || !read.stays(found.step, close + 1, read.end_of(*loop))) return {};
    std::size_t set = 0, times = 0;
    for (std::size_t i = 1; i < *loop; ++i)
        if (read.is(i, found.step) && read.is(i + 1, "=")) {
            set = i;
            ++times;
        }
    if (times == 0) return found;  // a parameter, or a member
    std::size_t end = set;
    while (end < *loop && !read.is(end, ";")) ++end;
    const bool is_a_number = set + 3 == end && read.is_number(set + 2);
    if (times > 1 || is_a_number || read.is_among("max", set, end) || read.is_among("?", set, end)) return {};
    const bool is_quotient = set + 5 == end && read.is_name(set + 2) && read.is(set + 3, "/") &&
                             read.is_number(set + 4) && read.is_name(set - 1) && !read.is(set - 1, "float") &&
                             !read.is(set - 1, "double") && !read.is(set - 1, "auto");
    if (is_quotient) {
        found.set_in = read.line(set);
        found.divided = read.text(set + 2);
        found.divisor = read.text(set + 4);
    }
    return found;
}

std::optional<StaysTrue> stays_true(const FunctionAround& function, int line) {
    const LoopWords read(function.words);
    const auto loop = read.loop_in(line);
    if (!loop) return {};
    std::size_t begin = *loop + 2, end = read.closing(*loop + 1);
    if (read.is(*loop, "for")) {
        const std::vector<std::size_t> parts = read.semicolons(*loop);
        if (parts.size() != 2) return {};
        begin = parts[0] + 1;
        end = parts[1];
    }
    const auto asked = comparison(read, begin, end);
    const std::size_t last = read.end_of(*loop) + 1;
    for (const char* leaves : {"break", "return", "throw", "goto"})
        if (read.is_among(leaves, *loop, last)) return {};
    if (!asked || !read.is_floating(asked->left, begin)) return {};
    const auto change = read.only_change(asked->left, end, last);
    if (!change) return {};
    if (asked->right_is_a_number) return stays_below_or_above(read, *asked, *change, *loop);
    const bool right_stays = read.is_floating(asked->right, begin) && read.stays(asked->right, begin, last);
    return right_stays ? never_passes(read, *asked, *change, *loop) : std::nullopt;
}

}  // namespace headway::build
