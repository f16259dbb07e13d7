#include "diagnosis/investigation.hpp"

#include "diagnosis/candidates.hpp"
#include "diagnosis/choose.hpp"
#include "diagnosis/constant_factor.hpp"
#include "diagnosis/forgotten_check.hpp"
#include "diagnosis/localise.hpp"
#include "diagnosis/lost_worker.hpp"
#include "diagnosis/never_reached.hpp"
#include "diagnosis/only_where.hpp"
#include "diagnosis/own_functions.hpp"
#include "diagnosis/pairs.hpp"
#include "diagnosis/repeats.hpp"
#include "diagnosis/short_numbers.hpp"
#include "diagnosis/slices.hpp"
#include "diagnosis/tell_apart.hpp"
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

constexpr const char* beside_earlier_ones =
    "its answers are those of your own earlier functions with this mistake beside theirs";

/// What one function is wrong in.
class Investigation {
public:
    Investigation(const std::string& exercise_number, const Function& function, const Workers& workers,
                  const std::vector<AnsweredCall>& calls, Random random, const SearchLimits& limits,
                  const MistakeSet& known, bool some_unnamed, std::vector<Observation>& right_before)
        : function_(function),
          workers_(workers),
          hidden_test_calls_(calls),
          random_(random),
          limits_(limits),
          known_(known),
          candidates_(candidates_for(exercise_number, function, known)),
          some_unnamed_(some_unnamed),
          right_before_(right_before) {}

    /// Nothing if the function is right, or not written.
    std::optional<FunctionDiagnosis> run() {
        findings_ = examine(workers_, function_, function_.questions(random_));
        if (findings_.not_written) return std::nullopt;
        collect();
        FunctionDiagnosis diagnosis;
        diagnosis.function = function_.name;
        diagnosis.mistakes = findings_.mistakes;
        diagnosis.sentences = findings_.sentences;
        if (!findings_.frames.empty()) diagnosis.frames = findings_.frames;
        look_for_state_in_suite(diagnosis);
        const bool answers_right = is_explained(observations_, {}) && is_explained(suite_, {});
        if (answers_right && findings_.mistakes.empty()) {
            if (fails_without_a_name(function_, findings_)) return diagnosis;  // unrecognised: its failure says it
            right_before_.insert(right_before_.end(), observations_.begin(), observations_.end());
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
            // Where the model makes a mistake of theirs a little otherwise, another one may look like it by chance.
            const MistakeSet own = without(set, known_);
            const bool by_fewer =
                !own.empty() && (follows_from_others(diagnosis) ||
                                 (own.size() > 1 && name_beside_own_functions(diagnosis, all_observations())));
            if (!by_fewer) name(diagnosis, set);
        } else if (is_right_for_short_numbers(observations_, function_, workers_.plain)) {
            diagnosis.mistakes.emplace_back("numbers_cut_short");
            diagnosis.sentences.emplace_back(
                "inputs of few binary digits are answered right, the same inputs with all their digits are not");
        } else {
            leave_unnamed(diagnosis);
        }
        return diagnosis;
    }

private:
    /// Answers that can be trusted, as observations; where memory was misused they prove nothing.
    void collect() {
        for (auto& question : findings_.questions) {
            if (!question.clean) continue;
            observations_.push_back(
                {question.arguments, question.reply.answer, function_.model(question.arguments), question.name});
        }
        // What is kept between calls makes an answer depend on those before it.
        const auto is_unsure = [](const std::string& id) {
            return id == "state_kept_between_calls" || id == "reads_out_of_bounds" || id == "result_never_assigned" ||
                   id.ends_with("_pointer_followed");
        };
        if (findings_.unreliable || std::ranges::any_of(findings_.mistakes, is_unsure)) return;
        for (const AnsweredCall& call : hidden_test_calls_)
            if (call.function == function_.name &&
                !(findings_.refuses_by_luck && call.answer.kind == Answer::Kind::refused))
                if (auto predict = known_prediction(function_, call.arguments))
                    suite_.push_back({call.arguments, call.answer, std::move(predict)});
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
            tell_apart(sets, observations_, function_, workers_.plain, random_);
            std::erase_if(sets, [&](const MistakeSet& set) { return !survives_suite(set); });
            if (sets.empty()) continue;
            put_likeliest_first(sets, known_, observations_, right_before_);
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
        if (!known_.empty() && is_explained(observations_, known_)) return {needed(known_, observations_)};
        std::vector<MistakeSet> sets = explanations(observations_, candidates_, known_, limits_);
        for (MistakeSet& set : sets) set = needed(std::move(set), observations_);
        return sets;
    }

    bool survives_suite(const MistakeSet& set) {
        const Choices choices = with(set);
        const auto refuting = std::find_if(suite_.begin(), suite_.end(), [&](const Observation& observation) {
            return !fit(predicted(observation, choices), observation.seen);
        });
        if (refuting == suite_.end()) return true;
        observations_.push_back(*refuting);
        return false;
    }

    void name(FunctionDiagnosis& diagnosis, const MistakeSet& set) {
        const auto evidence = evidence_for(set, all_observations());
        if (!evidence || !evidence->is_telling()) {
            // Fits, but only where nothing finite was answered: that is no support.
            leave_unnamed(diagnosis);
            return;
        }
        for (const Mistake* mistake : set) diagnosis.mistakes.emplace_back(mistake->id);
        if (evidence->open() > 0) diagnosis.left_open = evidence->open();
        diagnosis.inputs = evidence->inputs - evidence->open();
        diagnosis.telling = evidence->wrong - evidence->left_open;
        diagnosis.closeness = evidence->closeness;
        for (const MistakeSet& other : alternatives_)
            for (const Mistake* mistake : other)
                if (std::find(set.begin(), set.end(), mistake) == set.end())
                    diagnosis.alternatives.emplace_back(mistake->id);
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
            name_only_where(diagnosis, *found);
        } else if (const auto beside = true_of_some_calls_beside_known()) {
            name_only_where(diagnosis, *beside);
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
            tell_what_is_its_own(diagnosis);
        } else {
            diagnosis.state = FunctionState::unrecognised;
            localise(diagnosis, function_, workers_.plain, telling_answers(observations_, suite_));
            const WhereWrong where = where_it_is_wrong(all, function_, workers_.plain, random_);
            if (!where.words.empty()) diagnosis.sentences.insert(diagnosis.sentences.begin(), where.words);
            if (where.throws && throws_where_memory_is_watched(all, function_, workers_.sanitized)) {
                diagnosis.state = FunctionState::named;
                diagnosis.mistakes.emplace_back("refuses_what_fits");
            }
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
        const auto left = all_observations();
        const bool answers = std::ranges::any_of(left, [](const Observation& one) { return one.seen.is_value(); });
        const MistakeSet set = !answers || is_explained(left, {}) ? MistakeSet{} : explanation();
        const auto evidence = evidence_for(set, all_observations());
        const bool is_named = !set.empty() && evidence && evidence->is_telling() && evidence->wrong >= 2;
        if (is_named) {
            name(diagnosis, set);
            if (!throw_there_too(set, small) || !throw_there_too(set, large)) diagnosis.only_where = where_it_answers;
        }
        observations_ = small;
        suite_ = large;
        return is_named;
    }

    /// One mistake of the catalogue, or else a misreading, which explains what is wrong and is made for some calls
    /// alone.
    std::optional<OnlyWhere> true_of_some_calls() {
        const std::vector<Observation> all = all_observations();
        std::vector<Explanation> explanations;
        for (const Mistake* mistake : candidates_) explanations.push_back(explanation_by(*mistake, {}));
        if (auto found = true_only_where(all, explanations, {}, function_, workers_.plain, random_)) return found;
        const Observation* least = smallest_wrong(all);
        if (least == nullptr) return std::nullopt;
        return true_only_where(all, misreadings(function_, *least), {}, function_, workers_.plain, random_);
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

    void name_only_where(FunctionDiagnosis& diagnosis, const OnlyWhere& found) const {
        diagnosis.mistakes.emplace_back(found.mistake->id);
        if (!found.words.empty()) diagnosis.sentences.insert(diagnosis.sentences.begin(), found.words);
        if (!found.condition.empty()) diagnosis.only_where = found.condition;
        diagnosis.inputs = static_cast<int>(observations_.size() + suite_.size()) + found.asked_besides;
        diagnosis.telling = found.wrong;
        for (const Mistake* other : found.alternatives) diagnosis.alternatives.emplace_back(other->id);
    }

    /// What small questions do not show, the hidden tests may have shown.
    const std::vector<Observation>& showing() const { return is_explained(observations_, {}) ? suite_ : observations_; }

    /// A mistake of its own beside those of the functions that it calls.
    bool name_beside_own_functions(FunctionDiagnosis& diagnosis, const std::vector<Observation>& observations) {
        if (!some_unnamed_ && known_.empty()) return false;
        std::vector<const Mistake*> likely = candidates_;
        std::erase_if(likely, [&](const Mistake* one) { return would_show(*one, right_before_); });
        const MistakeSet found = own_->explain_beside_one_of(likely, observations, suite_);
        if (found.empty()) return false;
        diagnosis.mistakes.emplace_back(found.front()->id);
        for (std::size_t i = 1; i < found.size(); ++i) diagnosis.alternatives.emplace_back(found[i]->id);
        diagnosis.sentences.emplace_back(beside_earlier_ones);
        return true;
    }

    const Function& function_;
    const Workers& workers_;
    const std::vector<AnsweredCall>& hidden_test_calls_;
    Random random_;
    SearchLimits limits_;
    const MistakeSet& known_;
    std::vector<const Mistake*> candidates_;  ///< to explain it by
    bool some_unnamed_;                       ///< an earlier function is wrong in a way that the model cannot make
    std::vector<Observation>& right_before_;  ///< answers of earlier functions that are right
    Findings findings_;
    std::vector<Observation> observations_;  ///< small questions, for the search
    std::vector<Observation> suite_;         ///< what the hidden tests got as answers
    std::vector<MistakeSet> alternatives_;
    std::optional<OwnFunctions> own_;  ///< what it owes to earlier functions
};

}  // namespace

std::optional<FunctionDiagnosis> investigate(const std::string& exercise_number, const Function& function,
                                             const Workers& workers, const std::vector<AnsweredCall>& calls,
                                             Random random, const SearchLimits& limits, const MistakeSet& known,
                                             bool some_unnamed, std::vector<Observation>& right_before) {
    return Investigation(exercise_number, function, workers, calls, random, limits, known, some_unnamed, right_before)
        .run();
}

}  // namespace headway::diagnosis
