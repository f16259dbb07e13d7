#include "diagnosis/diagnose.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/choose.hpp"
#include "diagnosis/forgotten_check.hpp"
#include "diagnosis/investigation.hpp"
#include "diagnosis/naming.hpp"
#include "diagnosis/parts_of_result.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace headway::diagnosis {

using verdict::FunctionDiagnosis;
using verdict::FunctionState;

namespace {

/// What a function does between calls stands beside what is wrong in its numbers.
void take_words_on_calls(std::vector<FunctionDiagnosis>& functions, const std::vector<std::string>& told) {
    constexpr std::string_view mark = " (between calls): ";
    for (const std::string& one : told) {
        const std::size_t end = one.find(mark);
        if (end == std::string::npos) continue;
        const std::string name = one.substr(0, end), words = one.substr(end + mark.size());
        const auto found = std::ranges::find(functions, name, &FunctionDiagnosis::function);
        const auto is_of_numbers = [](const std::string& id) {
            const std::string_view decision = mistake(id).decision;
            return mistake(id).make != nullptr && decision != "memory" && decision != "kept";
        };
        if (found == functions.end() || found->state != FunctionState::named || found->mistakes.empty() ||
            !std::ranges::all_of(found->mistakes, is_of_numbers))
            continue;
        FunctionDiagnosis beside;
        beside.function = name;
        beside.stage = found->stage;
        beside.state = FunctionState::named;
        beside.mistakes = {not_as_promised};
        beside.sentences = {words};
        functions.push_back(std::move(beside));
    }
}

constexpr std::string_view threw_instead = ", but it threw ";

/// "its shape is wrong: your f should throw std::invalid_argument", without what it did instead: of what it threw, the
/// type alone. What else was let through stays.
std::string without_what_came(std::string words) {
    const std::size_t refusal = words.find(" should throw ");
    if (refusal == std::string::npos) return words;
    if (const std::size_t more = words.find("; also let through: ", refusal); more != std::string::npos)
        return without_what_came(words.substr(0, more)) + words.substr(more);
    if (const std::size_t threw = words.find(threw_instead, refusal); threw != std::string::npos)
        return words.substr(0, words.find(" (", threw + threw_instead.size()));
    return words.substr(0, words.find(", but it ", refusal));
}

/// Whether a refusal that is missing is told beside the names that a function has.
bool misses_it_besides(const FunctionDiagnosis& function) {
    const auto tells_of_refusals = [](const std::string& id) { return is_forgotten_check(&mistake(id)); };
    return function.state == FunctionState::named && std::ranges::none_of(function.mistakes, tells_of_refusals);
}

/// Whether a function may have what is told of it from one that it calls.
class Blame {
public:
    Blame(const std::vector<FunctionDiagnosis>& functions, const std::vector<std::string>& told, const Subject& subject,
          const std::set<std::string>& refusing)
        : functions_(functions), told_(told), subject_(subject), refusing_(refusing) {}

    /// Each function stands after those that it may call.
    bool may_be_theirs(const Function& function) const {
        return is_any_before(function, [&](const Function& earlier) {
            return listed(earlier) != functions_.end() || is_told(earlier.name + ": ");
        });
    }

    /// A refusal that is missing comes of no wrong number, but of one that fails to refuse.
    bool may_be_their_missing_refusal(const Function& function) const {
        return is_any_before(function, [&](const Function& earlier) {
            if (is_told(earlier.name + ": ") || is_told(earlier.name + " (refusal): ")) return true;
            const auto wrong = listed(earlier);
            return wrong != functions_.end() &&
                   (wrong->state == FunctionState::unrecognised || !refusing_.contains(earlier.name));
        });
    }

    /// Whether the diagnosis leaves this function to others, and what was told of it is not theirs: it answered what
    /// does not fit.
    bool misses_its_own_refusal(const FunctionDiagnosis& one) const {
        const auto known = std::ranges::find(subject_.functions, one.function, &Function::name);
        const bool is_left_to_others = one.state == FunctionState::unjudged || one.state == FunctionState::follows;
        return is_left_to_others && known != subject_.functions.end() && !may_be_their_missing_refusal(*known);
    }

private:
    template <typename Condition>
    bool is_any_before(const Function& function, const Condition& condition) const {
        return function.given_own && std::any_of(subject_.functions.data(), &function, condition);
    }

    std::vector<FunctionDiagnosis>::const_iterator listed(const Function& function) const {
        return std::ranges::find(functions_, function.name, &FunctionDiagnosis::function);
    }

    bool is_told(const std::string& begin) const {
        return std::ranges::any_of(told_, [&](const std::string& one) { return one.starts_with(begin); });
    }

    const std::vector<FunctionDiagnosis>& functions_;
    const std::vector<std::string>& told_;
    const Subject& subject_;
    const std::set<std::string>& refusing_;
};

void name_missing_refusal(FunctionDiagnosis& function, const std::string& words) {
    function.state = FunctionState::named;
    function.mistakes = {not_refused};
    function.sentences = {words};
}

/// A refusal that is missing beside wrong numbers may be a mistake of its own, or come from what is wrong in them: it
/// is told beside their name, and is no name. Where the numbers are left to others it may be one.
void take_words_on_refusals(std::vector<FunctionDiagnosis>& functions, const std::vector<std::string>& told,
                            const Blame& blame) {
    constexpr std::string_view mark = " (refusal): ";
    for (const std::string& one : told) {
        const std::size_t end = one.find(mark);
        if (end == std::string::npos) continue;
        const auto found = std::ranges::find(functions, one.substr(0, end), &FunctionDiagnosis::function);
        if (found == functions.end()) continue;
        const std::string words = without_what_came(one.substr(end + mark.size()));
        if (misses_it_besides(*found)) found->besides = words;
        if (blame.misses_its_own_refusal(*found)) name_missing_refusal(*found, words);
    }
}

/// Whether the words count calls, or the memory that is needed: that is its own, whatever the functions give that it
/// calls.
bool counts_what_it_does(std::string_view words) {
    return (words.find(" calls ") != std::string_view::npos && words.find(" times ") != std::string_view::npos) ||
           words.find(" kB ") != std::string_view::npos;
}

/// What hidden tests say in words of a function is a name where the diagnosis has none of its own: what it found is
/// that refusals are missing, or nothing; and where nothing at all was answered wrong. What is right in all else and
/// calls no function that is wrong has that mistake of its own, unless another leaves something behind.
void take_words_of_tests(std::vector<FunctionDiagnosis>& functions, const std::vector<std::string>& told,
                         const Subject& subject, const Blame& blame) {
    const bool all_right = functions.empty();
    const bool leaves_something = std::ranges::any_of(functions, [](const FunctionDiagnosis& function) {
        return std::ranges::any_of(function.mistakes, [](const std::string& id) {
            return id == "state_kept_between_calls" || mistake(id).decision.ends_with("_mode");
        });
    });
    std::vector<std::string> worded;
    for (const std::string& one : told) {
        const std::size_t end = one.find(": ");
        const std::string begin = one.substr(0, end);
        if (end == std::string::npos || begin.ends_with(" (between calls)") || begin.ends_with(" (refusal)")) continue;
        std::string words = one.substr(end + 2);
        const std::size_t refusal = words.find(" should throw ");
        if (refusal == std::string::npos && words.find(" threw ") != std::string::npos)
            continue;  // that is said where it failed
        const bool is_of_another_type = refusal != std::string::npos && words.find(threw_instead) != std::string::npos;
        const bool is_missing = refusal != std::string::npos && !is_of_another_type;
        words = without_what_came(std::move(words));
        const std::string name = one.substr(0, end);
        // "forward (dropout)" is a part of forward that is asked about by itself.
        auto found = std::ranges::find_if(functions, [&](const FunctionDiagnosis& function) {
            return function.function == name || function.function.starts_with(name + " (");
        });
        if (found == functions.end()) {
            const auto known = std::ranges::find(subject.functions, name, &Function::name);
            if (!all_right && (leaves_something || known == subject.functions.end() ||
                               (is_missing ? blame.may_be_their_missing_refusal(*known) : blame.may_be_theirs(*known))))
                continue;
            found = functions.emplace(functions.end());
            found->function = name;
        }
        if (found->mistakes == std::vector<std::string>{not_refused})
            found->sentences.clear();
        else if (is_missing && !leaves_something && blame.misses_its_own_refusal(*found)) {
            name_missing_refusal(*found, words);
            worded.push_back(found->function);
            continue;
        } else if (found->state != FunctionState::unrecognised) {
            const bool is_its_own = refusal != std::string::npos || counts_what_it_does(words);
            if (is_its_own && misses_it_besides(*found)) found->besides = words;
            continue;
        }
        found->state = FunctionState::named;
        found->mistakes = {refusal == std::string::npos ? not_as_promised
                           : is_of_another_type         ? refused_by_another_type
                                                        : not_refused};
        found->sentences.insert(found->sentences.begin(), words);
        worded.push_back(found->function);
    }
    // Without such words it may be what another function hands over that cannot be checked.
    for (FunctionDiagnosis& one : functions) {
        if (one.mistakes != std::vector<std::string>{not_refused}) continue;
        if (std::ranges::find(worded, one.function) != worded.end()) continue;
        one.state = FunctionState::unrecognised;
        one.mistakes.clear();
    }
}

/// The function, if it only shows what another one computes, and right ones were seen not to make this mistake.
const Function* shows_alone_what_is_right(const std::string& name, const std::string& id, const Subject& subject,
                                          const std::vector<Observation>& right_answers) {
    const auto known = std::ranges::find(subject.functions, name, &Function::name);
    if (known == subject.functions.end() || known->shown_beside.empty() || mistake(id).make == nullptr) return nullptr;
    return would_show(mistake(id), right_answers) ? &*known : nullptr;
}

void name_what_is_shown_alone(std::vector<FunctionDiagnosis>& functions, const Subject& subject,
                              const std::vector<Observation>& right_answers) {
    for (FunctionDiagnosis& one : functions) {
        if (one.only_where) continue;
        for (std::string& id : one.mistakes)
            if (const Function* shown = shows_alone_what_is_right(one.function, id, subject, right_answers))
                if (const auto other = shown->named_beside.find(id); other != shown->named_beside.end())
                    id = other->second;
    }
}

void tell_what_follows_of_showing_alone(std::vector<verdict::NamedMistake>& mistakes, const Subject& subject,
                                        const std::vector<Observation>& right_answers) {
    for (verdict::NamedMistake& one : mistakes)
        if (one.functions.size() == 1)
            if (const Function* shown =
                    shows_alone_what_is_right(one.functions.front(), one.id, subject, right_answers))
                one.symptom = shown->shown_beside;
}

/// A check that is missing may end the program or not: what follows of it is what was seen.
void tell_what_follows_of_answering(std::vector<verdict::NamedMistake>& mistakes,
                                    const std::vector<Observation>& wrong_answers) {
    for (verdict::NamedMistake& named : mistakes) {
        const Mistake& one = mistake(named.id);
        if (one.symptom_if_answered.empty() || named.symptom != one.symptom) continue;
        const Choices choices = with({&one});
        bool answered = false, lost = false;
        for (const Observation& question : wrong_answers) {
            if (predicted(question, right()).kind != Answer::Kind::refused ||
                predicted(question, choices).kind != Answer::Kind::accepted)
                continue;
            answered |= question.seen.is_value();
            lost |= question.seen.kind == Answer::Kind::lost;
        }
        if (answered && !lost) named.symptom = one.symptom_if_answered;
    }
}

/// Whether it never came back, and calls one that does not either: that is told of the one which is called.
bool waits_for_another(const FunctionDiagnosis& wrong, const Function& function, const MistakeSet& known) {
    if (!function.given_own || wrong.mistakes.size() != 1) return false;
    const std::string& id = wrong.mistakes.front();
    const bool never_came_back =
        id == "never_ends" || id == "waits_without_end" || id == "calls_itself_without_end" || id == "stack_used_up";
    return never_came_back && std::ranges::find(known, id, &Mistake::id) != known.end();
}

/// The mistake that a function makes in some parts of its result alone, if that is all that is known of it.
const Mistake* made_in_parts_by(const FunctionDiagnosis& function) {
    const bool is_that = function.mistakes == std::vector<std::string>{"made_in_some_parts"};
    return is_that && !function.sentences.empty() ? made_in_parts(function.sentences.front()) : nullptr;
}

/// Leaves it to one that it may call which makes the same mistake in some parts alone: it need not make it itself.
void leave_parts_to_another(FunctionDiagnosis& wrong, const Function& function,
                            const std::vector<FunctionDiagnosis>& earlier) {
    const Mistake* made = function.given_own ? made_in_parts_by(wrong) : nullptr;
    if (made == nullptr ||
        std::ranges::none_of(earlier, [&](const FunctionDiagnosis& one) { return made_in_parts_by(one) == made; }))
        return;
    FunctionDiagnosis unjudged;
    unjudged.function = wrong.function;
    unjudged.stage = wrong.stage;
    unjudged.state = FunctionState::unjudged;
    wrong = std::move(unjudged);
}

/// Whether it changes what one that it may call was seen to change: then it need not write to anything itself.
bool changes_what_another_changes(const FunctionDiagnosis& wrong, const Function& function,
                                  const std::vector<FunctionDiagnosis>& earlier) {
    const std::vector<std::string> changed{"argument_changed"};
    return function.given_own && wrong.mistakes == changed &&
           std::ranges::any_of(earlier, [&](const FunctionDiagnosis& one) {
               return one.mistakes == changed && one.sentences == wrong.sentences;
           });
}

}  // namespace

verdict::Diagnosis diagnose(const std::string& exercise, const Workers& workers, const std::vector<AnsweredCall>& calls,
                            const std::vector<std::string>& told, std::uint64_t seed, const SearchLimits& limits) {
    const auto begin = std::chrono::steady_clock::now();
    verdict::Diagnosis diagnosis;
    const auto subject = subjects().find(exercise);
    if (subject == subjects().end()) return diagnosis;
    Earlier earlier;
    SearchLimits left = limits;
    bool some_only_fails = false;
    const auto look_at = [&](const Function& function) {
        auto wrong = investigate(exercise.substr(0, 2), function, workers, calls, Random(seed), left, earlier);
        if (!wrong || waits_for_another(*wrong, function, earlier.known)) return;
        if (changes_what_another_changes(*wrong, function, diagnosis.functions)) wrong->inherited = wrong->mistakes;
        leave_parts_to_another(*wrong, function, diagnosis.functions);
        // Once a function is beyond the catalogue, one long search is enough: the student waits for it.
        const bool is_beyond = wrong->state == FunctionState::unrecognised;
        const bool only_fails = is_beyond && wrong->sentences.empty();  // nothing was searched
        if (is_beyond && !only_fails) left.budget = limits.budget / 4;
        // Where it calls another that ends the program, that is what it most likely ends by.
        if (only_fails && some_only_fails && function.given_own) wrong->state = FunctionState::unjudged;
        some_only_fails |= only_fails;
        // No model makes a mistake for some sizes alone.
        earlier.some_unnamed |= is_beyond || wrong->only_where;
        for (const std::string& id : wrong->mistakes) {
            if (wrong->only_where) break;
            const Mistake* one = &mistake(id);
            earlier.some_unnamed |= one->make == nullptr;
            if (std::ranges::find(earlier.known, one) == earlier.known.end()) earlier.known.push_back(one);
        }
        if (wrong->mistakes.size() == 1 && !wrong->only_where) {
            MistakeSet& open = earlier.open[&mistake(wrong->mistakes.front())];
            open.clear();
            for (const std::string& id : wrong->alternatives) open.push_back(&mistake(id));
        }
        diagnosis.functions.push_back(std::move(*wrong));
    };
    time_for_predictions() = workers.plain.limits().budget.get();
    try {
        std::ranges::for_each(subject->second.functions, look_at);
    } catch (const judge::OutOfTime&) {
        diagnosis.out_of_time = true;  // what has been found by now is told
    }
    time_for_predictions() = nullptr;
    const Blame blame(diagnosis.functions, told, subject->second, earlier.refusing);
    take_words_of_tests(diagnosis.functions, told, subject->second, blame);
    take_words_on_refusals(diagnosis.functions, told, blame);
    take_words_on_calls(diagnosis.functions, told);
    for (FunctionDiagnosis& function : diagnosis.functions)
        std::erase_if(function.alternatives,
                      [&](const std::string& id) { return would_show(mistake(id), earlier.right_answers); });
    prefer_what_others_have(diagnosis.functions);
    name_what_is_shown_alone(diagnosis.functions, subject->second, earlier.right_answers);
    diagnosis.mistakes = named_mistakes(diagnosis.functions, exercise.substr(0, 2));
    tell_what_follows_of_showing_alone(diagnosis.mistakes, subject->second, earlier.right_answers);
    tell_what_follows_of_answering(diagnosis.mistakes, earlier.wrong_answers);
    diagnosis.complete =
        !diagnosis.out_of_time && !diagnosis.functions.empty() &&
        std::all_of(diagnosis.functions.begin(), diagnosis.functions.end(),
                    [](const FunctionDiagnosis& one) { return one.state != FunctionState::unrecognised; });
    diagnosis.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return diagnosis;
}

}  // namespace headway::diagnosis
