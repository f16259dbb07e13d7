#include "diagnosis/own_functions.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/where_it_throws.hpp"

#include "student/test_record.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <variant>

namespace headway::diagnosis {
namespace {

std::vector<Observation> answered_wrong(const std::vector<Observation>& observations) {
    std::vector<Observation> wrong;
    std::ranges::copy_if(observations, std::back_inserter(wrong),
                         [](const Observation& one) { return !fit(predicted(one, right()), one.seen); });
    return wrong;
}

/// Part by part what they give, or what is right, as it was seen; nothing if some part is neither. A function may call
/// them for some of its parts, and have code of its own for others.
std::optional<Answer> in_some_parts(Answer given, const Observation& one) {
    const Answer due = predicted(one, right());
    const std::size_t parts = one.seen.parts.size();
    if (!one.seen.is_value() || !given.is_value() || !due.is_value() || parts < 2 || given.parts.size() != parts ||
        due.parts.size() != parts)
        return std::nullopt;
    for (std::size_t i = 0; i < parts; ++i) {
        const Answer seen{.parts = {one.seen.parts[i]}};
        if (fit({.parts = {given.parts[i]}}, seen)) continue;
        if (!fit({.parts = {due.parts[i]}}, seen)) return std::nullopt;
        given.parts[i] = due.parts[i];
    }
    return given;
}

/// The one that has this name and may be called: each stands after those that it may call.
const Function* function_before(const Function& function, const std::string& name) {
    for (const auto& [exercise, subject] : subjects()) {
        const auto& all = subject.functions;
        const auto here = std::ranges::find_if(all, [&](const Function& one) { return &one == &function; });
        if (here == all.end()) continue;
        const auto found = std::find_if(all.begin(), here, [&](const Function& one) { return one.name == name; });
        return found == here ? nullptr : &*found;
    }
    return nullptr;
}

/// Whether an answer is known to be right, in all of its numbers.
bool is_surely_right(const Function& function, const judge::Arguments& arguments, const judge::Outcome& outcome) {
    if (!outcome.changed_arguments.empty()) return false;
    try {
        const Observation one{arguments, answer_of(outcome), known_prediction(function, arguments)};
        if (!one.predict) return false;
        const auto fitting = fit(predicted(one, right()), one.seen);
        return fitting && fitting->unpredicted == 0;
    } catch (const std::logic_error&) {
    } catch (const std::bad_variant_access&) {  // what it holds stays in the worker
    }
    return false;
}

}  // namespace

void OwnFunctions::look_at(const std::string& name, const judge::Arguments& arguments, const judge::Outcome& outcome) {
    if (given_ == Given::wrong_or_not_known) return;
    const Function* one = function_before(function_, name);
    given_ = one != nullptr && is_surely_right(*one, arguments, outcome) ? Given::right : Given::wrong_or_not_known;
}

/// What should have come; nothing if they do not tell.
std::optional<Answer> OwnFunctions::due(const Observation& observation, const GivenOwn& given_own) {
    // The answer that was seen had no call before it.
    if (keeps_state_) student_.fresh_worker();
    struct Watch {
        judge::Student& student;
        ~Watch() { student.witnessed_by({}); }
    };
    const Watch watch{student_};
    student_.witnessed_by([this](const std::string& name, const judge::Arguments& arguments,
                                 const judge::Outcome& outcome) { look_at(name, arguments, outcome); });
    try {
        return given_own(observation.arguments);
    } catch (const judge::StopTest&) {
        student_.fresh_worker();
        given_ = Given::wrong_or_not_known;
        // One of them threw or crashed. What calls it gets no further.
        if (!observation.seen.is_value()) return observation.seen;
    } catch (const std::logic_error&) {
        // arguments that should be refused: nothing can be made of them
    } catch (const Unpredictable&) {
        // some who decide like this do one thing, others another
    }
    return std::nullopt;
}

/// What they give, however this function calls them; nothing if that is not what was seen.
std::optional<Answer> OwnFunctions::theirs(const Observation& one) {
    const auto given_own = [&](const judge::Arguments& arguments) { return function_.given_own(student_, arguments); };
    const auto called_otherwise = [&](const judge::Arguments& arguments) {
        return function_.given_own_and(student_, arguments, right());
    };
    const auto fitting = [&](const GivenOwn& given) {
        auto expected = due(one, given);
        if (!expected || fit(*expected, one.seen)) return expected;
        return in_some_parts(*std::move(expected), one);
    };
    auto expected = fitting(given_own);
    return expected || !function_.given_own_and ? expected : fitting(called_otherwise);
}

bool OwnFunctions::explain(const std::vector<Observation>& observations) {
    if (!function_.given_own) return false;
    const std::vector<Observation> wrong = answered_wrong(observations);
    std::vector<Answer> given;
    given_ = Given::nothing;
    in_values_ = false;
    for (const Observation& one : wrong) {
        auto answer = theirs(one);
        if (!answer) return false;
        given.push_back(std::move(*answer));
    }
    if (given_ == Given::right) return false;
    const auto evidence = evidence_for(
        [&](const Observation& one) { return given[static_cast<std::size_t>(&one - wrong.data())]; }, wrong);
    in_values_ = evidence && std::ranges::any_of(given, &Answer::is_value) &&
                 std::ranges::all_of(evidence->told, [](const auto& part) { return part.second; });
    return !wrong.empty();
}

/// Whether every wrong answer comes of them with mistakes of this function's own on top, and some are values.
bool OwnFunctions::explain_beside(const MistakeSet& own, const std::vector<Observation>& observations) {
    if (!function_.given_own_and) return false;
    const Choices choices = with(own);
    const std::vector<Observation> wrong = answered_wrong(observations);
    bool in_values = false;
    for (const Observation& one : wrong) {
        const auto expected = due(one, [&](const judge::Arguments& arguments) {
            return function_.given_own_and(student_, arguments, choices);
        });
        if (!expected || !fit(*expected, one.seen)) return false;
        in_values |= expected->is_value();
    }
    return in_values;
}

/// Whether every wrong answer with which mistakes of this function's own have nothing to do comes of them, and some are
/// values.
bool OwnFunctions::explain_what_shows_none_of(const MistakeSet& own, const std::vector<Observation>& observations) {
    constexpr double apart = 1;  // tolerances
    std::vector<Observation> others = answered_wrong(observations);
    std::erase_if(others, [choices = with(own)](const Observation& one) {
        return distance(predicted(one, choices), predicted(one, right())) > apart;
    });
    return explain(others) && explain_values();
}

void OwnFunctions::tell_whose(verdict::FunctionDiagnosis& diagnosis, const MistakeSet& set, const MistakeSet& own,
                              const std::vector<Observation>& observations, const std::vector<Observation>& all) {
    if (own.empty() ? !explain(observations)
                    : !explain_beside(own, observations) && !explain_what_shows_none_of(own, all))
        return;
    if (own.empty() && explain_values()) {
        diagnosis.given_own = true;
        return;
    }
    std::vector<std::string> theirs;
    for (const Mistake* one : set)
        if (std::ranges::find(own, one) == own.end()) theirs.emplace_back(one->id);
    if (!theirs.empty()) diagnosis.inherited = std::move(theirs);
}

std::vector<Observation> OwnFunctions::wrong_given_right(const std::vector<Observation>& observations) {
    std::vector<Observation> wrong = answered_wrong(observations);
    std::erase_if(wrong, [&](const Observation& one) {
        const Answer right_answer = predicted(one, right());
        if (!function_.given_own || !one.seen.is_value() || !right_answer.is_value()) return true;
        const auto given =
            due(one, [&](const judge::Arguments& arguments) { return function_.given_own(student_, arguments); });
        return !given || !given->is_value() || !fit(right_answer, *given);
    });
    return wrong;
}

bool OwnFunctions::give_what_it_threw_at(const std::vector<Observation>& observations) {
    const auto is_known = [](const auto& part) {
        return std::ranges::all_of(part.second.error, [](double error) { return error < anything; });
    };
    return function_.given_own && std::ranges::any_of(observations, [&](const Observation& one) {
               if (!threw_where_an_answer_is_due(one)) return false;
               const auto given = due(
                   one, [&](const judge::Arguments& arguments) { return function_.given_own(student_, arguments); });
               return given && given->is_value() && std::ranges::all_of(given->parts, is_known);
           });
}

std::vector<Observation> OwnFunctions::measured(std::vector<Observation> observations) {
    bool some_follow = false;
    if (!function_.given_own) return {};
    for (Observation& one : observations) {
        const Answer right_answer = predicted(one, right());
        if (!right_answer.is_value() || fit(right_answer, one.seen) || !have_same_parts(right_answer, one.seen))
            continue;
        auto given =
            due(one, [&](const judge::Arguments& arguments) { return function_.given_own(student_, arguments); });
        if (!given || !have_same_parts(right_answer, *given)) continue;
        for (std::size_t i = 0; i < given->parts.size(); ++i) {
            const Answer seen{.parts = {one.seen.parts[i]}};
            if (fit({.parts = {right_answer.parts[i]}}, seen))
                given->parts[i] = right_answer.parts[i];
            else
                some_follow |= fit({.parts = {given->parts[i]}}, seen).has_value();
        }
        one.predict = [answer = *std::move(given)](const Choices&) { return answer; };
    }
    return some_follow ? observations : std::vector<Observation>{};
}

MistakeSet OwnFunctions::explain_where_harmless(const MistakeSet& candidates,
                                                const std::vector<Observation>& observations) {
    constexpr int least = 3;  // fewer may agree by chance
    const std::vector<Observation> wrong = wrong_given_right(observations);
    std::vector<Observation> right_answers;
    std::ranges::copy_if(observations, std::back_inserter(right_answers), [](const Observation& one) {
        return one.seen.is_value() && fit(predicted(one, right()), one.seen);
    });
    const auto explain_these = [&](std::vector<Observation> answers) {
        MistakeSet found;
        if (answers.size() < static_cast<std::size_t>(least)) return found;
        std::ranges::copy(right_answers, std::back_inserter(answers));
        std::ranges::copy_if(candidates, std::back_inserter(found), [&](const Mistake* mistake) {
            const auto evidence = evidence_for(MistakeSet{mistake}, answers);
            return evidence && evidence->is_telling() && evidence->telling >= least && evidence->open() == 0;
        });
        return found;
    };
    if (MistakeSet found = explain_these(wrong); !found.empty()) return found;
    // Called in another order, they may do harm that is not seen here: most often where something is blocked.
    std::vector<Observation> unmasked;
    std::ranges::copy_if(wrong, std::back_inserter(unmasked), [](const Observation& one) {
        return std::ranges::none_of(one.arguments, [](const wire::Field& field) {
            const auto* mask = std::get_if<Mask>(&field.value);
            return mask != nullptr && mask->defined();
        });
    });
    return explain_these(std::move(unmasked));
}

MistakeSet OwnFunctions::explain_beside_one_of(const std::vector<const Mistake*>& candidates,
                                               const std::vector<Observation>& observations,
                                               const std::vector<Observation>& of_hidden_tests) {
    MistakeSet found = each_explains(candidates, observations);
    if (found.size() < 2) return found;
    MistakeSet narrower = each_explains(found, of_hidden_tests);
    return narrower.empty() ? found : narrower;
}

MistakeSet OwnFunctions::each_explains(const std::vector<const Mistake*>& candidates,
                                       const std::vector<Observation>& observations) {
    MistakeSet found;
    std::vector<Observation> wrong = answered_wrong(observations);
    std::erase_if(wrong, [](const Observation& one) { return !one.seen.is_value(); });
    if (!function_.given_own_and) return found;
    // First what is not theirs alone: it shows the mistake that is looked for.
    const auto explained =
        std::stable_partition(wrong.begin(), wrong.end(), [&](const Observation& one) { return !theirs(one); });
    if (wrong.begin() == explained) return found;
    constexpr double apart = 1;  // tolerances
    for (const Mistake* mistake : candidates) {
        const Choices choices = with({mistake});
        // What the model alone does not show, its own functions do not show either.
        if (distance(predicted(wrong.front(), choices), predicted(wrong.front(), right())) <= apart) continue;
        const auto given_own_and = [&](const judge::Arguments& arguments) {
            return function_.given_own_and(student_, arguments, choices);
        };
        const auto explains = [&](const Observation& one) {
            const auto expected = due(one, given_own_and);
            return expected && fit(*expected, one.seen);
        };
        if (!std::ranges::all_of(wrong, explains)) continue;
        // What is not finite fits much: what their own functions do not explain, numbers do.
        const auto evidence = evidence_for(
            [&](const Observation& one) {
                return due(one, given_own_and).value_or(Answer::without_value(Answer::Kind::unpredicted));
            },
            {wrong.begin(), explained});
        if (evidence && evidence->is_telling()) found.push_back(mistake);
    }
    return found;
}

}  // namespace headway::diagnosis
