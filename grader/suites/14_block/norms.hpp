#pragma once

#include "suites/14_block/bounded.hpp"

/// Layer norm, RMS norm and their gradients (exercise 14), in double precision.    B batch · T tokens · D model width
namespace headway::diagnosis {

using reference::Array;

/// What is decided in a norm. The right choices compute what the hidden tests expect.
struct Norms {
    /// What is normalised together.
    enum class Together { token, feature_of_a_sequence, sequence, everything };
    Together together = Together::token;
    bool layer_subtracts_mean = true;   ///< layer norm, from what it divides
    bool layer_measures_spread = true;  ///< layer norm divides by the root of the mean of (x - mean)², not of x²
    bool rms_subtracts_mean = false;    ///< and the same of RMS norm
    bool rms_measures_spread = false;
    Index fewer = 0;      ///< squares are divided by the count less this
    bool divides = true;  ///< squares, by their count
    /// What x is divided by; given the mean of the squares, and how many there are.
    Bounded (*divisor)(const Bounded& squares, double eps, Index count);
    bool variance_by_moments = false;  ///< the mean of x² less the square of the mean, in the digits of a float
    double fixed_eps = 0;              ///< instead of the one that was asked for, if it is not 0

    bool has_gain = true, has_bias = true;  ///< on the way forward: the way back has words of its own
    bool bias_first = false;                ///< (x̂ + bias) · gain
    bool gain_counts_from_1 = false;        ///< x̂ · (1 + gain)

    // ---- and back --------------------------------------------------------------------------------------------
    bool mean_goes_back = true;     ///< the gradient of x by way of the mean
    bool spread_goes_back = true;   ///< and by way of the divisor
    bool along_is_averaged = true;  ///< mean(g · x̂), not its sum
    /// Where the gain multiplies: each of the three terms of the gradient of x; once more their difference.
    bool gain_in_itself = true, gain_in_mean = true, gain_in_along = true, gain_at_the_end = false;
    int divides_back = 1;             ///< how often, by s
    bool rms_mean_goes_back = false;  ///< RMS norm takes mean(g) away, as layer norm does
    enum class GainFrom { normalised, input, centred, nothing };
    GainFrom gain_from = GainFrom::normalised;      ///< what grad_y is multiplied by
    bool gain_from_g = false, bias_from_g = false;  ///< instead of grad_y
    enum class Over { all_tokens, mean, first_sequence, last_sequence, last_token };
    Over gain_over = Over::all_tokens, bias_over = Over::all_tokens;

    static const Norms& right();
};

enum class Kind { layer, rms };

/// @param bias  for layer norm alone
Array normed(const Norms& norms, Kind kind, const Array& x, const Array& gain, const Array* bias, double eps);

struct NormGradients {
    Array x, gain, bias;  ///< no bias of RMS norm
};
NormGradients normed_backward(const Norms& norms, Kind kind, const Array& x, const Array& gain, double eps,
                              const Array& grad_y);

}  // namespace headway::diagnosis
