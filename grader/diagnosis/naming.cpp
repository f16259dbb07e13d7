#include "diagnosis/naming.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/only_where.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
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

/// The last hint: what to write. Empty where there is nothing that holds of all that is told so.
std::string what_to_write(const Mistake& mistake, const Decision& decided) {
    // The decision speaks of how results are computed, and these of what comes before or beside that.
    if (mistake.id == not_refused)
        return "before anything is computed or changed: if this does not fit, throw std::invalid_argument(\"…\")";
    if (mistake.id == not_as_promised || mistake.id == "refuses_what_fits") return {};
    return std::string(decided.pseudocode);
}

/// In 01 and 04 one x is asked, matched and gathered: there is no query, key or value to project.
std::string in_words_of(const std::string& exercise_number, std::string_view text) {
    std::string words(text);
    if (exercise_number != "01" && exercise_number != "04") return words;
    for (const std::string_view source : {"query · w_", "key · w_", "value · w_"})
        for (std::size_t at = words.find(source); at != std::string::npos; at = words.find(source))
            words.replace(at, source.size(), "x · w_");
    // 01 has one sequence and one head.
    constexpr std::string_view axes = "(B,H,";
    while (exercise_number == "01" && words.find(axes) != std::string::npos)
        words.replace(words.find(axes), axes.size(), "(");
    return words;
}

/// What the same numbers are called where they come about in the calls that this exercise asks for alone.
struct OwnWords {
    std::string_view exercise, mistake, title, right;
};
constexpr OwnWords own_words[] = {{"01", "query_and_key_weights_swapped",
                                   "queries and keys are handed to attention_weights in the wrong order",
                                   "q = x · w_q and k = x · w_k, and then attention_weights(q, k): queries first"}};

const OwnWords* own_words_for(const std::string& exercise_number, std::string_view id) {
    const auto* found = std::ranges::find_if(
        own_words, [&](const OwnWords& one) { return one.exercise == exercise_number && one.mistake == id; });
    return found == std::end(own_words) ? nullptr : found;
}

verdict::NamedMistake with_texts(const Mistake& mistake, const std::string& exercise_number) {
    const Decision& decided = decision(mistake.decision);
    verdict::NamedMistake named;
    named.id = mistake.id;
    named.title = mistake.title;
    const OwnWords* own = own_words_for(exercise_number, mistake.id);
    named.right = own != nullptr ? std::string(own->right) : in_words_of(exercise_number, mistake.right);
    named.symptom = mistake.symptom;
    named.decision = mistake.decision;
    named.stage = decided.stage;
    named.shipped.assign(mistake.shipped.begin(), mistake.shipped.end());
    const Section* section = decided.section_of(exercise_number);
    if (section == nullptr && !decided.lesson.empty()) section = decided.lesson.begin();
    if (section != nullptr) named.lesson = place_of(*section);
    named.hints = {std::string(mistake.question), named.lesson.empty() ? named.right : "See " + named.lesson + "."};
    if (std::string last = what_to_write(mistake, decided); !last.empty())
        named.hints.push_back(in_words_of(exercise_number, last));
    return named;
}

/// What is due, what follows, and what settles it is that of the mistake which is made in some parts of the result.
void take_words_of(verdict::NamedMistake& named, const Mistake& made, const std::string& exercise_number) {
    verdict::NamedMistake whole = with_texts(made, exercise_number);
    named.right = std::move(whole.right);
    named.symptom = std::move(whole.symptom);
    named.lesson = std::move(whole.lesson);
    named.shipped = std::move(whole.shipped);
    std::ranges::move(whole.hints.begin() + 1, whole.hints.end(), named.hints.begin() + 1);
}

/// "there are no groups: your should throw": what tests say of a function, for any.
std::string without_name(std::string words, const std::string& function) {
    const std::string name = "your " + verdict::name_alone(function);
    if (const std::size_t at = words.find(name); at != std::string::npos) words.erase(at + 4, name.size() - 4);
    return words;
}

constexpr std::string_view by_strides =
    "take each number where strides and offset say that it is: by its indices, or, where it is only read, from a "
    "contiguous copy; what is written goes to the tensor itself. If you count through data(): data()[i] is element i "
    "only where is_contiguous(), and clone() keeps strides, which contiguous() does not";

/// The lesson that says so, of the lessons up to the exercise's own.
std::string place_of_strides(const std::string& exercise_number) {
    return place_of({exercise_number < "03" ? "01" : "03", "What people get wrong"});
}

/// What to do about a promise that the numbers do not show, by the words in which a test tells that it is broken.
std::string right_in_words(std::string_view told, const std::string& function, const std::string& exercise_number) {
    struct Remedy {
        std::string_view words, right;
    };
    constexpr std::string_view by_indices =
        "take each number where strides, which may be 0, say that it is: by its indices, or from a contiguous copy";
    constexpr std::string_view by_copy = "leave the arguments as they are: write to a copy, x.clone()";
    constexpr std::string_view by_new_sum = "write the sum to a new tensor: x + attention.forward(…) is one";
    constexpr std::string_view by_call = "keep nothing of one call for the next, and read nothing that was not written";
    constexpr std::string_view new_result = "return memory that is new in each call and that nothing writes to later";
    constexpr std::string_view by_own_storage =
        "before it is written to, what does not own its storage is copied: if (!x.owns_storage()) x = cat({x}, 0); "
        "contiguous() copies nothing where x is contiguous already";
    constexpr std::string_view by_slice =
        "take keys and values from position max(0, p - w + 1) on, p that of the first query, by slice() and before "
        "anything is computed with them; of those before it only global tokens";
    constexpr std::string_view by_runs =
        "for each run of queries take keys and values by slice(), from max(0, p - w + 1), p that of its first query, "
        "to "
        "the p of its last, and the global ones before these; compute with them alone, and mask them";
    constexpr std::string_view by_own_keys =
        "of a long text nothing is made of all queries times all keys, a mask included: lesson 11, \"What a mask "
        "blocks "
        "need not be computed\"";
    constexpr std::string_view by_inputs =
        "keep the input of each block, and go forward through a block again right before you go back through it: "
        "lesson "
        "14, \"Inputs alone\"";
    // "-0.5" is another number.
    if (told.ends_with("; it should be -0")) return "the sign stays, that of 0 too: std::copysign(result, x)";
    constexpr std::array<Remedy, 25> remedies = {{
        {" nor counted from the end",
         "count it from the end, axis += x.rank(), before shape[axis] and strides[axis] are read, or throw "
         "std::out_of_range; x.size(axis) lets -1 through, as the last axis"},
        {" it has changed the cache before", "look at all that is asked before the first number is written"},
        {": what attention returned may be a view", by_new_sum},
        {" changes its argument ", by_copy},
        {" changes running.", by_copy},
        {" in a view that is not contiguous", by_strides},
        {" begins later in its storage", by_strides},
        {" one argument is contiguous and the next is not", by_strides},
        {" along an axis without a copy", by_indices},
        {" different views of one storage", "tell arguments apart by what they hold, not by where they hold it"},
        {" after another call", by_call},
        {" since the last call", by_call},
        {" when it is called again", new_result},
        {" than after other calls", by_call},
        {" when other functions are called later", new_result},
        {" single features vanish, not whole weights", "drop weights, after softmax: dropout(weights) · v"},
        {" looks at keys that no query sees", by_slice},
        {" and computes with keys that no query sees", by_runs},
        {"; all scores of these would take ", by_own_keys},
        {"; the keys of all windows, copied, take ", by_own_keys},
        {" it looks at keys that the window blocks", by_own_keys},
        {", so you keep ", by_inputs},
        {" share a storage, and your ", by_own_storage},
        {" writes into a storage that somebody else sees", by_own_storage},
        {" of your rounded numbers, of ",
         "see the header of exercise 12: above Format which numbers there are, above rounded which of them is taken"},
    }};
    for (const Remedy& one : remedies)
        if (told.find(one.words) != std::string_view::npos) return std::string(one.right);
    return "see the header of exercise " + exercise_number + ": the comment above " + verdict::name_alone(function) +
           ", or what it asks of all functions";
}

/// "; D and E may differ: ..." of "it throws where biases are given and D ≠ E: in all 42 such calls", and what it means
/// that H > H_kv; else empty.
std::string sizes_that_may_differ(std::string_view told) {
    constexpr std::string_view begin = verdict::throws_where, differ = " ≠ ";
    if (!told.starts_with(begin)) return {};
    told = told.substr(0, told.find(": "));
    if (told.find("H > H_kv") != std::string_view::npos)
        return "; there queries have H heads, keys and values H_kv: look whether each split, shape and check takes the "
               "number that it means";
    if (told.find("no sequence holds a token") != std::string_view::npos)
        return "; there the longest length is 0, and computing over no position at all may throw: look at S = 1 "
               "position at least";
    const std::size_t at = told.find(differ);
    if (at == std::string_view::npos) return {};
    std::string_view one = told.substr(0, at), other = told.substr(at + differ.size());
    one = one.substr(one.rfind(' ') + 1);
    other = other.substr(0, other.find_first_of(" ,"));
    return "; " + std::string(one) + " and " + std::string(other) +
           " may differ: look for a check, or a shape, that takes one of them for the other";
}

bool leaves_an_end_unwritten(const verdict::FunctionDiagnosis& function) {
    return std::ranges::any_of(function.sentences, [](const std::string& sentence) {
        return sentence.ends_with(verdict::end_is_never_written);
    });
}

/// What follows the title of a mistake that is not made everywhere.
std::string where_it_is_made(const std::optional<std::string>& only_where) {
    if (!only_where) return {};
    return *only_where == in_some_calls ? ", but only in some calls" : ", but only where " + *only_where;
}

bool is_among(const std::vector<std::string>& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

/// " (right: v = x · w_v)" of what is wrong at another place than the mistake which it cannot be told from.
std::string right_beside(const verdict::NamedMistake& named, const Mistake& other, const std::string& exercise_number) {
    const std::string right = in_words_of(exercise_number, other.right);
    return other.decision == named.decision || right == named.right ? "" : " (right: " + right + ')';
}

/// Titles of what each of the functions that have it leaves open in its place, and is true where it is true. What is
/// made in some calls, nobody knows which, can be told from nothing.
std::vector<std::string> open_in_all(const verdict::NamedMistake& named,
                                     const std::vector<verdict::FunctionDiagnosis>& functions,
                                     const std::string& exercise_number) {
    const verdict::FunctionDiagnosis* first = nullptr;
    std::vector<std::string> open;
    for (const verdict::FunctionDiagnosis& one : functions) {
        if (!is_among(one.mistakes, named.id) || !is_among(named.functions, one.function)) continue;
        if (first == nullptr) {
            if (one.mistakes.size() != 1 || one.only_where == in_some_calls) return {};
            first = &one;
            open = one.alternatives;
        }
        if (one.only_where != first->only_where) return {};
        std::erase_if(open, [&](const std::string& id) { return !is_among(one.alternatives, id); });
    }
    if (first == nullptr) return {};
    std::vector<std::string> titles;
    if (const OwnWords* own = own_words_for(exercise_number, named.id))
        titles.push_back(std::string(own->title) + where_it_is_made(first->only_where));
    for (const std::string& id : open) {
        if (mistake(id).from > exercise_number) continue;
        const std::string title = std::string(mistake(id).title) + where_it_is_made(first->only_where) +
                                  right_beside(named, mistake(id), exercise_number);
        if (titles.size() < most_others && !is_among(titles, title)) titles.push_back(title);
    }
    return titles;
}

}  // namespace

void note(verdict::FunctionDiagnosis& function, const MistakeSet& set, const Evidence& evidence,
          const std::vector<MistakeSet>& others) {
    for (const Mistake* mistake : set) function.mistakes.emplace_back(mistake->id);
    if (evidence.open() > 0) function.left_open = evidence.open();
    function.inputs = evidence.inputs - evidence.open();
    function.telling = evidence.wrong - evidence.left_open;
    function.closeness = evidence.closeness;
    for (const MistakeSet& other : others)
        for (const Mistake* mistake : other) {
            std::string id(mistake->id);
            if (std::ranges::find(set, mistake) == set.end() && !is_among(function.alternatives, id))
                function.alternatives.push_back(std::move(id));
        }
}

void note(verdict::FunctionDiagnosis& function, const OnlyWhere& found, std::size_t answers) {
    function.mistakes.emplace_back(found.mistake->id);
    if (!found.words.empty()) function.sentences.insert(function.sentences.begin(), found.words);
    if (!found.condition.empty()) function.only_where = found.condition;
    function.inputs = static_cast<int>(answers) + found.asked_besides;
    function.telling = found.wrong;
    for (const Mistake* other : found.alternatives) function.alternatives.emplace_back(other->id);
}

bool note_first(verdict::FunctionDiagnosis& function, const MistakeSet& found, const char* why) {
    if (found.empty()) return false;
    function.mistakes.emplace_back(found.front()->id);
    for (std::size_t i = 1; i < found.size(); ++i) function.alternatives.emplace_back(found[i]->id);
    function.sentences.emplace_back(why);
    return true;
}

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
            if (const Mistake* made =
                    in_words && id == "made_in_some_parts" ? made_in_parts(function.sentences.front()) : nullptr)
                take_words_of(texts, *made, exercise_number);
            if (in_words) texts.title = function.sentences.front();
            if (mistake(id).ends_in_words && !function.sentences.empty())
                texts.title += ' ' + function.sentences.front();
            if (id == "uninitialised_memory" && leaves_an_end_unwritten(function)) {
                // Zeros would be as wrong, but where 0 is due: nothing is added up there.
                texts.right = "write every element, the last ones too: Tensor::zeros helps only where 0 is due";
                texts.symptom = "what is given back there is whatever memory held before";
                texts.hints.front() = "Which elements does the last round of your loop write to, and which are left?";
                texts.hints.back() = texts.right;
            }
            if (in_words && id == not_as_promised) {
                texts.right = right_in_words(texts.title, function.function, exercise_number);
                if (texts.lesson.empty()) texts.hints[1] = texts.right;
                if (texts.right == by_strides) {
                    texts.lesson = place_of_strides(exercise_number);
                    texts.hints.insert(texts.hints.begin() + 1, "See " + texts.lesson + ".");
                }
            }
            if (in_words && id == "refuses_what_fits") {
                texts.right += sizes_that_may_differ(texts.title);
                if (texts.lesson.empty()) texts.hints[1] = texts.right;
            }
            const std::string words = without_name(texts.title, function.function);
            auto found = std::find_if(named.begin(), named.end(), [&](const auto& one) {
                return one.id == id && (!in_words || without_name(one.title, one.functions.front()) == words);
            });
            if (found == named.end()) {
                named.push_back(std::move(texts));
                named.back().title += where_it_is_made(function.only_where);
                // What follows of the whole mistake does not follow of a part of it.
                if (function.only_where && *function.only_where != where_it_answers)
                    named.back().symptom = "nothing of it shows until such a call comes";
                found = named.end() - 1;
            }
            found->functions.push_back(function.function);
        }
    for (verdict::NamedMistake& one : named) one.also_known_as = open_in_all(one, functions, exercise_number);
    return named;
}

}  // namespace headway::diagnosis
