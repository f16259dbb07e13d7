#include "diagnosis/search.hpp"

#include "student/test_record.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

/// Of processor, not of clock: a busy machine takes longer, but finds the same.
std::chrono::nanoseconds time_used() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

class Search {
public:
    Search(const std::vector<Observation>& observations, const std::vector<const Mistake*>& candidates,
           const SearchLimits& limits)
        : observations_(observations), candidates_(candidates), end_(time_used() + limits.budget) {
        // In the order of attention; what belongs to no stage comes first.
        for (const Mistake* candidate : candidates)
            rank_.push_back(static_cast<int>(decision(candidate->decision).stage));
        visible_.resize(observations.size());
        all_.resize(candidates.size());
        std::iota(all_.begin(), all_.end(), 0U);
        in_order_of_stages(all_);
    }

    /// What two mistakes do together may show where one of them alone does not: whether the second may be any mistake.
    enum class Second { visible, any };

    /// Sets of exactly `size` mistakes, none of which makes wrong what was seen to be right: few are left to try, and
    /// that one mistake undoes another's doing is rare.
    std::vector<MistakeSet> of_gentle_ones(std::size_t size) {
        only_gentle_ = true;
        std::vector<MistakeSet> sets = of_size(size, Second::visible);
        only_gentle_ = false;
        return sets;
    }

    /// Sets of exactly `size` mistakes.
    std::vector<MistakeSet> of_size(std::size_t size, Second second) {
        second_ = second;
        found_.clear();
        if (size > 2 && second == Second::visible) grow_from_each(size);
        if (found_.empty()) grow_from({}, size);
        return sets_found();
    }

    /// Sets of these mistakes and a few more: most often a function has what those have that it calls, and few mistakes
    /// of its own.
    std::vector<MistakeSet> beyond(const MistakeSet& known, std::size_t at_most) {
        Members members;
        for (const Mistake* mistake : known) {
            const auto found = std::ranges::find(candidates_, mistake);
            if (found != candidates_.end()) members.push_back(static_cast<std::size_t>(found - candidates_.begin()));
        }
        if (members.empty()) return {};
        std::ranges::sort(members);
        second_ = Second::visible;
        found_.clear();
        for (std::size_t more = 1; more <= at_most && found_.empty(); ++more) {
            visited_.clear();
            grow(members, members.size() + more, std::nullopt, 0);
        }
        return sets_found();
    }

    bool out_of_time() const { return time_used() > end_; }

private:
    /// A mistake that moves an answer by less than this many tolerances shows in no observation.
    static constexpr double visible_from = 1;

    using Members = std::vector<std::size_t>;

    MistakeSet set_of(const Members& members) const {
        MistakeSet set;
        for (const std::size_t member : members) set.push_back(candidates_[member]);
        return set;
    }

    /// As in the catalogue.
    std::vector<MistakeSet> sets_found() {
        std::ranges::sort(found_);
        std::vector<MistakeSet> sets;
        for (const Members& members : found_) sets.push_back(set_of(members));
        return sets;
    }

    /// The model works out anew what comes after a decision that changes: neighbours share what comes before.
    void in_order_of_stages(Members& members) const {
        std::stable_sort(members.begin(), members.end(),
                         [&](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; });
    }

    /// The mistakes that change what the model answers here; worked out when it is first asked for.
    const Members& visible_in(std::size_t i) {
        if (!visible_[i]) {
            const Answer usual = predicted(observations_[i], right());
            Visible& found = visible_[i].emplace();
            for (std::size_t c = 0; c < candidates_.size(); ++c) {
                const Answer prediction = predicted(observations_[i], with({candidates_[c]}));
                if (distance(prediction, usual) <= visible_from) continue;
                found.all.push_back(c);
                if (!disturbs(prediction, usual, observations_[i].seen)) found.gentle.push_back(c);
            }
            in_order_of_stages(found.all);
            in_order_of_stages(found.gentle);
        }
        return only_gentle_ ? visible_[i]->gentle : visible_[i]->all;
    }

    bool explains(const Choices& choices, std::size_t i) const {
        return fit(predicted(observations_[i], choices), observations_[i].seen).has_value();
    }

    /// Whether without any of them some answer would differ that is predicted with all: what only leaves answers open
    /// explains nothing.
    bool each_explains(const MistakeSet& set) const {
        if (set.size() < 2) return true;
        return std::ranges::all_of(set, [&](const Mistake* one) {
            MistakeSet others = set;
            std::erase(others, one);
            return std::ranges::any_of(observations_, [&](const Observation& observation) {
                return predicted(observation, with(set)).kind != Answer::Kind::unpredicted &&
                       !fit(predicted(observation, with(others)), observation.seen);
            });
        });
    }

    /// The first observation that the set does not explain: the first ones show fewest mistakes.
    std::optional<std::size_t> first_unexplained(const Choices& choices) const {
        for (std::size_t i = 0; i < observations_.size(); ++i)
            if (!explains(choices, i)) return i;
        return std::nullopt;
    }

    /// Most sets have an observation in which not all of their mistakes show. Those that need all of them for one are
    /// by far the most to try: they come after these, and only if there are none.
    void grow_from_each(std::size_t size) {
        all_for_one_ = false;
        const auto half_time = time_used() + (end_ - time_used()) / 2;
        for (std::size_t i = 0; i < observations_.size() && found_.empty() && time_used() < half_time; ++i)
            if (!explains(right(), i)) grow_from(i, size);
        all_for_one_ = true;
    }

    void grow_from(std::optional<std::size_t> first, std::size_t size) {
        visited_.clear();
        grow({}, size, first, 0);
    }

    /// @param last  the observation that the set was grown for: most often it is the one that refutes it
    /// @param for_last  how many mistakes have been tried for it so far
    void grow(const Members& members, std::size_t size, std::optional<std::size_t> last, std::size_t for_last) {
        if (out_of_time()) return;
        const Choices choices = with(set_of(members));
        const auto unexplained = last && !explains(choices, *last) ? last : first_unexplained(choices);
        if (!unexplained) {
            const MistakeSet set = set_of(members);
            const auto evidence = members.size() == size ? evidence_for(set, observations_) : std::nullopt;
            if (evidence && evidence->is_telling() && each_explains(set)) found_.push_back(members);
            return;  // a smaller set is found at its own size
        }
        if (members.size() == size) return;
        const std::size_t for_this = unexplained == last ? for_last + 1 : 1;
        if (!all_for_one_ && for_this == size) return;
        const bool any = second_ == Second::any && members.size() == 1;
        const Members& next_ones = any ? all_ : visible_in(*unexplained);
        for (const std::size_t next : next_ones) {
            if (std::any_of(members.begin(), members.end(), [&](std::size_t member) {
                    return candidates_[member]->decision == candidates_[next]->decision;
                }))
                continue;
            Members larger = members;
            larger.insert(std::upper_bound(larger.begin(), larger.end(), next), next);
            if (visited_.insert(larger).second) grow(larger, size, unexplained, for_this);
        }
    }

    const std::vector<Observation>& observations_;
    const std::vector<const Mistake*>& candidates_;
    std::chrono::nanoseconds end_;
    std::vector<int> rank_;  ///< of each candidate's stage
    struct Visible {
        Members all, gentle;
    };
    std::vector<std::optional<Visible>> visible_;
    bool only_gentle_ = false;
    Members all_;
    Second second_ = Second::visible;
    bool all_for_one_ = true;  ///< whether every mistake of a set may be needed for one observation
    std::set<Members> visited_;
    std::vector<Members> found_;
};

Answer part_of(const Answer& whole, std::size_t place) { return {.parts = {whole.parts[place]}}; }

/// Which parts are wrong, and whether what is predicted tells how. A prediction of one part says nothing of another.
void note_parts(std::map<std::string, bool>& told, const Answer& prediction, const Answer& right_answer,
                const Answer& seen) {
    const std::size_t parts = seen.parts.size();
    if (prediction.parts.size() != parts || right_answer.parts.size() != parts) return;
    for (std::size_t place = 0; place < parts; ++place) {
        const Answer due = part_of(right_answer, place), given = part_of(seen, place);
        if (fit(due, given)) continue;
        told[seen.parts[place].first] |= tells_what_is_wrong(part_of(prediction, place), due, given);
    }
}

/// Whether what does not fit was answered as it is without any mistake, if only nobody refuses it: that says nothing of
/// a mistake.
bool goes_on_without_mistakes(const Observation& observation) {
    Choices lenient = right();
    lenient.checking.lenient = true;
    const Answer prediction = predicted(observation, lenient);
    return prediction.kind == Answer::Kind::refused && observation.seen.is_value() && fit(prediction, observation.seen);
}

/// Whether so little is left open that the set stands even where time ends before the search for others.
bool tells_nearly_all(const Evidence& evidence) {
    return 4 * evidence.telling >= 3 * evidence.wrong && evidence.open() == 0 &&
           4 * (evidence.unpredicted + evidence.not_finite) <= evidence.compared;
}

/// Whether each wrong answer that a set predicts in every number supports it.
bool tells_of_all(const MistakeSet& set, const std::vector<Observation>& observations) {
    return std::ranges::all_of(observations, [wrong = with(set)](const Observation& one) {
        const Answer right_answer = predicted(one, right()), prediction = predicted(one, wrong);
        if (fit(right_answer, one.seen) || prediction.kind == Answer::Kind::unpredicted) return true;
        const auto good = fit(prediction, one.seen);
        return good && (good->unpredicted > 0 || tells_what_is_wrong(prediction, right_answer, one.seen));
    });
}

}  // namespace

Choices with(const MistakeSet& set) {
    Choices choices = right();
    choices.checking.lenient = !set.empty();
    for (const Mistake* mistake : set)
        if (mistake->make != nullptr) mistake->make(choices);
    return choices;
}

const judge::TimeBudget*& time_for_predictions() {
    static const judge::TimeBudget* budget = nullptr;
    return budget;
}

Answer predicted(const Observation& observation, const Choices& choices) {
    if (time_for_predictions() != nullptr && time_for_predictions()->is_spent()) throw judge::OutOfTime{};
    try {
        return observation.predict(choices);
    } catch (const Unpredictable&) {
        return Answer::without_value(Answer::Kind::unpredicted);
    } catch (const std::exception&) {
        return Answer::without_value(Answer::Kind::impossible);
    }
}

std::vector<MistakeSet> explanations(const std::vector<Observation>& observations,
                                     const std::vector<const Mistake*>& candidates, const MistakeSet& known,
                                     const SearchLimits& limits) {
    Search search(observations, candidates, limits);
    for (std::size_t size = 1; size <= limits.most_mistakes; ++size) {
        const bool is_next_to_known = size == 2 ? known.size() == 1 : size == 3 && !known.empty();
        if (is_next_to_known) {
            std::vector<MistakeSet> found = search.beyond(known, size - 1);
            // Before all pairs are tried, a set must tell of whatever is wrong.
            if (size == 2)
                std::erase_if(found, [&](const MistakeSet& set) { return !tells_of_all(set, observations); });
            if (!found.empty() && !search.out_of_time()) return found;
        }
        std::vector<MistakeSet> found;
        if (size > 1) found = search.of_gentle_ones(size);
        if (found.empty()) found = search.of_size(size, Search::Second::visible);
        // A search that was cut short may have missed the true set among others of its size.
        if (search.out_of_time()) return {};
        if (found.empty()) continue;
        // Of three mistakes that predict every number, the search for others that agree in what is not finite would
        // take longer than anybody waits.
        const bool settled = std::any_of(found.begin(), found.end(), [&](const MistakeSet& set) {
            const auto evidence = evidence_for(set, observations);
            return evidence->unpredicted == 0 && (size == limits.most_mistakes || evidence->not_finite == 0);
        });
        const bool nearly_settled = found.size() == 1 && tells_nearly_all(*evidence_for(found.front(), observations));
        // What is explained only in part may be explained better by mistakes that show together alone, and what takes
        // many mistakes by fewer of these.
        for (std::size_t together = 2; together <= (settled ? size - 1 : size); ++together) {
            std::vector<MistakeSet> others = search.of_size(together, Search::Second::any);
            if (together < size && !others.empty()) return others;
            for (MistakeSet& set : others)
                if (std::find(found.begin(), found.end(), set) == found.end()) found.push_back(std::move(set));
        }
        return search.out_of_time() && !settled && !nearly_settled ? std::vector<MistakeSet>{} : found;
    }
    for (std::size_t size = 2; size <= limits.most_mistakes; ++size) {
        std::vector<MistakeSet> found = search.of_size(size, Search::Second::any);
        if (search.out_of_time()) return {};
        if (!found.empty()) return found;
    }
    return {};
}

std::optional<Evidence> evidence_for(const MistakeSet& set, const std::vector<Observation>& observations) {
    return evidence_for([wrong = with(set)](const Observation& one) { return predicted(one, wrong); }, observations);
}

std::optional<Evidence> evidence_for(const std::function<Answer(const Observation&)>& predict,
                                     const std::vector<Observation>& observations) {
    Evidence evidence;
    for (const Observation& observation : observations) {
        const Answer prediction = predict(observation);
        const auto good = fit(prediction, observation.seen);
        if (!good) return std::nullopt;
        ++evidence.inputs;
        evidence.closeness = std::max(evidence.closeness, good->closeness);
        const Answer right_answer = predicted(observation, right());
        const bool is_wrong = !fit(right_answer, observation.seen);
        evidence.compared += good->compared;
        evidence.unpredicted += good->unpredicted;
        evidence.not_finite += good->not_finite;
        evidence.wrong += is_wrong ? 1 : 0;
        if (prediction.kind == Answer::Kind::unpredicted) ++(is_wrong ? evidence.left_open : evidence.right_left_open);
        if (!is_wrong) continue;
        // Strides that leave the storage do not explain a check of the program's own.
        const bool throws_otherwise = prediction.refused_by_as_strided && !observation.seen.refused_by_as_strided;
        if (prediction.kind == Answer::Kind::impossible || throws_otherwise) ++evidence.impossible;
        note_parts(evidence.told, prediction, right_answer, observation.seen);
        if (good->compared == 0 || goes_on_without_mistakes(observation) ||
            !tells_what_is_wrong(prediction, right_answer, observation.seen))
            continue;
        ++evidence.telling;
        evidence.telling_values += observation.seen.is_value() ? 1 : 0;
    }
    return evidence;
}

}  // namespace headway::diagnosis
