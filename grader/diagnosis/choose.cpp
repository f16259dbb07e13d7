#include "diagnosis/choose.hpp"

#include "diagnosis/constant_factor.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

namespace headway::diagnosis {

bool is_explained(const std::vector<Observation>& observations, const MistakeSet& set) {
    const Choices choices = with(set);
    return std::all_of(observations.begin(), observations.end(), [&](const Observation& observation) {
        return fit(predicted(observation, choices), observation.seen).has_value();
    });
}

MistakeSet needed(MistakeSet set, const std::vector<Observation>& observations) {
    for (std::size_t i = set.size(); i-- > 0;) {
        MistakeSet smaller = set;
        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
        if (is_explained(observations, smaller)) set = std::move(smaller);
    }
    return set;
}

std::optional<MistakeSet> explained_by_earlier(const MistakeSet& known, const LeftOpen& earlier,
                                               const std::vector<Observation>& observations) {
    if (known.empty()) return {};
    if (is_explained(observations, known)) return needed(known, observations);
    for (std::size_t i = 0; i < known.size(); ++i) {
        const auto open = earlier.find(known[i]);
        if (open == earlier.end()) continue;
        for (const Mistake* other : open->second) {
            MistakeSet changed = known;
            changed[i] = other;
            if (is_explained(observations, changed)) return needed(std::move(changed), observations);
        }
    }
    return {};
}

MistakeSet without(MistakeSet set, const MistakeSet& known) {
    std::erase_if(set, [&](const Mistake* one) { return std::ranges::find(known, one) != known.end(); });
    return set;
}

std::vector<Observation> telling_answers(std::vector<Observation> small,
                                         const std::vector<Observation>& of_hidden_tests) {
    if (!is_explained(small, {})) return small;
    std::ranges::copy_if(of_hidden_tests, std::back_inserter(small),
                         [](const Observation& one) { return !fit(predicted(one, right()), one.seen); });
    return small;
}

bool would_show(const Mistake& mistake, const std::vector<Observation>& right) {
    return std::any_of(right.begin(), right.end(),
                       [&](const Observation& one) { return !fit(predicted(one, with({&mistake})), one.seen); });
}

bool would_show_beside(const Mistake& mistake, const MistakeSet& known, const std::vector<Observation>& answers) {
    if (std::ranges::find(known, mistake.decision, &Mistake::decision) != known.end()) return false;
    MistakeSet all = known;
    all.push_back(&mistake);
    return std::ranges::any_of(answers, [&, without = with(known), together = with(all)](const Observation& one) {
        return fit(predicted(one, without), one.seen) && !fit(predicted(one, together), one.seen);
    });
}

bool shows_alone(const MistakeSet& set, const std::vector<Observation>& observations) {
    constexpr double apart = 1;  // tolerances
    Choices usual = right();
    usual.checking.lenient = !set.empty();  // as with(set) is
    return std::ranges::any_of(observations, [&, wrong = with(set)](const Observation& one) {
        return distance(predicted(one, wrong), predicted(one, usual)) > apart;
    });
}

MistakeSet still_open(const LeftOpen& earlier, const MistakeSet& set, const std::vector<Observation>& observations) {
    MistakeSet open;
    for (const Mistake* mistake : set) {
        const auto others = earlier.find(mistake);
        if (others == earlier.end()) continue;
        std::ranges::copy_if(others->second, std::back_inserter(open), [&](const Mistake* other) {
            MistakeSet instead = set;
            std::ranges::replace(instead, mistake, other);
            return is_explained(observations, instead);
        });
    }
    return open;
}

void put_likeliest_first(std::vector<MistakeSet>& sets, const MistakeSet& known,
                         const std::vector<Observation>& observations, const std::vector<Observation>& right_before,
                         const std::vector<Observation>& wrong_before) {
    const auto familiar = [&](const MistakeSet& set) {
        return std::count_if(set.begin(), set.end(), [&](const Mistake* mistake) {
            return std::find(known.begin(), known.end(), mistake) != known.end();
        });
    };
    const auto open = [&](const MistakeSet& set) {
        const auto evidence = evidence_for(set, observations);
        return evidence->unpredicted + evidence->not_finite;
    };
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const MistakeSet& set : sets) least = std::min(least, open(set));
    // What leaves less open says more.
    std::erase_if(sets, [&](const MistakeSet& set) { return open(set) > least; });
    const auto unlikely = [&](const MistakeSet& set) {
        return std::count_if(set.begin(), set.end(), [&](const Mistake* mistake) {
            return would_show(*mistake, right_before) || would_show_beside(*mistake, known, wrong_before);
        });
    };
    const auto in_order = [](const MistakeSet& set) {
        std::vector<std::size_t> positions;
        for (const Mistake* mistake : set) positions.push_back(position_in_catalogue(*mistake));
        std::sort(positions.begin(), positions.end());
        return positions;
    };
    if (sets.size() > 1) {
        std::vector<std::tuple<std::ptrdiff_t, std::ptrdiff_t, std::vector<std::size_t>, MistakeSet>> ranked;
        for (MistakeSet& set : sets) {
            const auto most = -familiar(set), least_likely = unlikely(set);
            auto positions = in_order(set);
            ranked.emplace_back(most, least_likely, std::move(positions), std::move(set));
        }
        // Not by the sets themselves, which are addresses.
        std::ranges::sort(ranked, [](const auto& a, const auto& b) {
            return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
                   std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
        });
        std::ranges::transform(ranked, sets.begin(), [](auto& one) { return std::move(std::get<MistakeSet>(one)); });
    }
    // Where an earlier function's mistake is enough, another one beside it is no second reading.
    if (!sets.empty())
        std::erase_if(sets, [&, most = familiar(sets.front())](const MistakeSet& set) { return familiar(set) < most; });
}

bool are_several_for_zeros(const MistakeSet& set, const std::vector<Observation>& observations) {
    const auto is_zeros = [](const auto& part) { return is_all_zero(part.second); };
    return set.size() > 1 && std::ranges::all_of(observations, [&](const Observation& one) {
               return fit(predicted(one, right()), one.seen) || !one.seen.is_value() ||
                      std::ranges::all_of(one.seen.parts, is_zeros);
           });
}

MistakeSet likely(MistakeSet candidates, const std::vector<Observation>& right_before) {
    std::erase_if(candidates, [&](const Mistake* one) { return would_show(*one, right_before); });
    return candidates;
}

}  // namespace headway::diagnosis
