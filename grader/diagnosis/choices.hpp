#pragma once

#include "diagnosis/grouping.hpp"

#include "reference/array.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <any>
#include <array>
#include <optional>
#include <span>
#include <vector>

/// The decisions that somebody makes who writes multi-head attention. The defaults are the right ones: with them the
/// model computes what the hidden tests expect. A mistake of the catalogue changes one of them.
namespace headway::diagnosis {

using reference::Array;

/// Thrown by a choice after which students do one thing or another: nothing is predicted.
struct Unpredictable {};

/// The sizes that a student could take for one another; 0 where an exercise has no such size.
struct Widths {
    Index B = 1, H = 1, T = 1, S = 1;
    Index d = 1;          ///< head_dim
    Index d_v = 1;        ///< width of a value
    Index D = 1;          ///< model width
    Index default_d = 1;  ///< D / H, even where head_dim was chosen apart
    Index group = 1;      ///< query heads that share a head of keys and values
    Index tile = 0;       ///< keys of a tile
};

enum class Argument { query, key, value, w_q, w_k, w_v, w_o, gradient, other };

/// How the numbers of an argument are read from memory.
struct Reading {
    Array (*tensor)(const Tensor&, Argument);
    bool operator==(const Reading&) const = default;
};

/// Which part of a bias (E) is added to the features of a head.
enum class BiasOfHeads { own, first, none };

/// Which input and which weight (0, 1, 2 for q, k, v; -1: none) make q, k and v.
struct Projecting {
    std::array<int, 3> input{0, 1, 2};
    std::array<int, 3> weight{0, 1, 2};
    /// (..., in), (in, out) -> (..., out); into H heads
    Array (*apply)(const Array& x, const Array& w, Index H);
    /// What is done with the projected q, k or v (role 0, 1, 2).
    Array (*finish)(const Array& projected, int role);
    std::array<bool, 3> transposed{};   ///< whether the weight of q, k, v is turned first
    std::array<BiasOfHeads, 3> bias{};  ///< of q, k, v
    bool fused_by_heads = false;        ///< where one input makes all three, x·[w_q w_k w_v] is split before it is cut
    bool operator==(const Projecting&) const = default;
};

struct Splitting {
    /// (B, T, E) -> (B, H, T, d)
    Array (*split)(const Array& x, Index H);
    Array (*values)(const Array& x, Index H);          ///< the same for v
    Array (*keys)(const Array& x, Index H) = nullptr;  ///< the same for k, if k is split otherwise than q
    using Split = Array (*)(const Array& x, Index H);
    /// Of q, k or v (role 0, 1, 2).
    Split of(std::size_t role) const { return role == 2 ? values : role == 1 && keys != nullptr ? keys : split; }
    bool operator==(const Splitting&) const = default;
};

struct Scoring {
    /// (..., T, d), (..., S, d) -> (..., T, S), unscaled
    Array (*product)(const Array& q, const Array& k);
    /// What scores are multiplied by.
    double (*factor)(const Widths&);
    /// How the numbers of q and k are rounded on the way.
    Array (*precision)(const Array&);
    bool operator==(const Scoring&) const = default;
};

/// One flag a score.
using Blocked = std::vector<bool>;

/// Which keys the causal option and the mask of a call block together.
enum class Combined { either, both, causal_alone, causal_only_with_a_mask, none };

struct Masking {
    /// Which scores the mask blocks; `shape` is that of the scores.
    Blocked (*read)(const Mask& mask, const Shape& shape);
    /// Whether query t may not see key s under the causal option.
    bool (*future)(Index t, Index s, Index T, Index S);
    /// What is done to blocked scores; entries that stay in `blocked` do not exist for softmax.
    void (*block)(Array& scores, Blocked& blocked);
    /// What is done to the weights with the mask, after softmax.
    void (*afterwards)(Array& weights, const Blocked& blocked);
    Combined combined = Combined::either;
    bool blocked_keep_scores = false;  ///< as their weights, in rows that see nothing too
    bool operator==(const Masking&) const = default;
};

/// The scores that are normalised together.
struct Row {
    std::vector<double> score, error;
    Blocked blocked;
    double largest_of_all = 0;              ///< over the whole tensor, blocked or not
    double largest_open = 0;                ///< over the whole tensor, without what is blocked
    double largest_blocked = 0;             ///< over this row, blocked entries included
    std::optional<double> largest_of_head;  ///< over all queries and keys of a head, blocked or not; if there are heads
    bool all_blocked() const;
    double maximum() const;  ///< of what is not blocked
};

/// What shrinks when a larger score turns up, where softmax goes over the keys once.
enum class Rescaled { total_and_gathered, total, gathered, nothing };

/// What one row leaves behind for the next, or for the next of the same head.
enum class Carry { nothing, sum, sum_in_head, maximum };

enum class Together { keys, queries, heads, batch, queries_and_keys, heads_and_keys, everything };

struct Softmaxing {
    Together together = Together::keys;
    double (*shift)(const Row&);  ///< subtracted before exp
    double (*exponential)(double);
    double (*denominator)(double sum, const Row&);
    /// What a blocked score becomes where others are open; it counts as open then. The default, -infinity, is nullptr.
    double (*blocked_score)(double) = nullptr;
    /// Turns scores into weights where every key is blocked, or into scores that are not, with what that rounds.
    void (*empty_row)(Row&);
    Carry carry = Carry::nothing;
    Rescaled rescaled = Rescaled::total_and_gathered;
    Together shifted = Together::keys;  ///< whose largest is subtracted from scores that have no other shift
    Together summed = Together::keys;   ///< whose exponentials divide one another, where rows have their own maximum
    bool sums_anew = false;             ///< for each weight, over a row whose first numbers are weights already
    bool divides_while_adding = false;  ///< each exponential by the sum up to its own
    double clamped_to = 0;              ///< scores are brought into ± this before exp, if it is not 0
    bool in_double = false;             ///< exponentials overflow above 709 and vanish below -745, not at 88 and -103
    Array (*finish)(const Array& weights, const Widths&);
    int times = 1;
    bool operator==(const Softmaxing&) const = default;
};

/// What the last step has at hand.
struct Weighable {
    const Array& weights;  ///< (..., T, S)
    const Array& scores;   ///< scaled
    const Array& q;
    const Array& k;
    const Array& v;
    const Blocked& blocked;  ///< as mask and causal option ask
};

enum class Gathered { values, keys, queries };

struct Weighing {
    Gathered gathered = Gathered::values;  ///< what stands where v should
    Array (*context)(const Weighable&);
    /// What is returned as weights.
    Array (*returned)(const Weighable&);
    bool swapped = false;  ///< context and weights stand in each other's place
    bool operator==(const Weighing&) const = default;
};

struct Merging {
    /// (B, H, T, d) -> (B, T, E)
    Array (*merge)(const Array& context);
    /// The same of a context as it lies in memory; nullptr: it is read by its strides. Of exercise 04 alone.
    Array (*by_storage)(const Array& stored) = nullptr;
    bool operator==(const Merging&) const = default;
};

struct Projected {
    const Array& merged;
    const Array& w_o;
    const Array* b_o;  ///< nullptr: none
    const Array& query;
    const Array* w_v;  ///< nullptr: none
    Index H;
    Index H_kv = 0;  ///< heads of keys and values that query heads share; 0: each has its own
};

struct Output {
    Array (*product)(const Projected&);                      ///< merged · w_o
    Array (*bias)(const Array& product, const Projected&);   ///< the same with the bias
    bool bias_first = false;                                 ///< added to what is projected instead
    Array (*finish)(const Array& output, const Projected&);  ///< what is done with the sum
    /// (B, T, E) -> (B, T, D)
    Array project(const Projected& at) const;
    bool operator==(const Output&) const = default;
};

struct Residual {
    Array (*add)(const Array& x, const Array& attended);
    bool operator==(const Residual&) const = default;
};

/// What is checked before anything is computed: by name, whether it is checked.
struct Checking {
    bool widths = true;       ///< q and k of one width
    bool batches = true;      ///< q and k of one batch and head count
    bool values = true;       ///< v of as many sequences as k
    bool lengths = true;      ///< as many values as keys
    bool masks = true;        ///< the mask broadcasts
    bool wider_masks = true;  ///< nor are the scores broadcast to it
    bool divisible = true;    ///< D by num_heads
    bool heads = true;        ///< num_heads >= 1, for num_heads = 0 where both are asked
    bool negative_heads = true;
    bool weights = true;  ///< a weight has as many rows as x has features
    bool ranks = true;
    bool bias = true;              ///< b_o is as long as the output is wide
    bool residual = true;          ///< x and attended have one shape
    bool gradients = true;         ///< a gradient has the shape of what it is the gradient of
    bool embed_dim = true;         ///< at least 1
    bool head_dim = true;          ///< at least 1, where it is given
    bool dropout_one = true;       ///< dropout < 1, for dropout = 1 itself
    bool dropout_above = true;     ///< dropout < 1, beyond 1
    bool dropout_negative = true;  ///< dropout >= 0
    bool dropout_nan = true;       ///< dropout is a number
    bool extra_rows = true;        ///< nor more rows than x has features
    bool groups = true;            ///< H by H_kv, for H above H_kv
    bool columns = true;           ///< those of a weight by H, whatever D is
    bool kv_heads = true;          ///< at least one head of keys and values
    bool fewer_heads = true;       ///< as many query heads as heads of keys and values, at least
    bool wide_keys = true;         ///< w_k and w_v no wider than H_kv heads
    bool other_values = true;      ///< w_v alone no wider than H_kv heads, where w_o would take its values
    bool value_columns = true;     ///< nor where w_o would not
    bool output_rows = true;       ///< w_o has a row for each feature of the heads
    bool more_keys = true;         ///< keys and values of no more sequences than there are queries
    bool other_output = true;      ///< w_o leads back to as many features as x has
    bool score_rows = true;        ///< a row of scores for each query
    bool tile = true;              ///< at least 1
    bool sizes = true;             ///< of a state: each at least 1
    /// Where something else is wrong, what a right program refuses may also be computed.
    bool lenient = false;
    bool invalid_argument = true;  ///< what is refused is refused with the exception that the header names
    bool operator==(const Checking&) const = default;
};

/// The axes of a padding mask.
enum class PaddingAxes { keys, queries, keys_and_queries, none };

struct Masks {
    bool (*causal)(Index t, Index s, Index T, Index S);
    bool causal_turned = false;  ///< true and false for one another
    bool causal_axes_swapped = false;
    bool (*padding)(std::span<const Index> lengths, std::size_t b, Index s, Index S);
    bool padding_turned = false;
    PaddingAxes padding_axes = PaddingAxes::keys;
    bool operator==(const Masks&) const = default;
};

/// What exercise 02 asks for: what is done with the layout of a tensor. Throwing means refusing; whether a result is a
/// copy shows in its storage.
struct Viewing {
    bool (*fills)(const Tensor& x, const Shape& shape);  ///< whether the numbers of x are enough for the shape
    Tensor (*dense)(const Tensor& x);                    ///< what the new strides are laid over, or a refusal
    Tensor (*result)(const Tensor& view);                ///< what becomes of the view before it is returned
    bool operator==(const Viewing&) const = default;
};

struct Transposing {
    bool checks_axes = true;
    Layout (*swap)(const Layout& layout, std::size_t axis0, std::size_t axis1);
    Tensor (*result)(const Tensor& transposed);
    bool operator==(const Transposing&) const = default;
};

struct Packing {
    bool (*is_dense)(const Tensor& x);  ///< whether x itself is returned
    Tensor (*copy)(const Tensor& x);
    bool operator==(const Packing&) const = default;
};

struct Moving {
    Strides (*strides)(const Shape&);
    Viewing viewing;
    Transposing transposing;
    Packing packing;
    /// (B, T, D) -> (B, H, T, d), by view and transpose as they are chosen here
    Tensor (*split)(const Tensor& x, Index H, const Moving& own);
    Tensor (*split_result)(const Tensor& heads);
    bool operator==(const Moving&) const = default;
};

struct Choices {
    Reading reading;
    Projecting projecting;
    Splitting splitting;
    Scoring scoring;
    Masking masking;
    Softmaxing softmaxing;
    Weighing weighing;
    Merging merging;
    Output output;
    Residual residual;
    Checking checking;
    Masks masks;
    Moving moving;
    Grouping grouping;

    /// What is decided in a part of the model that belongs to one exercise: a type with a static right().
    template <class Part>
    const Part& of() const {
        for (const std::any& part : changed_)
            if (const auto* found = std::any_cast<Part>(&part)) return *found;
        return Part::right();
    }

    /// That part, to decide otherwise in it.
    template <class Part>
    Part& change() {
        for (std::any& part : changed_)
            if (auto* found = std::any_cast<Part>(&part)) return *found;
        return *std::any_cast<Part>(&changed_.emplace_back(Part::right()));
    }

private:
    std::vector<std::any> changed_;  ///< the parts that are not right, most often none
};

/// All decisions right.
Choices right();

}  // namespace headway::diagnosis
