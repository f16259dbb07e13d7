#pragma once

#include <cstdint>
#include <string_view>

namespace headway::diagnosis {

/// What is decided around the formula when attention becomes a module: parameters, state, modes, dropout. Plain data;
/// the defaults are right.
struct ModuleChoices {
    enum class Biases {
        as_asked,
        always,
        never,
        all_but_queries,
        all_but_keys,
        all_but_values,
        all_but_output,
        output_alone,
        inverted
    };
    enum class HeadDim { as_asked, option_ignored, model_width };
    enum class Registered { all, nothing, all_but_output, other_names, output_under_other_name, packed, one_more };
    enum class WeightShape { out_in, in_out, one_head };
    enum class Seeding { from_options, constant, never_the_same };
    Biases biases = Biases::as_asked;
    HeadDim head_dim = HeadDim::as_asked;
    Registered registered = Registered::all;
    WeightShape weight_shape = WeightShape::out_in;
    /// What is true of single projections, whatever is true of the others.
    struct EachProjection {
        bool query = false, key = false, value = false, output = false;
        bool operator==(const EachProjection&) const = default;
        /// Of the one whose parameter has this name.
        bool of(std::string_view parameter) const {
            return parameter.starts_with("q_proj")     ? query
                   : parameter.starts_with("k_proj")   ? key
                   : parameter.starts_with("v_proj")   ? value
                   : parameter.starts_with("out_proj") ? output
                                                       : false;
        }
    };
    EachProjection bias_regardless;  ///< has a bias even where bias = false
    EachProjection exchanged;        ///< Linear(out, in) where (in, out) is due: weight and bias have other shapes
    bool one_linear_for_three = false;
    bool first_numbers_alike = false;  ///< of q_proj, k_proj and v_proj, which are three nevertheless
    Seeding seeding = Seeding::from_options;
    bool divides_even_with_head_dim = false;
    bool refuses_cross_attention = false;
    /// Of which lengths the causal mask is made: (T, S), (T, T) or (S, S). Of the others one of a single number fits.
    enum class CausalMask { of_both, of_queries, of_keys };
    CausalMask causal_mask = CausalMask::of_both;

    enum class Loading { takes_effect, no_effect, not_after_first_call };
    Loading loading = Loading::takes_effect;

    /// What of a call is still there in the next one.
    struct Kept {
        bool query = false, key = false, value = false, mask = false, causal_mask = false;
        bool sums = false;                    ///< the second result is added to the first
        bool parameters = false;              ///< each call changes the parameters
        bool result_buffer = false;           ///< the second call overwrites the first result
        bool last_mask = false;               ///< Mask{} stands for the mask of the call before
        bool last_weights = false;            ///< attention_weights hands on those of the last forward
        bool causal_mask_of_queries = false;  ///< that of an earlier call with as many queries, whatever the keys
        bool causal_mask_of_keys = false;     ///< that of an earlier call with as many keys, whatever the queries
        bool operator==(const Kept&) const = default;
    };
    Kept kept;

    struct Dropout {
        enum class What { weights, scores, context, output, values, nothing };
        enum class Kept { divided_by_kept, unchanged, times_kept, divided_by_dropped, renormalised };
        enum class Mode { training, always, eval };
        enum class Draws { from_seed, other_seed, of_process };
        What what = What::weights;
        Kept kept = Kept::divided_by_kept;
        Mode mode = Mode::training;
        Draws draws = Draws::from_seed;
        bool share_is_kept = false;  ///< p is the probability to keep
        bool heads_alike = false, queries_alike = false, sequences_alike = false, keys_alike = false;
        bool calls_alike = false;
        bool off_after_eval = false;
        bool off_until_train = false;  ///< a new module is in eval
        bool operator==(const Dropout&) const = default;
    };
    Dropout dropout;
    bool weights_after_dropout = false;    ///< attention_weights shows them so
    bool weights_switch_to_eval = false;   ///< attention_weights leaves eval mode behind
    bool weights_switch_to_train = false;  ///< it leaves training mode behind

    static const ModuleChoices& right() {
        static const ModuleChoices defaults;
        return defaults;
    }
};

}  // namespace headway::diagnosis
