#include "diagnosis/naming.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/only_where.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace headway::diagnosis {
namespace {

/// Of what has the same numbers: nobody reads more.
constexpr std::size_t most_others = 4;

std::string place_of(const Section& section) {
    const std::string number(section.exercise);
    if (section.heading == in_the_header) return "the header of exercise " + number;
    return "lesson " + number + ", \"" + std::string(section.heading) + '"';
}

verdict::NamedMistake with_texts(const Mistake& mistake, const std::string& exercise_number) {
    const Decision& decided = decision(mistake.decision);
    verdict::NamedMistake named;
    named.id = mistake.id;
    named.title = mistake.title;
    named.right = mistake.right;
    named.symptom = mistake.symptom;
    named.decision = mistake.decision;
    named.stage = decided.stage;
    named.shipped.assign(mistake.shipped.begin(), mistake.shipped.end());
    const Section* section = decided.section_of(exercise_number);
    if (section == nullptr && !decided.lesson.empty()) section = decided.lesson.begin();
    if (section != nullptr) named.lesson = place_of(*section);
    named.hints = {std::string(mistake.question),
                   named.lesson.empty() ? std::string(mistake.right) : "See " + named.lesson + ".",
                   std::string(decided.pseudocode)};
    return named;
}

/// "there are no groups: your should throw": what tests say of a function, for any.
std::string without_name(std::string words, const std::string& function) {
    const std::string name = "your " + function.substr(0, function.find(" ("));
    if (const std::size_t at = words.find(name); at != std::string::npos) words.erase(at + 4, name.size() - 4);
    return words;
}

/// What to do about a promise that the numbers do not show, by the words in which a test tells that it is broken.
std::string right_in_words(std::string_view told, const std::string& function, const std::string& exercise_number) {
    struct Remedy {
        std::string_view words, right;
    };
    constexpr std::string_view by_strides =
        "take each number where strides and offset say that it is: by its indices, or from a contiguous copy";
    constexpr std::string_view by_call = "keep nothing of one call for the next, and read nothing that was not written";
    constexpr std::string_view new_result = "return memory that is new in each call and that nothing writes to later";
    constexpr std::array<Remedy, 12> remedies = {{
        {" it has changed the cache before", "look at all that is asked before the first number is written"},
        {" changes its argument ", "leave the arguments as they are: write to a copy, x.clone()"},
        {" in a view that is not contiguous", by_strides},
        {" begins later in its storage", by_strides},
        {" one argument is contiguous and the next is not", by_strides},
        {" along an axis without a copy", by_strides},
        {" different views of one storage", "tell arguments apart by what they hold, not by where they hold it"},
        {" after another call", by_call},
        {" since the last call", by_call},
        {" when it is called again", new_result},
        {" than after other calls", by_call},
        {" when other functions are called later", new_result},
    }};
    for (const Remedy& one : remedies)
        if (told.find(one.words) != told.npos) return std::string(one.right);
    return "see the header of exercise " + exercise_number + ": the comment above " +
           function.substr(0, function.find(" (")) + ", or what it asks of all functions";
}

}  // namespace

void prefer_what_others_have(std::vector<verdict::FunctionDiagnosis>& functions) {
    const auto is_found_in_another = [&](const std::string& id, const verdict::FunctionDiagnosis& than) {
        return std::ranges::any_of(functions, [&](const verdict::FunctionDiagnosis& other) {
            return &other != &than && std::ranges::find(other.mistakes, id) != other.mistakes.end();
        });
    };
    for (verdict::FunctionDiagnosis& one : functions) {
        if (one.mistakes.size() != 1 || is_found_in_another(one.mistakes.front(), one)) continue;
        const auto other =
            std::ranges::find_if(one.alternatives, [&](const std::string& id) { return is_found_in_another(id, one); });
        if (other != one.alternatives.end()) std::swap(one.mistakes.front(), *other);
    }
}

std::vector<verdict::NamedMistake> named_mistakes(const std::vector<verdict::FunctionDiagnosis>& functions,
                                                  const std::string& exercise_number) {
    std::vector<verdict::NamedMistake> named;
    for (const verdict::FunctionDiagnosis& function : functions)
        for (const std::string& id : function.mistakes) {
            verdict::NamedMistake texts = with_texts(mistake(id), exercise_number);
            const bool in_words = texts.decision == told_in_words && !function.sentences.empty();
            if (in_words) texts.title = function.sentences.front();
            if (in_words && id == not_as_promised) {
                texts.right = right_in_words(texts.title, function.function, exercise_number);
                if (texts.lesson.empty()) texts.hints[1] = texts.right;
            }
            const std::string words = without_name(texts.title, function.function);
            auto found = std::find_if(named.begin(), named.end(), [&](const auto& one) {
                return one.id == id && (!in_words || without_name(one.title, one.functions.front()) == words);
            });
            if (found == named.end()) {
                named.push_back(std::move(texts));
                if (function.only_where) {
                    named.back().title += *function.only_where == in_some_calls
                                              ? std::string(", but only in some calls")
                                              : ", but only where " + *function.only_where;
                    // What follows of the whole mistake does not follow of a part of it.
                    if (*function.only_where != where_it_answers)
                        named.back().symptom = "nothing of it shows until such a call comes";
                }
                found = named.end() - 1;
            }
            found->functions.push_back(function.function);
            for (const std::string& other : function.alternatives)
                if (auto& also = found->also_known_as;
                    function.mistakes.size() == 1 && also.size() < most_others &&
                    std::find(also.begin(), also.end(), mistake(other).title) == also.end())
                    also.emplace_back(mistake(other).title);
        }
    return named;
}

}  // namespace headway::diagnosis
