#pragma once

#include "diagnosis/choices.hpp"

#include <array>
#include <functional>
#include <optional>

namespace headway::diagnosis {

/// The inputs of attention that a function gets.
struct Given {
    /// query, key, value: (..., T, D); or q, k, v themselves where there is no weight
    std::array<Tensor, 3> input;
    std::array<Tensor, 3> weight;  ///< (D, E)
    std::array<Tensor, 3> bias;    ///< (E)
    Tensor w_o, b_o;               ///< undefined w_o: the context is the result
    Tensor scores;                 ///< given instead of q and k
    Index H = 0;                   ///< 0: no heads to split or merge
    Index H_kv = 0;                ///< heads of keys and values that query heads share; 0: each has its own
    Index D = 0;                   ///< model width, if the function can know it; else H·d
    Mask mask;
    bool causal = false;
    Index tile = 0;              ///< how many queries and keys are computed at a time, if the function can know it
    bool causal_option = false;  ///< whether there is such an option at all
    /// What an exercise does with q, k or v (role 0, 1, 2) before heads are shared, if anything. It is asked once:
    /// where it depends on choices, each of these has a model of its own.
    std::function<Array(const Array& heads, std::size_t role)> prepared;
};

/// The model: attention as `Choices` decide, stage by stage. A stage is computed anew only if a decision at it or
/// before it differs from the last time, so that a search that varies late decisions fastest costs little. One instance
/// answers one of the questions below, again and again.
class Attention {
public:
    explicit Attention(Given given);

    // Exceptions mean that shapes do not fit: a submission that decided so would refuse or crash.
    const Array& scores(const Choices& choices);   ///< (..., T, S), scaled
    const Array& weights(const Choices& choices);  ///< (..., T, S), after softmax
    struct ContextAndWeights {
        const Array& context;   ///< (..., T, d_v)
        const Array& returned;  ///< what is returned as weights
    };
    ContextAndWeights context_and_weights(const Choices& choices);
    /// q, k or v (role 0, 1, 2) as attention takes them: (..., T, d)
    const Array& heads(std::size_t role, const Choices& choices);
    const Array& output(const Choices& choices);  ///< merged and projected, or the context

private:
    template <class Choice>
    struct Stage {
        std::optional<Choice> made;
        Array result;

        /// @param changed  whether an earlier stage was computed anew; set if this one is
        template <class Compute>
        const Array& at(const Choice& choice, bool& changed, Compute compute) {
            if (changed || !made || !(*made == choice)) {
                made.reset();
                result = compute();
                made = choice;
                changed = true;
            }
            return result;
        }
    };
    struct HeadChoice {
        Reading reading;
        Projecting projecting;
        Splitting splitting;
        Grouping grouping;
        bool operator==(const HeadChoice&) const = default;
    };

    /// Arguments as numbers, read once for each way to read them.
    struct Read {
        std::array<Array, 3> input, weight;
        Array w_o;
    };
    const Read& read(const Reading& reading);

    const Array& head(std::size_t role, const Choices& choices, bool& changed);
    Array projected(std::size_t role, const Choices& choices, Index heads);
    Array jointly_projected(std::size_t role, const Choices& choices);
    bool is_fused(const Choices& choices) const;
    const Array& scores(const Choices& choices, bool& changed);
    const Array& weights(const Choices& choices, bool& changed);
    const Array& context(const Choices& choices, bool& changed);
    const Array& gathered(const Choices& choices, const Array& v) const;
    Weighable at_hand(const Array& weights, const Array& v) const;
    Widths widths() const;

    Given given_;
    std::optional<Reading> how_read_;
    Read read_;
    std::array<Array, 3> bias_;
    Array query_, w_v_, b_o_;  ///< as they are, even if choices misread arguments
    std::array<Stage<HeadChoice>, 3> heads_;
    Stage<Scoring> scores_;
    Stage<Reading> given_scores_;
    struct WeightChoice {
        Masking masking;
        Softmaxing softmaxing;
        Grouping grouping;
        bool operator==(const WeightChoice&) const = default;
    };
    Stage<WeightChoice> weights_;
    Blocked blocked_;  ///< of the last weights
    Stage<Weighing> context_, returned_;
    Stage<Merging> merged_;
    Stage<Output> output_;
};

}  // namespace headway::diagnosis
