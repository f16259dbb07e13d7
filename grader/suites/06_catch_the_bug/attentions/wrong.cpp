// Each wrong one is right but for one stage.
#include "suites/06_catch_the_bug/attentions/wrong.hpp"

#include "suites/06_catch_the_bug/attentions/roster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::attentions {
namespace {

Mask turned(const Mask& mask, std::size_t a, std::size_t b) {
    Layout layout = mask.layout();
    std::swap(layout.shape[a], layout.shape[b]);
    std::swap(layout.strides[a], layout.strides[b]);
    return mask.as_strided(layout.shape, layout.strides, layout.offset).clone();
}

struct ScaledByModelWidth : Staged {
    float scale(const InputSizes& n) const override { return std::sqrt(static_cast<float>(n.D)); }
};

struct ScaledByHeadDim : Staged {
    float scale(const InputSizes& n) const override { return static_cast<float>(n.d); }
};

struct SplitByView : Staged {
    Tensor split(const Tensor& x, const InputSizes& n) const override {
        return x.contiguous().view({n.B, n.H, -1, n.d});
    }
};

struct MergedByView : Staged {
    Tensor merge(const Tensor& context, const InputSizes& n) const override {
        return context.contiguous().view({n.B, n.T, n.E});
    }
};

struct SoftmaxOverQueries : Staged {
    Tensor weights(const Tensor& scores, const Mask& blocked) const override {
        return Staged::weights(scores.transpose(2, 3), turned(blocked, 2, 3)).transpose(2, 3);
    }
};

struct SoftmaxOverHeads : Staged {
    Tensor weights(const Tensor& scores, const Mask& blocked) const override {
        return Staged::weights(scores.transpose(1, 3), turned(blocked, 1, 3)).transpose(1, 3);
    }
};

/// Divides as softmax does, whatever the rows were measured against.
void normalise(Row row, const Habits& habits) {
    const float total = habits.total(row.score, row.keys);
    if (total != 0) habits.divide(row.score, row.keys, total);
}

/// Where all exponentials overflow, or vanish, infinity is divided by infinity, or 0 by 0: NaN, whichever the sign.
struct NoMaximum : Staged {
    void softmax(Row row) const override {
        if (std::all_of(row.blocked, row.blocked + row.keys, [](bool blocked) { return blocked; }))
            return Staged::softmax(row);
        for (Index s = 0; s < row.keys; ++s) row.score[s] = row.blocked[s] ? 0 : std::exp(row.score[s]);
        habits().divide(row.score, row.keys, habits().total(row.score, row.keys));
    }
};

struct MaximumFromMinusThousand : Staged {
    void softmax(Row row) const override {
        float largest = -1000;
        for (Index s = 0; s < row.keys; ++s)
            if (!row.blocked[s]) largest = std::max(largest, row.score[s]);
        for (Index s = 0; s < row.keys; ++s) row.score[s] = row.blocked[s] ? 0 : std::exp(row.score[s] - largest);
        normalise(row, habits());
    }
};

struct MaskedAfterSoftmax : Staged {
    Tensor weights(const Tensor& scores, const Mask& blocked) const override {
        return masked_fill(Staged::weights(scores, Mask::allow_all(blocked.shape())), blocked, 0);
    }
};

struct BlockedByTenThousand : Staged {
    void softmax(Row row) const override {
        if (std::all_of(row.blocked, row.blocked + row.keys, [](bool blocked) { return blocked; }))
            return Staged::softmax(row);
        for (Index s = 0; s < row.keys; ++s)
            if (row.blocked[s]) row.score[s] = -1e4F;
        const Mask none = Mask::allow_all({row.keys});
        Staged::softmax({row.score, none.data(), row.keys});
    }
};

struct MaskOfFirstSequence : Staged {
    Mask blocked(const Inputs& in, const InputSizes& n) override {
        const Mask all = Staged::blocked(in, n);
        Strides strides = all.strides();
        strides[0] = 0;
        return all.as_strided(all.shape(), strides, 0).clone();
    }
};

/// Kept by the sizes of the call alone, which is what made it fast.
struct MaskOfAnEarlierCall : Staged {
    Mask blocked(const Inputs& in, const InputSizes& n) override {
        const auto [kept, is_new] = masks_.try_emplace({n.B, n.H, n.T, n.S});
        if (is_new) kept->second = Staged::blocked(in, n);
        return kept->second;
    }

private:
    std::map<Shape, Mask> masks_;
};

struct CausalFromTopLeft : Staged {
    Mask blocked(const Inputs& in, const InputSizes& n) override {
        Inputs without = in;
        without.causal = false;
        Mask all = Staged::blocked(without, n);
        for (Index i = 0; in.causal && i < all.numel(); ++i)
            if (i % n.S > i / n.S % n.T) all.data()[i] = true;
        return all;
    }
};

struct CausalOnlyWithAMask : Staged {
    Mask blocked(const Inputs& in, const InputSizes& n) override {
        Inputs asked = in;
        asked.causal = in.causal && in.mask.defined();
        return Staged::blocked(asked, n);
    }
};

/// What a row without any key becomes.
template <class Become>
struct EmptyRow : Staged {
    void softmax(Row row) const override {
        if (std::all_of(row.blocked, row.blocked + row.keys, [](bool blocked) { return blocked; }))
            std::fill(row.score, row.score + row.keys, Become{}(row.keys));
        else
            Staged::softmax(row);
    }
};

struct NotANumber {
    float operator()(Index) const { return std::numeric_limits<float>::quiet_NaN(); }
};

struct EqualShares {
    float operator()(Index keys) const { return 1.0F / static_cast<float>(keys); }
};

struct ValuesFromKeys : Staged {
    Tensor weight(Role role, const Inputs& in) const override {
        return Staged::weight(role == Role::value ? Role::key : role, in);
    }
};

struct EverythingFromQuery : Staged {
    Tensor input(Role role, const Inputs& in) const override {
        // Where it crashes at once nobody ships it.
        return in.key.shape() == in.query.shape() ? in.query : Staged::input(role, in);
    }
};

/// Reads row after row, whatever the strides say; where that would leave the storage, it would have crashed at once.
struct RowsReadInTurn : Staged {
    static Tensor in_turn(const Tensor& x) {
        const Layout dense = Layout::contiguous(x.shape());
        return x.offset() + x.numel() <= x.storage_size() ? x.as_strided(x.shape(), dense.strides, x.offset()) : x;
    }
    Inputs received(const Inputs& in) const override {
        Inputs read = in;
        for (Tensor Inputs::*x :
             {&Inputs::query, &Inputs::key, &Inputs::value, &Inputs::w_q, &Inputs::w_k, &Inputs::w_v, &Inputs::w_o})
            read.*x = in_turn(in.*x);
        return read;
    }
};

/// The index of the bias moves on with the token: right for the first one.
struct BiasAtWrongIndex : Staged {
    Tensor add_bias(const Tensor& x, const Tensor& b) const override {
        Tensor sum = x.clone();
        const Index E = b.numel();
        for (Index i = 0; i < sum.numel(); ++i) {
            const Index token = i / E % sum.size(1);
            sum(i / E / sum.size(1), token, i % E) += b((i + token) % E);
        }
        return sum;
    }
};

struct WeightsKeysFirst : Staged {
    Tensor returned(const Tensor& weights) const override { return weights.transpose(2, 3); }
};

struct WeightsAveraged : Staged {
    Tensor returned(const Tensor& weights) const override {
        return mean(weights, 1, KeepAxis::yes).expand(weights.shape());
    }
};

}  // namespace

std::map<std::string, std::unique_ptr<Staged>> staged_ones() {
    std::map<std::string, std::unique_ptr<Staged>> all;
    for (const roster::Entry& entry : roster::entries())
        if (entry.is_right()) all[entry.id] = std::make_unique<Staged>();
    all["scaled_by_model_width"] = std::make_unique<ScaledByModelWidth>();
    all["scaled_by_head_dim"] = std::make_unique<ScaledByHeadDim>();
    all["split_by_view"] = std::make_unique<SplitByView>();
    all["merged_by_view"] = std::make_unique<MergedByView>();
    all["softmax_over_queries"] = std::make_unique<SoftmaxOverQueries>();
    all["softmax_over_heads"] = std::make_unique<SoftmaxOverHeads>();
    all["no_maximum"] = std::make_unique<NoMaximum>();
    all["maximum_from_minus_thousand"] = std::make_unique<MaximumFromMinusThousand>();
    all["masked_after_softmax"] = std::make_unique<MaskedAfterSoftmax>();
    all["blocked_by_ten_thousand"] = std::make_unique<BlockedByTenThousand>();
    all["mask_of_first_sequence"] = std::make_unique<MaskOfFirstSequence>();
    all["mask_of_an_earlier_call"] = std::make_unique<MaskOfAnEarlierCall>();
    all["rows_read_in_turn"] = std::make_unique<RowsReadInTurn>();
    all["causal_from_top_left"] = std::make_unique<CausalFromTopLeft>();
    all["causal_only_with_a_mask"] = std::make_unique<CausalOnlyWithAMask>();
    all["empty_row_is_nan"] = std::make_unique<EmptyRow<NotANumber>>();
    all["empty_row_is_uniform"] = std::make_unique<EmptyRow<EqualShares>>();
    all["values_from_keys"] = std::make_unique<ValuesFromKeys>();
    all["everything_from_query"] = std::make_unique<EverythingFromQuery>();
    all["bias_at_wrong_index"] = std::make_unique<BiasAtWrongIndex>();
    all["weights_keys_first"] = std::make_unique<WeightsKeysFirst>();
    all["weights_averaged"] = std::make_unique<WeightsAveraged>();
    return all;
}

}  // namespace headway::attentions
