#include "diagnosis/attention.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/fused.hpp"
#include "diagnosis/softmax.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace headway::diagnosis {
namespace {

constexpr std::array<Argument, 3> roles{Argument::query, Argument::key, Argument::value};
constexpr std::array<Argument, 3> weights_of{Argument::w_q, Argument::w_k, Argument::w_v};

/// What the mask of the call and the causal option block together.
Blocked all_blocked(const Given& given, const Shape& shape, const Masking& masking) {
    Blocked blocked = masking.read(given.mask, shape);
    if (given.causal_option && masking.combined == Combined::none) blocked.assign(blocked.size(), false);
    if (!given.causal || masking.combined == Combined::none) return blocked;
    if (masking.combined == Combined::causal_only_with_a_mask && !given.mask.defined()) return blocked;
    const Index T = shape[shape.size() - 2];
    const Index S = shape.back();
    const bool intersected = masking.combined == Combined::both && given.mask.defined();
    const bool mask_counts = masking.combined != Combined::causal_alone;
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        const auto flat = static_cast<Index>(i);
        const bool future = masking.future(flat / S % T, flat % S, T, S);
        blocked[i] = intersected ? blocked[i] && future : (mask_counts && blocked[i]) || future;
    }
    return blocked;
}

/// Each of the query heads gets the mask of the head that is chosen for it, or rows of its group's masks.
Blocked of_chosen_heads(const Blocked& blocked, const Shape& shape, Index H_kv, const Grouping& grouping) {
    require_even_groups(shape[1], H_kv);
    const Index T = shape[2], S = shape[3], group = shape[1] / H_kv;
    const auto plane = static_cast<std::size_t>(T * S);
    Blocked chosen(blocked.size());
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        const auto h = static_cast<Index>(i / plane) % shape[1];
        const Index masked_as = grouping.mask(h, shape[1], H_kv);
        if (masked_as < 0) continue;
        const Index place = masked_as % group, t = static_cast<Index>(i % plane) / S;
        const Index first = (static_cast<Index>(i / plane) - h + masked_as - place) * T;
        const Index row = first + grouping.mask_row(place, t, group, T);
        chosen[i] = blocked.at(static_cast<std::size_t>(row * S) + i % static_cast<std::size_t>(S));
    }
    return chosen;
}

/// The part of a bias (E) that belongs to head 0, once for each head.
/// @throws std::invalid_argument if it does not divide among the heads
Array of_first_head(const Array& bias, Index heads) {
    if (heads < 1 || bias.size(0) % heads != 0) throw std::invalid_argument("a bias does not divide among the heads");
    const Index width = bias.size(0) / heads;
    return gathered(bias, bias.shape, [&](Coordinate at) { return static_cast<std::size_t>(at[0] % width); });
}

}  // namespace

Attention::Attention(Given given) : given_(std::move(given)) {
    const auto numbers = [](const Tensor& tensor) { return tensor.defined() ? reference::exact(tensor) : Array{}; };
    for (std::size_t i = 0; i < bias_.size(); ++i) bias_[i] = numbers(given_.bias[i]);
    query_ = numbers(given_.input[0]);
    w_v_ = numbers(given_.weight[2]);
    b_o_ = numbers(given_.b_o);
}

const Attention::Read& Attention::read(const Reading& reading) {
    if (how_read_ == reading) return read_;
    const auto numbers = [&](const Tensor& tensor, Argument argument) {
        return tensor.defined() ? reading.tensor(tensor, argument) : Array{};
    };
    for (std::size_t i = 0; i < roles.size(); ++i) {
        read_.input[i] = numbers(given_.input[i], roles[i]);
        read_.weight[i] = numbers(given_.weight[i], weights_of[i]);
    }
    read_.w_o = numbers(given_.w_o, Argument::w_o);
    how_read_ = reading;
    return read_;
}

Widths Attention::widths() const {
    const Array& q = heads_[0].result;
    const Array& k = heads_[1].result;
    Widths widths;
    widths.B = widths.H = 0;  // where there is none, nothing can be scaled by it
    if (q.shape.size() == 4) {
        widths.B = q.size(0);
        widths.H = q.size(1);
    } else if (given_.H > 0) {
        widths.H = given_.H;
    }
    widths.T = q.size(-2);
    widths.S = k.size(-2);
    widths.d = q.size(-1);
    widths.D = given_.D > 0 ? given_.D : widths.H * widths.d;
    widths.default_d = widths.D / std::max<Index>(1, widths.H);
    if (given_.weight[2].defined())
        widths.d_v = given_.weight[2].size(1) / (given_.H > 0 ? given_.H : 1);
    else
        widths.d_v = given_.input[2].defined() ? given_.input[2].size(-1) : widths.d;
    if (given_.H_kv > 0) widths.group = widths.H / given_.H_kv;
    widths.tile = given_.tile;
    return widths;
}

/// q, k or v before it is split.
Array Attention::projected(std::size_t role, const Choices& choices, Index heads) {
    const auto source = static_cast<std::size_t>(choices.projecting.input[role]);
    if (!given_.input[source].defined()) throw std::invalid_argument("not at hand");
    const Read& arguments = read(choices.reading);
    Array x = arguments.input[source];
    const int weight = choices.projecting.weight[role];
    if (weight >= 0 && given_.weight[0].defined()) {
        const auto w = static_cast<std::size_t>(weight);
        const Array& matrix = arguments.weight[w];
        x = choices.projecting.apply(
            x, choices.projecting.transposed[role] ? reference::transpose(matrix, 0, 1) : matrix, heads);
        const BiasOfHeads bias = choices.projecting.bias.at(role);
        if (bias != BiasOfHeads::none && given_.bias[w].defined())
            x = reference::add(x, bias == BiasOfHeads::first ? of_first_head(bias_[w], heads) : bias_[w]);
    }
    return choices.projecting.finish(x, static_cast<int>(role));
}

/// Queries, keys or values cut out of x·[w_q w_k w_v].
Array Attention::jointly_projected(std::size_t role, const Choices& choices) {
    std::array<Array, 3> parts{projected(0, choices, given_.H), projected(1, choices, given_.H_kv),
                               projected(2, choices, given_.H_kv)};
    const Index E = parts[0].size(-1), E_kv = parts[role == 0 ? 1 : role].size(-1);
    const std::array columns{choices.grouping.queries, choices.grouping.keys, choices.grouping.values};
    const Grouping::ColumnOf column_of = columns.at(role);
    const Index d = std::max<Index>(1, E_kv / given_.H_kv);
    Array cut = zeros(parts[role].shape);
    each(cut.shape, [&](Coordinate at, std::size_t i) {
        const Index column = column_of(at.back(), E, E_kv, d);
        const std::size_t part = column < E ? 0 : column < E + E_kv ? 1 : 2;
        const Index from[] = {at[0], at[1], part == 0 ? column : column - E - (part == 2 ? E_kv : 0)};
        const std::size_t source = position(parts[part].shape, from);
        cut.value[i] = parts[part].value.at(source);
        cut.error[i] = parts[part].error.at(source);
    });
    return cut;
}

/// Whether q, k and v are made at once: of one input, each by a weight of its own.
bool Attention::is_fused(const Choices& choices) const {
    const auto& [query, key, value] = given_.input;
    return choices.projecting.fused_by_heads && given_.H > 0 && given_.H_kv == 0 && given_.weight[0].defined() &&
           key.defined() && value.defined() && query.data() == key.data() && query.data() == value.data();
}

const Array& Attention::head(std::size_t role, const Choices& choices, bool& changed) {
    const HeadChoice choice{choices.reading, choices.projecting, choices.splitting, choices.grouping};
    return heads_[role].at(choice, changed, [&] {
        const bool shared = role > 0 && given_.H_kv > 0;
        const Index heads = shared && given_.H > 0 ? given_.H_kv : given_.H;
        const bool queries_too = given_.H_kv > 0 && choices.grouping.queries != nullptr;
        Array x = (shared || queries_too) && given_.H > 0 ? jointly_projected(role, choices)
                  : is_fused(choices)
                      ? cut_out_of_heads({projected(0, choices, given_.H), projected(1, choices, given_.H),
                                          projected(2, choices, given_.H)},
                                         role, given_.H)
                      : projected(role, choices, heads);
        if (heads > 0) x = choices.splitting.of(role)(x, heads);
        if (given_.prepared) x = given_.prepared(x, role);
        if (role == 0 && given_.H_kv > 0 && choices.grouping.query != nullptr)
            return exchanged_heads(x, given_.H_kv, choices.grouping.query);
        if (!shared) return x;
        const Index H = given_.H > 0 ? given_.H : given_.input[0].size(1);
        return shared_heads(x, H, role == 1 ? choices.grouping.key : choices.grouping.value);
    });
}

const Array& Attention::scores(const Choices& choices, bool& changed) {
    if (given_.scores.defined())
        return given_scores_.at(choices.reading, changed,
                                [&] { return choices.reading.tensor(given_.scores, Argument::other); });
    const Array& q = head(0, choices, changed);
    bool k_changed = false;  // q and k stand side by side
    const Array& k = head(1, choices, k_changed);
    changed |= k_changed;
    return scores_.at(choices.scoring, changed, [&] {
        const Array product = choices.scoring.product(choices.scoring.precision(q), choices.scoring.precision(k));
        return reference::scale(product, choices.scoring.factor(widths()));
    });
}

const Array& Attention::weights(const Choices& choices, bool& changed) {
    const Array& raw = scores(choices, changed);
    return weights_.at({choices.masking, choices.softmaxing, choices.grouping}, changed, [&] {
        Blocked blocked = all_blocked(given_, raw.shape, choices.masking);
        if (given_.H_kv > 0) blocked = of_chosen_heads(blocked, raw.shape, given_.H_kv, choices.grouping);
        blocked_ = blocked;
        Array score = raw;
        choices.masking.block(score, blocked);
        Array weights = softmax(score, blocked, choices.softmaxing);
        mask_afterwards(weights, raw, blocked_, choices.masking);
        return given_.scores.defined() ? weights : choices.softmaxing.finish(weights, widths());
    });
}

const Array& Attention::scores(const Choices& choices) {
    bool changed = false;
    return scores(choices, changed);
}

const Array& Attention::weights(const Choices& choices) {
    bool changed = false;
    return weights(choices, changed);
}

const Array& Attention::heads(std::size_t role, const Choices& choices) {
    bool changed = false;
    return head(role, choices, changed);
}

const Array& Attention::context(const Choices& choices, bool& changed) {
    const Array& w = weights(choices, changed);
    bool v_changed = false;
    const Array& v = head(2, choices, v_changed);
    changed |= v_changed;
    return context_.at(choices.weighing, changed,
                       [&] { return choices.weighing.context(at_hand(w, gathered(choices, v))); });
}

const Array& Attention::gathered(const Choices& choices, const Array& v) const {
    if (choices.weighing.gathered == Gathered::keys) return heads_[1].result;
    return choices.weighing.gathered == Gathered::queries ? heads_[0].result : v;
}

Weighable Attention::at_hand(const Array& weights, const Array& v) const {
    return {weights, scores_.result, heads_[0].result, heads_[1].result, v, blocked_};
}

Attention::ContextAndWeights Attention::context_and_weights(const Choices& choices) {
    bool changed = false;
    const bool weights_only = !given_.input[2].defined();
    const Array none;
    const Array& result = weights_only ? weights(choices, changed) : context(choices, changed);
    const Array& w = weights_.result;
    const Array& returned = returned_.at(choices.weighing, changed, [&] {
        return choices.weighing.returned(at_hand(w, weights_only ? none : heads_[2].result));
    });
    return {result, returned};
}

const Array& Attention::output(const Choices& choices) {
    bool changed = false;
    const Array& attended = context(choices, changed);
    if (given_.H == 0) return attended;
    const Array& merged = merged_.at(choices.merging, changed, [&] { return choices.merging.merge(attended); });
    if (!given_.w_o.defined()) return merged;
    return output_.at(choices.output, changed, [&] {
        return choices.output.project({merged, read(choices.reading).w_o, given_.b_o.defined() ? &b_o_ : nullptr,
                                       query_, given_.weight[2].defined() ? &w_v_ : nullptr, given_.H, given_.H_kv});
    });
}

}  // namespace headway::diagnosis
