#include "diagnosis/diagnose.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/choose.hpp"
#include "diagnosis/investigation.hpp"
#include "diagnosis/naming.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/words_of_tests.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace headway::diagnosis {

using verdict::FunctionDiagnosis;
using verdict::FunctionState;

namespace {

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
    take_words_of_hidden_tests(diagnosis.functions, told, subject->second, earlier.refusing);
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
