#include "diagnosis/words_of_tests.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/forgotten_check.hpp"

#include <algorithm>
#include <string_view>
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

}  // namespace

void take_words_of_hidden_tests(std::vector<FunctionDiagnosis>& functions, const std::vector<std::string>& told,
                                const Subject& subject, const std::set<std::string>& refusing) {
    const Blame blame(functions, told, subject, refusing);
    take_words_of_tests(functions, told, subject, blame);
    take_words_on_refusals(functions, told, blame);
    take_words_on_calls(functions, told);
}

}  // namespace headway::diagnosis
