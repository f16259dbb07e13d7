#include "submission/loop_reader.hpp"

#include <iterator>

namespace headway::build {
namespace {

/// Names that a condition reads: for each the function is read once more.
constexpr std::size_t most_names_read = 8;

/// Lambdas before a loop: each is read once for each name.
constexpr int most_lambdas = 8;

/// Of sizes such as `k.size(2)` in a condition: for each, the function is read once more.
constexpr int most_sizes = 8;

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> LoopReader::semicolons(const Extent& loop) const {
    std::vector<std::size_t> found;
    for (std::size_t i = loop.condition + 1; i < closing_[loop.condition] && i < words_.size(); ++i)
        if (is(i, ";") && opening_[i] == loop.condition) found.push_back(i);
    if (found.size() != 2) return {};
    return std::pair(found[0], found[1]);
}

/// x(t, s), where x is a Tensor or a Mask: it takes numbers as they are.
bool LoopReader::is_element_of_a_tensor(std::size_t called, std::size_t before) const {
    const auto found = tensors_.find(words_[called].text);
    return found != tensors_.end() && found->second < before;
}

/// `f(s)` may change s if f takes a reference; a member of the library's, and what is in std, takes numbers as they
/// are.
bool LoopReader::is_given_to_what_may_change_it(std::size_t i) const {
    static const Names keywords = {"if", "while", "for", "switch", "return"};
    static const Names by_reference = {"swap", "exchange", "tie", "ref", "advance", "from_chars", "iota"};
    const bool is_whole_argument = (is(i - 1, "(") || is(i - 1, ",")) && (is(i + 1, ")") || is(i + 1, ","));
    const std::size_t open = opening_[i];
    if (!is_whole_argument || open >= words_.size() || open < 2 || !is(open, "(")) return false;
    const Word& called = words_[open - 1];
    if (!called.is_name() || keywords.contains(called.text) || is_element_of_a_tensor(open - 1, i)) return false;
    const bool is_of_something = is(open - 2, ".") || is(open - 2, ":") || is(open - 2, ">");
    return !is_of_something || by_reference.contains(called.text);
}

/// Whatever is not known to leave it alone.
bool LoopReader::may_change_at(std::size_t i, HandedOver handed_over) const {
    static const Names operators = {"+", "-", "*", "/", "%", "&", "|", "^"};
    if (i < 2 || i + 3 >= words_.size()) return true;
    if (is(i - 1, ".") || (is(i - 2, "-") && is(i - 1, ">"))) return false;  // a member of that name
    const std::string& next = words_[i + 1].text;
    if (next == "=") return !is(i + 2, "=");
    if (operators.contains(next) && is(i + 2, "=")) return true;
    if ((next == "+" || next == "-" || next == "<" || next == ">") && is(i + 2, next)) return true;
    if (next == "[" || next == "." || (next == "-" && is(i + 2, ">"))) return true;  // it is no number
    for (const std::string_view twice : {"+", "-", ">"})
        if (is(i - 1, twice) && is(i - 2, twice)) return true;
    if (is(i - 1, "&") && !is(i - 2, "&")) return true;
    if (is(i - 1, "=") && i > 2 && is(i - 3, "&")) return true;  // a reference to it
    return handed_over == HandedOver::may_change && is_given_to_what_may_change_it(i);
}

/// Of `k.size(2)` that begins here, the closing bracket, if k is const: no round changes its shape.
std::optional<std::size_t> LoopReader::end_of_size_that_stays(std::size_t i, std::size_t loop) const {
    static const Names sizes = {"size", "rank", "numel"};
    if (i + 3 >= words_.size() || !is(i + 1, ".") || !sizes.contains(words_[i + 2].text) || !is(i + 3, "(")) return {};
    const std::size_t close = closing_[i + 3];
    const auto is_number = [](const Word& word) { return word.is_number() || word.text == "-"; };
    if (!std::ranges::all_of(between(i + 4, close), is_number)) return {};
    return is_declared_as_const(words_[i].text, words_, loop) ? std::optional(close) : std::nullopt;
}

/// Whether a lambda that has a reference to everything, and does not have the loop in it, may change that.
bool LoopReader::is_changed_by_lambda(const std::string& name, const Extent& loop) const {
    int lambdas = 0;
    for (std::size_t i = 0; i + 1 < std::min(loop.end, words_.size()); ++i) {
        if (!is(i, "[") || !is(i + 1, "&")) continue;
        if (++lambdas > most_lambdas) return true;
        std::size_t open = closing_[i];
        while (open < words_.size() && !is(open, "{") && !is(open, ";")) ++open;
        if (!is(open, "{")) return true;
        const bool has_the_loop = open < loop.begin && loop.begin < closing_[open];
        if (!has_the_loop && may_change(name, open, closing_[open], HandedOver::may_change)) return true;
    }
    return false;
}

/// A variable that the head moves towards the bound, and nothing else moves.
bool LoopReader::counts(const Extent& loop, std::size_t first, std::size_t second) const {
    const std::size_t close = closing_[loop.condition];
    if (first + 2 >= second || second + 1 >= close) return false;
    const std::string& name = words_[first + 1].text;
    const std::string& compared = words_[first + 2].text;
    const std::span<const Word> step = between(second + 1, close);
    const auto has = [&](std::string_view text) { return std::ranges::count(step, text, &Word::text) > 0; };
    const bool goes_up = has("+") && !has("-"), goes_down = has("-") && !has("+");
    const bool towards =
        (compared == "<" && goes_up) || (compared == ">" && goes_down) || (compared == "!" && (goes_up || goes_down));
    // t + 1 moves nothing.
    return towards && may_change(name, second + 1, close, HandedOver::stays) &&
           !may_change(name, close + 1, loop.end + 1, HandedOver::stays);
}

Loop::Ends LoopReader::ends(const Extent& loop, Names& read, HandedOver handed_over) const {
    std::size_t begin = loop.condition + 1, end = closing_[loop.condition];
    if (is(loop.begin, "for")) {
        const auto parts = semicolons(loop);
        if (!parts) return Loop::Ends::counts;
        if (counts(loop, parts->first, parts->second)) return Loop::Ends::counts;
        begin = parts->first + 1;
        end = parts->second;
    }
    // Other threads may change what is shared.
    for (std::size_t i = 0; i < std::min(loop.end, words_.size()); ++i)
        if (is(i, "volatile") || is(i, "atomic") || is(i, "thread")) return Loop::Ends::perhaps;
    static const Names allowed = {"<", ">", "=", "!", "+", "-", "*", "/", "%", "&", "|"};
    for (std::size_t i = begin; i < std::min(end, words_.size()); ++i) {
        const Word& word = words_[i];
        if (word.text == "true" || word.text == "false" || (word.text == "-" && is(i + 1, ">")) ||
            !(word.is_name() || word.is_number() || allowed.contains(word.text)))
            return Loop::Ends::perhaps;
        if (!word.is_name() || !read.insert(word.text).second) continue;
        if (read.size() > most_names_read) return Loop::Ends::perhaps;
        const std::size_t repeated = is(loop.begin, "for") ? begin : loop.begin;
        if (!is_local(word.text, words_, repeated) || is_changed_by_lambda(word.text, loop) ||
            may_change(word.text, repeated, loop.end + 1, handed_over))
            return Loop::Ends::perhaps;
    }
    return read.empty() ? Loop::Ends::perhaps : Loop::Ends::never_by_head;
}

std::optional<OtherCounter> LoopReader::other_counter(const Extent& loop) const {
    const auto parts = is(loop.begin, "for") ? semicolons(loop) : std::nullopt;
    if (!parts || ends(loop) != Loop::Ends::never_by_head) return {};
    OtherCounter told{.line = words_[loop.begin].line, .asked = {}, .counted = {}};
    for (std::size_t i = loop.condition + 1; i < parts->first && told.asked.empty(); ++i)
        if (words_[i].is_name() && is(i + 1, "=")) told.asked = words_[i].text;
    if (std::ranges::count(between(parts->first, parts->second), told.asked, &Word::text) == 0) return {};
    for (std::size_t i = parts->second + 1; i < closing_[loop.condition] && told.counted.empty(); ++i)
        if (words_[i].is_name() && may_change_at(i, HandedOver::stays)) told.counted = words_[i].text;
    return told.counted.empty() ? std::nullopt : std::optional(std::move(told));
}

std::optional<SkippedStep> LoopReader::skipped_step(const Extent& loop) const {
    const std::size_t close = closing_[loop.condition], end = std::min(loop.end, words_.size());
    if (!is(loop.begin, "while") || close >= end) return {};
    static const Names allowed = {"<", ">", "=", "!", "+", "-", "*", "&", "|"};
    Names read;
    int sizes = 0;
    for (std::size_t i = loop.condition + 1; i < close; ++i) {
        if (is(i + 1, ".") && ++sizes > most_sizes) return {};
        if (const auto size_ends = end_of_size_that_stays(i, loop.begin)) {
            i = *size_ends;
            continue;
        }
        if (words_[i].is_name())
            read.insert(words_[i].text);
        else if (!words_[i].is_number() && !allowed.contains(words_[i].text))
            return {};
        if (words_[i].is_name() && may_change_at(i, HandedOver::may_change)) return {};
    }
    if (read.size() > most_names_read) return {};
    const std::vector<Extent> all = loops();
    for (std::size_t i = close + 1, skips = 0; i < end; ++i) {
        const auto is_of_another = [&](const Extent& one) {
            return one.begin > loop.begin && one.begin <= i && i <= one.end;
        };
        if (is(i, "continue") && skips == 0 && std::ranges::none_of(all, is_of_another)) skips = i;
        if (!read.contains(words_[i].text) || !may_change_at(i, HandedOver::may_change)) continue;
        if (skips == 0) return {};
        if (!may_change_at(i, HandedOver::stays)) continue;  // perhaps, and not surely
        // A lambda that begins behind its declaration may change what it refers to.
        std::size_t declared = loop.begin;
        while (declared > 1 && (words_[declared].text != words_[i].text || !words_[declared - 1].is_name() ||
                                is(declared - 1, "return")))
            --declared;
        for (std::size_t before = declared; before < skips; ++before)
            if (is(before, "[") && is(before + 1, "&")) return {};
        return SkippedStep{words_[skips].line, words_[i].line, words_[i].text};
    }
    return {};
}

}  // namespace headway::build
