#include "diagnosis/investigation.hpp"

#include "diagnosis/candidates.hpp"
#include "diagnosis/choose.hpp"
#include "diagnosis/constant_factor.hpp"
#include "diagnosis/forgotten_check.hpp"
#include "diagnosis/localise.hpp"
#include "diagnosis/lost_worker.hpp"
#include "diagnosis/naming.hpp"
#include "diagnosis/never_reached.hpp"
#include "diagnosis/only_where.hpp"
#include "diagnosis/overruns.hpp"
#include "diagnosis/own_functions.hpp"
#include "diagnosis/pairs.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/repeats.hpp"
#include "diagnosis/short_numbers.hpp"
#include "diagnosis/slices.hpp"
#include "diagnosis/tell_apart.hpp"
#include "diagnosis/trusted_answers.hpp"
#include "diagnosis/what_is_read.hpp"
#include "diagnosis/where_it_throws.hpp"
#include "diagnosis/where_wrong.hpp"

#include "student/test_record.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway::diagnosis {
namespace {

using verdict::FunctionDiagnosis;
using verdict::FunctionState;

/// What one function is wrong in.
class Investigation {
public:
    Investigation(const std::string& exercise_number, const Function& function, const Workers& workers,
                  const std::vector<AnsweredCall>& calls, Random random, const SearchLimits& limits, Earlier& earlier)
        : function_(function),
          workers_(workers),
          hidden_test_calls_(calls),
          random_(random),
          limits_(limits),
          earlier_(earlier),
          candidates_(candidates_for(exercise_number, function, earlier.known)) {}

    /// Nothing if the function is right, or not written.
    std::optional<FunctionDiagnosis> run() {
        auto wrong = look();
        // Where hidden tests ask in another way than we do, and may see more, nobody counts what is wrong in all.
        if (wrong && function_.ask && suite_.empty()) wrong->telling = 0;
        if (wrong && findings_.mistakes.empty() && refuses_rightly(function_, all_observations(), workers_.plain))
            earlier_.refusing.insert(function_.name);
        auto& into = wrong ? earlier_.wrong_answers : earlier_.right_answers;
        if (!findings_.not_written) into.insert(into.end(), observations_.begin(), observations_.end());
        return wrong;
    }

private:
    std::optional<FunctionDiagnosis> look() {
        findings_ = examine(workers_, function_, function_.questions(random_));
        if (findings_.not_written) return std::nullopt;
        observations_ = trusted_answers(findings_, function_);
        suite_ = trusted_answers(hidden_test_calls_, findings_, function_);
        FunctionDiagnosis diagnosis;
        diagnosis.function = function_.name;
        diagnosis.mistakes = findings_.mistakes;
        diagnosis.sentences = findings_.sentences;
        if (!findings_.frames.empty()) diagnosis.frames = findings_.frames;
        look_for_state_in_suite(diagnosis);
        const bool answers_right = is_explained(observations_, {}) && is_explained(suite_, {});
        if (answers_right && findings_.mistakes.empty()) {
            if (fails_without_a_name(function_, findings_)) return diagnosis;  // unrecognised: its failure says it
            return std::nullopt;
        }
        diagnosis.stage = function_.stage;
        diagnosis.state = FunctionState::named;
        if (findings_.unreliable || answers_right) return diagnosis;
        const auto state = std::ranges::find(known_, std::string_view("state_kept_between_calls"), &Mistake::id);
        own_.emplace(function_, workers_.plain, state != known_.end());
        // What a function that has no name does to its callers is no mistake of theirs.
        if (was_never_reached(function_, findings_)) {
            leave_to_others(diagnosis);
        } else if (some_unnamed_ && follows_from_others(diagnosis)) {
            return diagnosis;
        } else if (const auto set = explanation(); !set.empty()) {
            explain_by(diagnosis, set);
        } else if (is_right_for_short_numbers(observations_, function_, workers_.plain)) {
            diagnosis.mistakes.emplace_back("numbers_cut_short");
            diagnosis.sentences.emplace_back(
                "inputs of few binary digits are answered right, the same inputs with all their digits are not");
        } else {
            leave_unnamed(diagnosis);
        }
        return diagnosis;
    }

    /// Right when asked afresh, wrong in the middle of the hidden tests: something was left behind.
    void look_for_state_in_suite(FunctionDiagnosis& diagnosis) {
        if (function_.ask || !is_explained(observations_, {})) return;
        const std::string mistake = shown_after_others_alone(workers_.plain, function_, suite_);
        if (mistake.empty()) return;
        const bool by_chance = mistake == "answers_by_chance";
        diagnosis.mistakes.push_back(mistake);
        diagnosis.sentences.emplace_back(by_chance ? "asked the same again and again, it does not always answer alike"
                                                   : "the same question gets another answer after other calls");
        findings_.unreliable |= by_chance;
        if (by_chance) return;
        findings_.mistakes = diagnosis.mistakes;
        suite_.clear();
    }

    /// The set that is left when every other has been refuted; empty if none explains everything.
    MistakeSet explanation() {
        // What only the hidden tests have seen is to be explained, too.
        if (is_explained(observations_, {})) survives_suite({});
        // What refutes every set that was found joins the observations, and the search begins anew.
        for (int round = 0; round < 4; ++round) {
            std::vector<MistakeSet> sets = found();
            if (sets.empty()) return {};
            tell_apart(sets, observations_, function_, workers_.plain, random_, thrown_);
            std::erase_if(sets, [&](const MistakeSet& set) { return !survives_suite(set); });
            if (sets.empty()) continue;
            put_likeliest_first(sets, known_, observations_, right_before_, earlier_.wrong_answers);
            alternatives_.assign(sets.begin() + 1, sets.end());
            return sets.front();
        }
        return {};
    }

    void leave_to_others(FunctionDiagnosis& diagnosis) const {
        diagnosis.state = own_->explain_values() ? FunctionState::follows : FunctionState::unjudged;
    }

    /// Whether its wrong answers are what comes of the student's own earlier functions.
    bool follows_from_others(FunctionDiagnosis& diagnosis) {
        // Of right functions nothing wrong follows; large numbers that they gave are only roughly known.
        if (known_.empty() && !some_unnamed_) return false;
        if (!own_->explain(showing())) return false;
        leave_to_others(diagnosis);
        return true;
    }

    std::vector<MistakeSet> found() const {
        // Most often a function is wrong only in what it calls.
        if (auto set = explained_by_earlier(known_, earlier_.open, observations_)) return {std::move(*set)};
        std::vector<MistakeSet> sets = explanations(observations_, candidates_, known_, limits_);
        for (MistakeSet& set : sets) set = needed(std::move(set), observations_);
        return sets;
    }

    void explain_by(FunctionDiagnosis& diagnosis, const MistakeSet& set) {
        const MistakeSet own = without(set, known_);
        if (shows_beside_theirs_alone(own)) {
            diagnosis.state = FunctionState::follows;
            return;
        }
        // Where the model makes a mistake of theirs a little otherwise, another one may look like it by chance.
        if (!own.empty() && (follows_from_others(diagnosis) ||
                             (own.size() > 1 && name_beside_own_functions(diagnosis, all_observations()))))
            return;
        name(diagnosis, set);
        if (!diagnosis.mistakes.empty() && findings_.mistakes.empty())
            own_->tell_whose(diagnosis, set, own, showing(), all_observations());
    }

    /// Whether such mistakes of its own would never be seen if the functions that it calls were right: how it goes on
    /// with what these should not have given is nobody's business.
    bool shows_beside_theirs_alone(const MistakeSet& own) const {
        return function_.given_own && !own.empty() && !known_.empty() && !shows_alone(own, all_observations());
    }

    bool survives_suite(const MistakeSet& set) {
        const auto refuting = std::ranges::find_if(suite_, [choices = with(set)](const Observation& observation) {
            return !fit(predicted(observation, choices), observation.seen);
        });
        if (refuting == suite_.end()) return true;
        observations_.push_back(*refuting);
        return false;
    }

    void name(FunctionDiagnosis& diagnosis, const MistakeSet& set) {
        const auto evidence = evidence_for(set, all_observations());
        // What fits only where nothing finite was answered has no support.
        if (!evidence || !evidence->is_telling() || are_several_for_zeros(without(set, known_), all_observations()))
            return leave_unnamed(diagnosis);
        alternatives_.push_back(still_open(earlier_.open, set, all_observations()));
        note(diagnosis, set, *evidence, alternatives_);
        leave_overruns_to(diagnosis, findings_, function_, set);
    }

    std::vector<Observation> all_observations() const {
        std::vector<Observation> all = observations_;
        all.insert(all.end(), suite_.begin(), suite_.end());
        return all;
    }

    /// No mistake of its own, or none that the model can make.
    void leave_unnamed(FunctionDiagnosis& diagnosis) {
        if (follows_from_others(diagnosis) || name_beside_own_functions(diagnosis, showing())) return;
        if (const auto check = check_forgotten_where(all_observations(), candidates_, function_, workers_.plain)) {
            diagnosis.mistakes.emplace_back(check->mistake->id);
            if (!check->condition.empty()) diagnosis.only_where = check->condition;
            diagnosis.inputs = static_cast<int>(observations_.size() + suite_.size());
            diagnosis.telling = check->wrong;
        } else if (name_where_it_answers(diagnosis)) {
            return;
        } else if (const auto found = true_of_some_calls()) {
            note(diagnosis, *found, observations_.size() + suite_.size());
            leave_overruns_to(diagnosis, findings_, function_, found->predict);
        } else if (const auto beside = true_of_some_calls_beside_known()) {
            if (shows_beside_theirs_alone({beside->mistake})) {
                diagnosis.state = beside->condition.empty() ? FunctionState::follows : FunctionState::unjudged;
                return;
            }
            note(diagnosis, *beside, observations_.size() + suite_.size());
            diagnosis.sentences.emplace_back(beside_earlier_ones);
        } else if (const auto all = all_observations(); const auto factors = factors_of_results(all)) {
            diagnosis.mistakes.emplace_back(factors->mistake);
            diagnosis.sentences.insert(diagnosis.sentences.begin(), factors->sentences.begin(),
                                       factors->sentences.end());
        } else if (misses_refusals_alone(all)) {
            diagnosis.mistakes.emplace_back(not_refused);
            diagnosis.sentences.emplace_back(function_.name + " answers where arguments do not fit, and should refuse");
        } else if (function_.calls_them_in_any_order &&
                   (some_unnamed_ || !std::ranges::all_of(known_, &is_forgotten_check))) {
            if (!name_where_they_do_no_harm(diagnosis)) tell_what_is_its_own(diagnosis);
        } else {
            diagnosis.state = FunctionState::unrecognised;
            localise(diagnosis, function_, workers_.plain, telling_answers(observations_, suite_), *own_);
            WhereWrong where = where_it_is_wrong(all, function_, workers_.plain, random_);
            if (throws_where_memory_is_watched(where, all, function_, workers_.sanitized)) {
                diagnosis.state = FunctionState::named;
                diagnosis.mistakes.emplace_back("refuses_what_fits");
            }
            say_first(where, diagnosis.sentences);
            if (const std::string words = index_left_its_tensor(findings_, function_); !words.empty())
                diagnosis.sentences.push_back("asked for what it should answer, it threw: " + words);
        }
    }

    /// In which sequences and heads it is wrong though the earlier functions give what is right, if all agree in that.
    /// Along other axes it may be the order in which it calls them.
    void tell_what_is_its_own(FunctionDiagnosis& diagnosis) {
        const auto slices =
            wrong_slices(wrong_pairs(own_->wrong_given_right(all_observations())), false, Along::sequences_and_heads);
        diagnosis.state = slices.empty() ? FunctionState::unjudged : FunctionState::unrecognised;
        std::ranges::copy(slices, std::back_inserter(diagnosis.sentences));
    }

    /// What throws for some questions, such as a view of what is not contiguous, may have a name by what it answers to
    /// the others.
    bool name_where_it_answers(FunctionDiagnosis& diagnosis) {
        const std::vector<Observation> small = observations_, large = suite_;
        const auto threw = std::erase_if(observations_, threw_where_an_answer_is_due) +
                           std::erase_if(suite_, threw_where_an_answer_is_due);
        if (threw == 0) return false;
        thrown_ = Thrown::says_nothing;
        const auto left = all_observations();
        const bool answers = std::ranges::any_of(left, [](const Observation& one) { return one.seen.is_value(); });
        const MistakeSet set = !answers || is_explained(left, {}) ? MistakeSet{} : explanation();
        const auto evidence = evidence_for(set, all_observations());
        const bool is_named = !set.empty() && evidence && evidence->is_telling() && evidence->wrong >= 2;
        if (is_named && !some_unnamed_ && without(set, known_).empty() && own_->explain(left) &&
            own_->explain_values() && (own_->give_what_it_threw_at(small) || own_->give_what_it_threw_at(large))) {
            diagnosis.mistakes.emplace_back("refuses_what_fits");
            diagnosis.sentences = {throws_for_some, right_where_it_answers};
        } else if (is_named) {
            name(diagnosis, set);
            if (!throw_there_too(set, small) || !throw_there_too(set, large)) diagnosis.only_where = where_it_answers;
        }
        thrown_ = Thrown::refutes;
        observations_ = small;
        suite_ = large;
        return is_named;
    }

    /// One mistake of the catalogue, or else a misreading, or one in some parts of the result, which explains what is
    /// wrong and is made for some calls alone.
    std::optional<OnlyWhere> true_of_some_calls() {
        const std::vector<Observation> all = all_observations();
        std::vector<Explanation> explanations;
        for (const Mistake* mistake : candidates_) explanations.push_back(explanation_by(*mistake, {}));
        const auto by = [&](const auto& e) { return true_only_where(all, e, {}, function_, workers_.plain, random_); };
        auto found = by(explanations);
        if (!found && function_.explanations != nullptr) found = by(function_.explanations());
        const Observation* least = smallest_wrong(all);
        if (!found && least != nullptr) found = by(misreadings(function_, *least));
        if (!found && least != nullptr) found = by(made_in_these_parts(candidates_, *least));
        return found;
    }

    /// The same of a mistake beside those of the functions that it calls.
    std::optional<OnlyWhere> true_of_some_calls_beside_known() {
        if (known_.empty() || some_unnamed_ || function_.calls_them_in_any_order) return std::nullopt;
        std::vector<Explanation> explanations;
        for (const Mistake* mistake : candidates_) {
            const auto is_of_its_decision = [&](const Mistake* one) { return one->decision == mistake->decision; };
            if (std::ranges::none_of(known_, is_of_its_decision) && !would_show(*mistake, right_before_))
                explanations.push_back(explanation_by(*mistake, known_));
        }
        return true_only_where(all_observations(), explanations, known_, function_, workers_.plain, random_);
    }

    /// What small questions do not show, the hidden tests may have shown.
    const std::vector<Observation>& showing() const { return is_explained(observations_, {}) ? suite_ : observations_; }

    /// A mistake of its own beside those of the functions that it calls.
    bool name_beside_own_functions(FunctionDiagnosis& diagnosis, const std::vector<Observation>& observations) {
        if (!some_unnamed_ && known_.empty()) return false;
        return note_first(diagnosis,
                          own_->explain_beside_one_of(likely(candidates_, right_before_), observations, suite_),
                          beside_earlier_ones);
    }

    /// One that none of the functions that it calls could have, by the answers with which these have nothing to do.
    bool name_where_they_do_no_harm(FunctionDiagnosis& diagnosis) {
        MistakeSet of_its_own = likely(candidates_, right_before_);
        std::erase_if(of_its_own, [&](const Mistake* one) { return shows_alone({one}, earlier_.wrong_answers); });
        return note_first(diagnosis, own_->explain_where_harmless(of_its_own, all_observations()),
                          where_they_do_no_harm);
    }

    const Function& function_;
    const Workers& workers_;
    const std::vector<AnsweredCall>& hidden_test_calls_;
    Random random_;
    SearchLimits limits_;
    Earlier& earlier_;
    const MistakeSet& known_ = earlier_.known;
    const bool some_unnamed_ = earlier_.some_unnamed;
    Thrown thrown_ = Thrown::refutes;
    std::vector<Observation>& right_before_ = earlier_.right_answers;
    std::vector<const Mistake*> candidates_;  ///< to explain it by
    Findings findings_;
    std::vector<Observation> observations_;  ///< small questions, for the search
    std::vector<Observation> suite_;         ///< what the hidden tests got as answers
    std::vector<MistakeSet> alternatives_;
    std::optional<OwnFunctions> own_;  ///< what it owes to earlier functions
};

}  // namespace

std::optional<FunctionDiagnosis> investigate(const std::string& exercise_number, const Function& function,
                                             const Workers& workers, const std::vector<AnsweredCall>& calls,
                                             Random random, const SearchLimits& limits, Earlier& earlier) {
    return Investigation(exercise_number, function, workers, calls, random, limits, earlier).run();
}

}  // namespace headway::diagnosis
