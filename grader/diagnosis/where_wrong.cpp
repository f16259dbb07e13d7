#include "diagnosis/where_wrong.hpp"

#include "diagnosis/asking.hpp"
#include "diagnosis/call_facts.hpp"
#include "diagnosis/localise.hpp"
#include "diagnosis/resizing.hpp"
#include "diagnosis/splits.hpp"
#include "diagnosis/variations.hpp"

#include "student/altered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

/// What is enough to speak of "all".
constexpr int least_wrong = 3;
constexpr int least_right = 3;

/// Of a condition that not all questions are wrong which have it.
constexpr std::string_view wrong_only = "wrong only where ";

/// The student waits for it.
class Patience {
public:
    bool is_spent() const { return std::chrono::steady_clock::now() - begin_ > most_; }

private:
    static constexpr std::chrono::milliseconds most_{600};
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What was asked, and whether the answer was wrong.
class Asked {
public:
    explicit Asked(const Function& function) : function_(function) {}

    /// @return its number; nothing if it says nothing
    std::optional<std::size_t> add(const Observation& one) {
        if (one.seen.kind == Answer::Kind::not_judged) return std::nullopt;  // it agrees with whatever is due
        const Answer due = predicted(one, right());
        if (!is_answer_due(due)) return std::nullopt;  // what should be refused has sizes of no name
        const bool is_wrong = !fit(due, one.seen);
        // Where every key is blocked, attention is 0 whatever it computes.
        if (!is_wrong && sees_nothing(one.arguments)) return std::nullopt;
        sorted_.facts.push_back(facts_with_masks(function_.call ? function_.call(one.arguments) : one.arguments));
        sorted_.wrong.push_back(is_wrong);
        shows_nothing_.push_back(!is_wrong && has_padding_alone(one.arguments));
        if (sorted_.wrong.back())
            throws_ &= one.seen.kind == Answer::Kind::refused || one.seen.kind == Answer::Kind::threw ||
                       says_it_refused(one.seen);
        return sorted_.wrong.size() - 1;
    }
    std::optional<std::size_t> add(const judge::Arguments& arguments, judge::Student& student) {
        Predict predict = known_prediction(function_, arguments);
        if (!predict) return std::nullopt;
        Observation one{arguments, {}, std::move(predict)};
        if (!is_answer_due(predicted(one, right()))) return std::nullopt;
        one.seen = ask(student, function_, arguments).answer;
        return add(one);
    }
    void add_change(std::size_t from, std::size_t to) { sorted_.changes.push_back({from, to}); }

    const Sorted& sorted() const { return sorted_; }
    bool throws() const { return throws_; }  ///< in all that is wrong

    /// Without the answers that are right whatever is computed: these count only where something throws.
    Sorted telling() const {
        if (throws_) return sorted_;
        Sorted all;
        std::vector<std::optional<std::size_t>> numbers;
        for (std::size_t i = 0; i < sorted_.facts.size(); ++i) {
            numbers.push_back(shows_nothing_[i] ? std::nullopt : std::optional(all.facts.size()));
            if (shows_nothing_[i]) continue;
            all.facts.push_back(sorted_.facts[i]);
            all.wrong.push_back(sorted_.wrong[i]);
        }
        for (const Change& change : sorted_.changes)
            if (numbers[change.from] && numbers[change.to])
                all.changes.push_back({*numbers[change.from], *numbers[change.to]});
        return all;
    }

private:
    const Function& function_;
    Sorted sorted_;
    std::vector<bool> shows_nothing_;
    bool throws_ = true;
};

/// A call that was answered, and its number.
struct Origin {
    const Observation* call;
    std::size_t number;
    bool is_wrong;
};

/// The first calls that were answered wrong, and the first that were not.
std::vector<Origin> first_of(const std::vector<Observation>& observations, Asked& asked) {
    constexpr int most_wrong = 3, most_right = 2;
    std::vector<Origin> first;
    int wrong = 0, good = 0;
    for (const Observation& one : observations) {
        const auto number = asked.add(one);
        const bool was_lost = one.seen.kind == Answer::Kind::lost;  // each time, a worker
        if (!number || was_lost) continue;
        const bool is_wrong = asked.sorted().wrong[*number];
        if ((is_wrong ? wrong++ < most_wrong : good++ < most_right)) first.push_back({&one, *number, is_wrong});
    }
    return first;
}

/// Wrong calls with other numbers and other masks: sizes that are rare need not stay so.
void ask_like_the_wrong(Asked& asked, const std::vector<Origin>& origins, judge::Student& student, Random& random) {
    constexpr int times = 3;
    for (const Origin& origin : origins) {
        if (!origin.is_wrong) continue;
        judge::Arguments arguments = origin.call->arguments;
        for (int time = 0; time < times; ++time) {
            arguments = judge::with_other_numbers(arguments);
            asked.add(arguments, student);
            if (const auto masked = judge::with_other_masks(arguments, random)) asked.add(*masked, student);
        }
    }
}

/// What a condition would leave open is asked before it is said: the same calls with one thing changed, each.
void ask_variations(Asked& asked, const std::vector<Origin>& origins, const Freedom& freedom, judge::Student& student,
                    Random& random) {
    const Patience patience;
    for (const Origin& origin : origins)
        for (const judge::Arguments& arguments : variations(origin.call->arguments, freedom, random)) {
            if (patience.is_spent()) return;
            if (const auto number = asked.add(arguments, student)) asked.add_change(origin.number, *number);
        }
}

/// More of the function's own questions, until there are enough or it takes too long.
void ask_more(Asked& asked, const Function& function, judge::Student& student, Random& random) {
    constexpr int most_to_ask = 60, most_failures = 3;
    const Patience patience;
    int questions = 0, failures = 0;
    while (questions < most_to_ask) {
        const int before = questions;
        for (const auto& [arguments, name] : function.questions(random)) {
            if (++questions > most_to_ask || failures >= most_failures) return;
            if (patience.is_spent()) return;
            Observation question{arguments, {}, function.model(arguments)};
            if (!question.predict) continue;
            const Reply reply = ask(student, function, arguments);
            if (reply.failure) ++failures;
            question.seen = reply.answer;
            asked.add(question);
        }
        if (questions == before) return;
    }
}

/// Of "angles is not contiguous": which numbers are read then.
std::string advice_on(std::string_view condition) {
    if (!condition.ends_with(not_contiguous)) return {};
    const std::string_view name = condition.substr(0, condition.size() - std::string_view(not_contiguous).size());
    if (name.find(' ') != std::string_view::npos) return {};
    return fmt::format(
        "right: take the strides of {0}, not those of a row-major tensor, or make {0}.contiguous() first", name);
}

}  // namespace

WhereWrong where_it_is_wrong(const std::vector<Observation>& observations, const Function& function,
                             judge::Student& student, Random& random) {
    Asked asked(function);
    const std::vector<Origin> origins = first_of(observations, asked);
    ask_like_the_wrong(asked, origins, student, random);
    ask_variations(asked, origins, freedom_in(observations), student, random);
    for (const Observation& one : ask_with_other_sizes(observations, right(), function, student, random))
        asked.add(one);
    ask_more(asked, function, student, random);
    const Sorted sorted = asked.telling();
    const auto wrong = std::ranges::count(sorted.wrong, true), right = std::ranges::count(sorted.wrong, false);
    if (wrong < least_wrong || right < least_right) return {};
    const auto split = what_splits(sorted);
    if (split && asked.throws())
        return {fmt::format("{}{}: in all {} such calls, and in none of the {} others", verdict::throws_where, *split,
                            wrong, right),
                true};
    if (split)
        return {fmt::format("wrong in all {} questions where {}, right in all {} others", wrong, *split, right), false,
                advice_on(*split)};
    if (const auto turned = what_splits(sorted.turned()))
        return {fmt::format("right in all {} questions where {}, wrong in all {} others", right, *turned, wrong)};
    if (const auto needed = needed_option(sorted))
        return {fmt::format("{}{}: in {} of {} such questions, and in none of the {} others", wrong_only, needed->words,
                            wrong, needed->with, needed->without)};
    return {};
}

bool is_wrong_without_mask(const std::vector<Observation>& observations, const std::string& name,
                           const Function& function, judge::Student& student) {
    return std::ranges::any_of(observations, [&](const Observation& one) {
        if (one.name != name || fit(predicted(one, right()), one.seen)) return false;
        judge::Arguments arguments = one.arguments;
        bool had_mask = false;
        for (wire::Field& argument : arguments)
            if (auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->defined()) {
                *mask = Mask{};
                had_mask = true;
            }
        Predict predict = had_mask ? known_prediction(function, arguments) : nullptr;
        if (!predict) return false;
        Observation without{arguments, {}, std::move(predict)};
        without.seen = ask(student, function, arguments).answer;
        return !fit(predicted(without, right()), without.seen);
    });
}

void say_first(const WhereWrong& where, std::vector<std::string>& sentences) {
    if (where.words.empty()) return;
    const bool is_exact = !where.words.starts_with(wrong_only);
    std::erase_if(sentences, [&](const std::string& sentence) {
        if (sentence == throws_for_some) return where.throws;
        if (!sentence.starts_with(wrong_already)) return false;
        if (is_exact) return true;  // what parts wrong from right entirely leaves no other condition to tell
        std::string condition = sentence.substr(std::string_view(wrong_already).size());  // "where H > 1"
        if (condition == "where there is no mask") condition = "where no mask is given";
        return where.words.find(condition + ':') != std::string::npos ||
               where.words.find(condition + ',') != std::string::npos;
    });
    if (!where.advice.empty()) sentences.insert(sentences.begin(), where.advice);
    sentences.insert(sentences.begin(), where.words);
}

}  // namespace headway::diagnosis
