#include "submission/endless_numbers.hpp"

#include "submission/loop_words.hpp"

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace headway::build {
namespace {

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
    Comparison found;
    std::size_t i = begin;
    if (read.is_number(i) && read.is(i + 1, "*")) {
        found.is_of_a_product = true;
        found.words = read.text(i) + " * ";
        i += 2;
    }
    if (!read.is_name(i)) return {};
    found.left = read.text(i);
    found.words += read.text(i++);
    if (read.is(i, "*") && read.is_number(i + 1)) {
        found.is_of_a_product = true;
        found.words += " * " + read.text(i + 1);
        i += 2;
    }
    if (!read.is(i, "<") && !read.is(i, ">")) return {};
    found.sign = read.text(i++);
    if (read.is(i, "=")) found.sign += read.text(i++);
    std::string called;
    if (read.are(i, {"std", ":", ":"})) i += 3, called = "std::";
    if ((read.is(i, "abs") || read.is(i, "fabs")) && read.is(i + 1, "(") && read.is(i + 3, ")") && i + 4 == end) {
        called += read.text(i);
        i += 2;
        --end;
    }
    if (i + 1 != end || !(read.is_name(i) || read.is_number(i))) return {};
    found.right = read.text(i);
    found.right_is_a_number = read.is_number(i);
    found.words += " " + found.sign + " " + (called.empty() ? found.right : called + "(" + found.right + ")");
    return found;
}

/// Of "power * 2 <= size", a variable on both sides: what an infinite `size` leads to.
std::optional<StaysTrue> never_passes(const LoopWords& read, const Comparison& asked, const Change& change,
                                      std::size_t loop) {
    const bool goes_up = asked.sign.front() == '<';
    if (!goes_up || looks_for_infinity(read, loop) || read.is_ordered(asked.right, loop)) return {};
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

namespace {

/// With the line that sets the step to a quotient, which may be 0. Nothing of a step that is a number, or at least 1.
std::optional<VariableStep> with_its_quotient(const LoopWords& read, VariableStep found, std::size_t loop) {
    std::size_t set = 0, times = 0;
    for (std::size_t i = 1; i < loop; ++i)
        if (read.is(i, found.step) && read.is(i + 1, "=")) {
            set = i;
            ++times;
        }
    if (times == 0) return found;  // a parameter, or a member
    std::size_t end = set;
    while (end < loop && !read.is(end, ";")) ++end;
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

/// Of `while (begin < T)`, in which `begin + n` is the next one.
std::optional<VariableStep> step_in_body(const LoopWords& read, std::size_t loop) {
    const std::size_t head = loop + 2, close = read.closing(loop + 1), end = read.end_of(loop);
    if (!read.is_name(head) || !read.is(head + 1, "<")) return {};
    for (std::size_t i = close + 1; i + 2 < end; ++i) {
        if (!read.are(i, {read.text(head), "+"}) || !read.is_name(i + 2) || read.is(i + 3, "(")) continue;
        const VariableStep found{.counter = read.text(head), .step = read.text(i + 2), .divided = {}, .divisor = {}};
        if (read.is_looked_at(found.step, loop) || !read.stays(found.step, close + 1, end)) return {};
        const auto told = with_its_quotient(read, found, loop);
        return told && told->set_in > 0 ? told : std::nullopt;
    }
    return {};
}

}  // namespace

std::optional<VariableStep> variable_step(const FunctionAround& function, int line) {
    const LoopWords read(function.words);
    const auto loop = read.loop_in(line);
    if (!loop) return {};
    if (read.is(*loop, "while")) return step_in_body(read, *loop);
    const std::vector<std::size_t> parts = read.semicolons(*loop);
    if (parts.size() != 2 || !read.is_name(parts[1] + 1)) return {};
    const std::size_t begin = parts[1] + 1, close = read.closing(*loop + 1);
    const bool is_short = read.are(begin + 1, {"+", "="}) && read.is_name(begin + 3) && begin + 4 == close;
    const bool is_again =
        read.are(begin + 1, {"=", read.text(begin), "+"}) && read.is_name(begin + 4) && begin + 5 == close;
    if (!is_short && !is_again) return {};
    VariableStep found{.counter = read.text(begin), .step = read.text(close - 1), .divided = {}, .divisor = {}};
    if (read.is_looked_at(found.step, *loop) || !read.stays(found.step, close + 1, read.end_of(*loop))) return {};
    return with_its_quotient(read, found, *loop);
}

std::optional<StaysTrue> stays_true(const FunctionAround& function, int line) {
    const LoopWords read(function.words);
    const auto loop = read.loop_in(line);
    if (!loop) return {};
    std::size_t begin = *loop + 2, behind = read.closing(*loop + 1);
    if (read.is(*loop, "for")) {
        const std::vector<std::size_t> parts = read.semicolons(*loop);
        if (parts.size() != 2) return {};
        begin = parts[0] + 1;
        behind = parts[1];
    }
    const auto asked = comparison(read, begin, behind);
    const std::size_t last = read.end_of(*loop) + 1;
    for (const char* leaves : {"break", "return", "throw", "goto"})
        if (read.is_among(leaves, *loop, last)) return {};
    if (!asked || !read.is_floating(asked->left, begin)) return {};
    const auto change = read.only_change(asked->left, behind, last);
    if (!change) return {};
    if (asked->right_is_a_number) return stays_below_or_above(read, *asked, *change, *loop);
    const bool right_stays = read.is_floating(asked->right, begin) && read.stays(asked->right, begin, last);
    return right_stays ? never_passes(read, *asked, *change, *loop) : std::nullopt;
}

}  // namespace headway::build
