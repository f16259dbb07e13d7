#pragma once

#include "suites/05_module/asked_module.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

/// What dropout did to one output, of a question that shows each weight. Of dropout_facts.cpp alone.
namespace headway::diagnosis::seen_dropout {

using judge::NotJudged;

inline constexpr Index B = 4, H = 3, T = 15, S = 6;
inline constexpr Index d =
    2 * S + 1;  ///< each weight is shown twice; no value has the last feature, only the output's bias
inline constexpr Index D = H * d;
inline constexpr double p = 0.25;

using What = ModuleChoices::Dropout::What;

inline std::string word_of(What what) {
    switch (what) {
        case What::weights:
            return "weights become 0";
        case What::scores:
            return "scores become 0";
        case What::context:
            return "features of the context become 0";
        case What::output:
            return "features of the output become 0";
        case What::values:
            return "features of the values become 0";
        case What::nothing:
            return "nothing is dropped in training";
    }
    return {};
}

inline std::string word_of(ModuleChoices::Dropout::Kept kept) {
    using Kept = ModuleChoices::Dropout::Kept;
    switch (kept) {
        case Kept::divided_by_kept:
            return "the others are divided by 1 - p";
        case Kept::unchanged:
            return "the others stay";
        case Kept::times_kept:
            return "the others are multiplied by 1 - p";
        case Kept::divided_by_dropped:
            return "the others are divided by p";
        case Kept::renormalised:
            return "the others sum to 1";
    }
    return {};
}

inline bool about(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b) + 1e-7; }

/// One output in training beside that without dropout.
class Seen {
public:
    Seen(const Tensor& output, const Tensor& plain, bool has_bias)
        : output_(reference::exact(output)), plain_(reference::exact(plain)), has_bias_(has_bias) {}

    std::size_t at(Index b, Index t, Index h, Index feature) const {
        return static_cast<std::size_t>((b * T + t) * D + h * d + feature);
    }
    double shown(Index b, Index t, Index h, Index feature) const { return output_.value[at(b, t, h, feature)]; }
    double usual(Index b, Index t, Index h, Index feature) const { return plain_.value[at(b, t, h, feature)]; }
    bool zero(Index b, Index t, Index h, Index feature) const { return shown(b, t, h, feature) == 0; }

    template <class Predicate>
    bool everywhere(Index features, Predicate holds) const {
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index h = 0; h < H; ++h)
                    for (Index f = 0; f < features; ++f)
                        if (!holds(b, t, h, f)) return false;
        return true;
    }

    std::optional<What> what(const Array& scores) const {
        if (has_bias_ && !everywhere(1, [&](Index b, Index t, Index h, Index) { return !zero(b, t, h, d - 1); }))
            return What::output;
        const bool whole =
            everywhere(S, [&](Index b, Index t, Index h, Index s) { return zero(b, t, h, s) == zero(b, t, h, S + s); });
        if (!whole && !has_bias_) throw NotJudged{};  // the output's bias would tell the output from the context
        if (!whole) return alike_for_queries() ? What::values : What::context;
        if (share(S) > 0) return What::weights;
        if (of_dropped_scores(scores)) return What::scores;
        return std::nullopt;
    }

    /// Whether an output without dropout has a weight in each place where one is shown, twice, and a row's sum is 1.
    bool shows_weights() const {
        return everywhere(S,
                          [&](Index b, Index t, Index h, Index s) {
                              return !zero(b, t, h, s) && about(usual(b, t, h, s), usual(b, t, h, S + s));
                          }) &&
               everywhere(1, [&](Index b, Index t, Index h, Index) {
                   double sum = 0;
                   for (Index s = 0; s < S; ++s) sum += usual(b, t, h, s);
                   return about(sum, 1) && (!has_bias_ || !zero(b, t, h, d - 1));
               });
    }

    double share(Index features) const {
        double zeros = 0;
        everywhere(features, [&](Index b, Index t, Index h, Index f) {
            zeros += zero(b, t, h, f) ? 1 : 0;
            return true;
        });
        return zeros / static_cast<double>(B * T * H * features);
    }

    /// What became of those that are not 0.
    std::string kept() const {
        using Kept = ModuleChoices::Dropout::Kept;
        const std::pair<Kept, double> factors[] = {{Kept::divided_by_kept, 1 / (1 - p)},
                                                   {Kept::unchanged, 1},
                                                   {Kept::times_kept, 1 - p},
                                                   {Kept::divided_by_dropped, 1 / p}};
        for (const auto& [kept, factor] : factors)
            if (everywhere(2 * S, [&, by = factor](Index b, Index t, Index h, Index f) {
                    return zero(b, t, h, f) || about(shown(b, t, h, f), by * usual(b, t, h, f));
                }))
                return word_of(kept);
        const bool sums_to_one = everywhere(1, [&](Index b, Index t, Index h, Index) {
            double sum = 0;
            for (Index s = 0; s < S; ++s) sum += shown(b, t, h, s);
            return sum == 0 || about(sum, 1);
        });
        return sums_to_one ? word_of(Kept::renormalised) : "the others change in another way";
    }

    bool alike_for_sequences() const {
        return everywhere(S, [&](Index b, Index t, Index h, Index s) { return zero(b, t, h, s) == zero(0, t, h, s); });
    }
    bool alike_for_heads() const {
        return everywhere(S, [&](Index b, Index t, Index h, Index s) { return zero(b, t, h, s) == zero(b, t, 0, s); });
    }
    bool alike_for_queries() const {
        return everywhere(2 * S,
                          [&](Index b, Index t, Index h, Index f) { return zero(b, t, h, f) == zero(b, 0, h, f); });
    }
    bool alike_for_keys() const {
        return everywhere(S, [&](Index b, Index t, Index h, Index s) { return zero(b, t, h, s) == zero(b, t, h, 0); });
    }

private:
    /// Each weight is that of its score or of a score of 0, up to the row's sum; what is kept may be divided by 1 - p.
    bool of_dropped_scores(const Array& scores) const {
        for (const double factor : {1.0, 1 / (1 - p)}) {
            const bool holds = everywhere(1, [&](Index b, Index t, Index h, Index) {
                const auto score = [&](Index s) {
                    return factor * scores.value[static_cast<std::size_t>(((b * H + h) * T + t) * S + s)];
                };
                const auto from = [&](double first) {  // the row, if key 0 has this score
                    for (Index s = 0; s < S; ++s) {
                        const double seen = std::log(shown(b, t, h, s) / shown(b, t, h, 0)) + first;
                        if (!(std::abs(seen) < 1e-4 || std::abs(seen - score(s)) < 1e-4)) return false;
                    }
                    return true;
                };
                return from(0) || from(score(0));
            });
            if (holds) return true;
        }
        return false;
    }

    Array output_, plain_;
    bool has_bias_;
};

}  // namespace headway::diagnosis::seen_dropout
