#include "grading/causes_of_crashes.hpp"

#include "submission/declared_names.hpp"
#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace headway::cli {

using verdict::Failure;
using Question = ReadSources::Question;

namespace {

/// Whether the line calls that function.
bool calls(const verdict::SourceLine& line, const std::string& function) {
    const std::vector<build::Word> words = build::words_of(line.text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i].text == function && words[i + 1].text == "(") return true;
    return false;
}

/// Whether it ended by that signal, and does not only quote an exception that speaks of it.
bool ended_by(const char* signal, const Failure& failure) {
    return failure.kind != verdict::FailureKind::exception && failure.message.find(signal) != std::string::npos;
}

/// Whether it ended by a signal that may have any cause. Assertions, divisions and a full stack name theirs.
bool is_crash_of_any_cause(const Failure& failure) {
    const auto says = [&](const char* text) { return ended_by(text, failure); };
    return says("crashed: SIGSEGV") || says("crashed: SIGBUS") || says("crashed: it ran into code") ||
           says("(memory was freed twice") || says("aborted: SIGABRT (");
}

}  // namespace

void tell_which_return_is_missing(Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                  const ReadSources& sources) {
    if (failure.sanitizer || !is_crash_of_any_cause(failure)) return;
    const build::SourceLines& own = sources.lines();
    const auto fails_in = failure.at ? own.function_around(*failure.at) : std::nullopt;
    const std::string called = verdict::name_alone(failure.function);
    for (const verdict::CompilerMessage& warning : warnings) {
        // g++ warns at the function's last bracket. Behind a lambda's there is at least a semicolon.
        if (warning.text.find("-Wreturn-type]") == std::string::npos || !warning.at.text.ends_with('}')) continue;
        const auto around = own.function_around(warning.at);
        if (!around) continue;
        const bool is_on_the_way = around->name == called || (fails_in && around->name == fails_in->name) ||
                                   (failure.at && calls(*failure.at, around->name));
        if (!is_on_the_way) continue;
        std::string told = failure.message;
        const std::string whose = "your " + failure.function + " ";
        if (around->name == called && told.starts_with(whose))
            told = "It " + told.substr(whose.size());
        else if (told.starts_with("your "))
            told.front() = 'Y';
        failure.message =
            fmt::format("your {} can end without returning a value (the compiler warns of it at {}:{}). {}",
                        around->name, warning.at.file, warning.at.line, told);
        failure.advice =
            "Mend that first: a result that was never made may be read, copied or freed in any line after it. Each "
            "way through the function needs a return.";
        return;
    }
}

void tell_what_never_works(Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                           const ReadSources& sources) {
    if (failure.kind != verdict::FailureKind::exception && !verdict::ends_the_program(failure.kind)) return;
    const auto says = [](const char* words) {
        return [words](const verdict::CompilerMessage& one) { return one.text.find(words) != std::string::npos; };
    };
    // A function without a return may look like one that calls itself for ever.
    if (std::ranges::any_of(warnings, says("-Wreturn-type]"))) return;
    auto warning = std::ranges::find_if(warnings, says("-Wreturn-local-addr]"));
    if (warning == warnings.end()) warning = std::ranges::find_if(warnings, says("-Wreturn-stack-address]"));
    const bool is_of_a_local = warning != warnings.end();
    if (!is_of_a_local) warning = std::ranges::find_if(warnings, says("-Winfinite-recursion]"));
    const auto around = warning == warnings.end() ? std::nullopt : sources.lines().function_around(warning->at);
    if (!around || around->name.empty()) return;
    const auto& place = sources.definition_of(verdict::name_alone(failure.function));
    const auto called = place ? sources.lines().function_around({place->file, place->line, ""}) : std::nullopt;
    // Tests that are handed in are no function that was called.
    const bool is_on_the_way =
        !called || (called->name == around->name || std::ranges::any_of(called->words, [&](const build::Word& word) {
                        return word.text == around->name;
                    }));
    if (!is_on_the_way) return;
    if (is_of_a_local) {
        failure.advice = fmt::format(
            "The compiler warns at {}:{} that {} returns a reference to a variable of its own, which ends with it. "
            "Mend "
            "that first: leave out & in front of its name, so that it returns the value.",
            warning->at.file, warning->at.line, around->name);
        return;
    }
    failure.advice = fmt::format(
        "The compiler warns at {}:{} that {} calls itself whatever happens. Mend that first: it has to return before "
        "the call where nothing is left to do.",
        warning->at.file, warning->at.line, around->name);
}

void tell_what_the_compiler_saw(Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                const ReadSources& sources) {
    tell_which_return_is_missing(failure, warnings, sources);
    tell_what_never_works(failure, warnings, sources);
}

void tell_of_a_mask_that_is_not_given(Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                      const ReadSources& sources) {
    const bool is_told_where = failure.sanitizer && failure.sanitizer->kind == "SEGV";
    if (!failure.at || (!is_told_where && !ended_by("crashed: SIGSEGV", failure))) return;
    std::vector<verdict::SourceLine> way = {*failure.at};
    way.insert(way.end(), callers.begin(), callers.end());
    for (const verdict::SourceLine& line : way) {
        const auto& function = sources.mask_reader_around(line);
        if (!function || !function->read) continue;
        const auto& read = function->read;
        // The line that fails may be a helper's, which perhaps calls a lambda of this function's.
        const auto& fails_in = sources.mask_reader_around(*failure.at);
        const bool is_a_helpers = fails_in && fails_in->function != function->function;
        if (!is_a_helpers && !read->lines.contains(failure.at->line)) continue;
        if (is_a_helpers && read->lines.size() == 1)
            if (auto at = sources.lines().at(line.file, *read->lines.begin())) failure.at = std::move(*at);
        failure.advice = fmt::format(
            "{0} is {1}.data() (line {2}), and nothing there asks whether there is a {3}: where none is given "
            "({4}{{}}), it points nowhere. Ask {1}.defined() first.",
            read->pointer, read->mask, read->declared, read->is_bias ? "bias" : "mask",
            read->is_bias ? "Tensor" : "Mask");
        return;
    }
}

namespace {

/// "double" of "std::vector<double> name;"; nothing if it is no such declaration.
std::optional<std::string> elements_declared(const std::vector<build::Word>& words, std::size_t name) {
    if (!build::ends_without_value(words, name) || words[name - 1].text != ">") return {};
    std::size_t depth = 0;
    for (std::size_t i = name - 1; i > 0; --i) {
        if (words[i].text == ">") ++depth;
        if (words[i].text == ";" || words[i].text == "{" || words[i].text == "}") return {};
        if (words[i].text != "<" || --depth > 0) continue;
        if (words[i - 1].text != "vector") return {};
        return i + 3 == name ? words[i + 1].text : "…";
    }
    return {};
}

/// Whether it stands in the brackets of a call of that name.
bool is_argument_of(const std::vector<build::Word>& words, std::size_t i, const char* function) {
    constexpr std::size_t longest = 200;
    std::size_t depth = 0;
    for (std::size_t k = i; k-- > 1 && i - k < longest && words[k].text != ";";) {
        if (words[k].text == ")" || words[k].text == "}" || words[k].text == "]") ++depth;
        if (words[k].text != "(" && words[k].text != "{" && words[k].text != "[") continue;
        if (depth == 0) return words[k].text == "(" && words[k - 1].text == function;
        --depth;
    }
    return false;
}

/// Of a vector to which nothing in the function adds an element: the line that declares it, and its elements' type.
/// @param fails  the line where it is found empty, and may be handed on
std::optional<std::pair<int, std::string>> stays_empty(const std::string& name, const std::vector<build::Word>& words,
                                                       int fails) {
    std::optional<std::pair<int, std::string>> found;
    for (std::size_t i = 1; i + 2 < words.size(); ++i) {
        if (words[i].text != name || words[i - 1].text == "." || (found && words[i].line == fails)) continue;
        if (auto elements = found ? std::nullopt : elements_declared(words, i)) {
            found.emplace(words[i].line, std::move(*elements));
            continue;
        }
        const bool is_asked =
            words[i + 1].text == "." && (words[i + 2].text == "reserve" || words[i + 2].text == "size");
        if (!found) return {};
        if (words[i - 1].text != "&" && (words[i + 1].text == "[" || is_asked)) continue;
        if (words[i - 1].text != "return" && !is_argument_of(words, i, "of")) return {};
    }
    return found;
}

/// Whether the type before this name is a std::vector of std::vector.
bool is_vector_of_vectors(const std::vector<build::Word>& words, std::size_t name) {
    constexpr std::size_t longest = 20;
    std::size_t depth = 0, begin = name - 1;
    for (; begin > 5 && name - begin < longest; --begin) {
        if (words[begin].text == ">") ++depth;
        if (words[begin].text == "<" && --depth == 0) break;
    }
    const std::size_t inner = words[begin + 1].text == "std" ? begin + 4 : begin + 1;
    return words[begin - 1].text == "vector" && inner < name && words[inner].text == "vector";
}

/// "std::vector<std::vector<bool>> sees(n);": the line, and the words of its one argument; nothing for another
/// declaration, or if a row gets elements somewhere.
std::optional<std::pair<int, std::string>> has_rows_without_elements(const std::string& name,
                                                                     const std::vector<build::Word>& words) {
    std::optional<std::pair<int, std::string>> found;
    for (std::size_t i = 8; i + 2 < words.size(); ++i) {
        if (words[i].text != name || words[i - 1].text == ".") continue;
        const bool is_nested = words[i - 1].text == ">" && words[i - 2].text == ">" && is_vector_of_vectors(words, i);
        if (!found && is_nested && words[i + 1].text == "(") {
            std::size_t end = i + 2, depth = 1;
            std::string argument;
            for (; end < words.size() && depth > 0; ++end) {
                if (words[end].text == "(") ++depth;
                if (words[end].text == ")") --depth;
                if (depth == 1 && words[end].text == ",") return {};  // its rows have what follows
                if (depth > 0) argument += words[end].text;
            }
            // What a function gives may be the rows themselves.
            if (argument.find('(') != std::string::npos && argument.find("size(") == std::string::npos &&
                argument.find("_cast<") == std::string::npos)
                return {};
            for (std::size_t k = 1; k < i; ++k)  // another list: then it is a copy
                if (words[k].text == argument && (words[k - 1].text == ">" || words[k - 1].text == "&")) return {};
            found.emplace(words[i].line, argument);
            continue;
        }
        // sees[t][s] asks for an element, and a copy has what it has; all else may give a row some.
        if (found && words[i - 1].text == "=" && words[i + 1].text == ";") continue;
        if (!found || words[i + 1].text != "[") return {};
        std::size_t end = i + 2, depth = 1;
        for (; end < words.size() && depth > 0; ++end) {
            if (words[end].text == "[") ++depth;
            if (words[end].text == "]") --depth;
        }
        if (end >= words.size() || words[end].text != "[") return {};
    }
    return found;
}

/// Whether what this file declares by that name is a std::vector that begins without elements; true of the members of
/// the course's own structs, which are.
bool begins_without_elements(const std::string& name, const std::vector<build::Word>& whole_file) {
    for (std::size_t i = 1; i + 1 < whole_file.size(); ++i) {
        if (whole_file[i].text != name || whole_file[i - 1].text == ".") continue;
        const bool is_declared = whole_file[i - 1].text == ">" || whole_file[i - 1].is_name();
        const bool is_read = whole_file[i - 1].text == "return" || whole_file[i - 1].text == "else";
        if (is_declared && !is_read && !elements_declared(whole_file, i)) return false;
    }
    return true;
}

/// "rows.codes" of rows.codes[i] in this line, where `rows` was declared without a value and nothing gives its member
/// elements; and the line that declares it.
std::optional<std::pair<std::string, int>> member_without_elements(const std::vector<build::Word>& words,
                                                                   const std::vector<build::Word>& whole_file,
                                                                   int line) {
    const auto is = [&](std::size_t i, const char* text) { return i < words.size() && words[i].text == text; };
    constexpr int most_tried = 16;  // of one line: each is looked for in all of its function
    int tried = 0;
    for (std::size_t i = 1; i + 3 < words.size() && tried < most_tried; ++i) {
        const bool is_asked = words[i].line == line && words[i].is_name() && is(i + 1, ".") && words[i + 2].is_name() &&
                              is(i + 3, "[") && !is(i - 1, ".");
        if (!is_asked) continue;
        ++tried;
        int declared = 0;
        bool may_have_some = false;
        for (std::size_t k = 1; k + 4 < words.size(); ++k) {
            if (words[k].text != words[i].text || is(k - 1, ".")) continue;
            if (words[k].line < line && words[k - 1].is_name() && build::ends_without_value(words, k))
                declared = words[k].line;
            const bool is_member = is(k + 1, ".") && words[k + 2].text == words[i + 2].text;
            may_have_some |= (is_member && !is(k + 3, "[")) || is(k + 1, ")") || is(k + 1, ",") ||
                             (is(k + 1, "=") && !is(k + 2, "=")) || (is(k + 1, ".") && is(k + 3, "("));
        }
        if (declared > 0 && !may_have_some && begins_without_elements(words[i + 2].text, whole_file))
            return std::pair(words[i].text + "." + words[i + 2].text, declared);
    }
    return {};
}

}  // namespace

void tell_what_one_less_than_none_is(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.advice || (!failure.sanitizer && !ended_by("crashed: SIGSEGV", failure))) return;
    const auto function = sources.lines().function_around(*failure.at);
    if (!function) return;
    const std::vector<build::Word>& words = function->words;
    const auto is = [&](std::size_t i, const char* text) { return i < words.size() && words[i].text == text; };
    for (std::size_t i = 1; i + 6 < words.size(); ++i) {
        const bool is_one_less = words[i].is_name() && is(i + 1, ".") && is(i + 2, "size") && is(i + 3, "(") &&
                                 is(i + 4, ")") && is(i + 5, "-") && is(i + 6, "1") && is(i - 1, "<");
        const auto is_used_there = [&](const build::Word& word) {
            return word.line == failure.at->line && word.text == words[i].text;
        };
        if (!is_one_less || words[i].line > failure.at->line || std::ranges::none_of(words, is_used_there)) continue;
        failure.advice = fmt::format(
            "Where {0} is empty, {0}.size() - 1 (line {1}) is a huge number, as sizes are unsigned: write i + 1 < "
            "{0}.size(), and ask whether {0} is empty before back() or front().",
            words[i].text, words[i].line);
        return;
    }
}

void tell_of_a_vector_without_elements(Failure& failure, const ReadSources& sources) {
    const bool lacks_values = failure.message.find(" values, not 0") != std::string::npos;  // Tensor::of
    if (!failure.at || (!lacks_values && !failure.sanitizer && !ended_by("crashed: SIGSEGV", failure))) return;
    constexpr int most_tried = 16;  // of one line: each is looked for in all of its function
    const auto& told = sources.about(Question::what_stays_empty, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const std::vector<build::Word>& words = function->words;
        if (const auto member = member_without_elements(words, sources.words_of(failure.at->file), failure.at->line))
            return fmt::format(
                "{0} has no elements: line {1} declares what it belongs to, and nothing gives it any. First "
                "{0}.resize(…), or {0}.push_back(…) for each.",
                member->first, member->second);
        int names = 0;
        for (std::size_t i = 1; i + 1 < words.size() && names < most_tried; ++i) {
            const bool is_used = words[i + 1].text == "[" || (lacks_values && words[i + 1].text == ")");
            if (words[i].line != failure.at->line || !words[i].is_name() || !is_used) continue;
            ++names;
            if (const auto rows = has_rows_without_elements(words[i].text, words))
                return fmt::format(
                    "{0} has {1} rows (line {2}), each without elements: write their size as well, {0}({1}, "
                    "std::vector<…>(columns)).",
                    words[i].text, rows->second, rows->first);
            if (const auto empty = stays_empty(words[i].text, words, failure.at->line))
                return fmt::format(
                    "{0} has no elements: line {1} makes it without any, and none are added. std::vector<{2}> {0}(n) "
                    "begins with n of them; reserve() makes room alone.",
                    words[i].text, empty->first, empty->second);
        }
        return {};
    });
    if (told) failure.advice = told;
}

}  // namespace headway::cli
