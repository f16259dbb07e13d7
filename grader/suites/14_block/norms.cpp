#include "suites/14_block/norms.hpp"

#include "diagnosis/elements.hpp"

namespace headway::diagnosis {
namespace {

Norms right_norms() {
    Norms norms{};
    norms.divisor = [](const Bounded& squares, double eps, Index) { return root_of(squares + exactly(eps)); };
    return norms;
}

using ElementsOfGroup = std::vector<std::size_t>;

/// Which elements of (B, T, D) are normalised together.
std::vector<ElementsOfGroup> groups_normed(Norms::Together together, const Shape& shape) {
    const Index T = shape[1], D = shape[2];
    std::vector<ElementsOfGroup> all;
    each(shape, [&](Coordinate at, std::size_t i) {
        Index group = 0;
        switch (together) {
            case Norms::Together::token:
                group = at[0] * T + at[1];
                break;
            case Norms::Together::feature_of_a_sequence:
                group = at[0] * D + at[2];
                break;
            case Norms::Together::sequence:
                group = at[0];
                break;
            case Norms::Together::everything:
                break;
        }
        if (static_cast<std::size_t>(group) >= all.size()) all.resize(static_cast<std::size_t>(group) + 1);
        all[static_cast<std::size_t>(group)].push_back(i);
    });
    return all;
}

Bounded mean_of(const std::vector<Bounded>& all) { return total_of(all) / exactly(static_cast<double>(all.size())); }

/// The mean of (x - mean)² as that of x² less mean²: of large means few digits are left, or none.
Bounded spread_by_moments(const std::vector<Bounded>& x) {
    std::vector<Bounded> squares;
    for (const Bounded& one : x) squares.push_back(one * one);
    const Bounded middle = mean_of(x);
    Bounded spread = mean_of(squares) - middle * middle;
    if (spread.error > spread.value / 2) spread.error = anything;
    return spread;
}

/// One group on the way forward.
struct NormedGroup {
    std::vector<Bounded> x, centred, hat;
    Bounded divisor;
};

NormedGroup normed_group(const Norms& norms, Kind kind, const Array& x, const ElementsOfGroup& group, double eps) {
    const bool is_layer = kind == Kind::layer;
    const bool subtracts = is_layer ? norms.layer_subtracts_mean : norms.rms_subtracts_mean;
    const bool spread = is_layer ? norms.layer_measures_spread : norms.rms_measures_spread;
    NormedGroup row;
    for (const std::size_t i : group) row.x.push_back(element(x, i));
    const Bounded middle = mean_of(row.x);
    std::vector<Bounded> squares;
    for (const Bounded& one : row.x) {
        row.centred.push_back(one - middle);
        const Bounded& measured = spread ? row.centred.back() : one;
        squares.push_back(measured * measured);
    }
    const Index count = norms.divides ? static_cast<Index>(group.size()) - norms.fewer : 1;
    const Bounded mean_square = spread && norms.variance_by_moments
                                    ? spread_by_moments(row.x)
                                    : total_of(squares) / exactly(static_cast<double>(count));
    row.divisor = norms.divisor(mean_square, norms.fixed_eps != 0 ? norms.fixed_eps : eps, count);
    for (std::size_t i = 0; i < group.size(); ++i)
        row.hat.push_back((subtracts ? row.centred[i] : row.x[i]) / row.divisor);
    return row;
}

/// (B, T, D) -> (D), or a part of it.
Array gathered_over(Norms::Over over, const Array& x) {
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    /// As many sequences and tokens as `counted`, from sequence b and token t on.
    const auto part = [&](const Shape& counted, Index b, Index t) {
        return over_tokens(gathered(x, counted, [&](Coordinate at) {
            const Index from[] = {b + at[0], t + at[1], at[2]};
            return diagnosis::position(x.shape, from);
        }));
    };
    switch (over) {
        case Norms::Over::mean:
            return reference::scale(over_tokens(x), 1 / static_cast<double>(B * T));
        case Norms::Over::first_sequence:
            return part({1, T, D}, 0, 0);
        case Norms::Over::last_sequence:
            return part({1, T, D}, B - 1, 0);
        case Norms::Over::last_token:
            return part({1, 1, D}, B - 1, T - 1);
        case Norms::Over::all_tokens:
            break;
    }
    return over_tokens(x);
}

/// What a group gets on the way back, and the gains it is multiplied by.
struct GroupBack {
    std::vector<Bounded> out, gain;

    std::vector<Bounded> with_gain(bool counts) const {
        std::vector<Bounded> g = out;
        for (std::size_t i = 0; counts && i < g.size(); ++i) g[i] = g[i] * gain[i];
        return g;
    }
};

/// The gradient of a group's x.
void put_back(const Norms& norms, bool subtracts, const NormedGroup& row, const ElementsOfGroup& group,
              const GroupBack& back, Array& grad_x) {
    const std::vector<Bounded> g = back.with_gain(norms.gain_in_itself);
    std::vector<Bounded> along = back.with_gain(norms.gain_in_along);
    for (std::size_t i = 0; i < along.size(); ++i) along[i] = along[i] * row.hat[i];
    const Bounded shift = mean_of(back.with_gain(norms.gain_in_mean));
    const Bounded stretch = norms.along_is_averaged ? mean_of(along) : total_of(along);
    for (std::size_t i = 0; i < g.size(); ++i) {
        Bounded left = g[i];
        if (subtracts && norms.mean_goes_back) left = left - shift;
        if (norms.spread_goes_back) left = left - row.hat[i] * stretch;
        if (norms.gain_at_the_end) left = left * back.gain[i];
        for (int times = 0; times < norms.divides_back; ++times) left = left / row.divisor;
        put_element(grad_x, group[i], left);
    }
}

}  // namespace

const Norms& Norms::right() {
    static const Norms all = right_norms();
    return all;
}

Array normed(const Norms& norms, Kind kind, const Array& x, const Array& gain, const Array* bias, double eps) {
    Array y = zeros(x.shape);
    const auto D = static_cast<std::size_t>(x.size(2));
    for (const ElementsOfGroup& group : groups_normed(norms.together, x.shape)) {
        const NormedGroup row = normed_group(norms, kind, x, group, eps);
        for (std::size_t i = 0; i < group.size(); ++i) {
            const std::size_t feature = group[i] % D;
            const Bounded shift = bias != nullptr && norms.has_bias ? element(*bias, feature) : exactly(0);
            Bounded factor = norms.has_gain ? element(gain, feature) : exactly(1);
            if (norms.gain_counts_from_1) factor = factor + exactly(1);
            put_element(y, group[i], norms.bias_first ? (row.hat[i] + shift) * factor : row.hat[i] * factor + shift);
        }
    }
    return y;
}

NormGradients normed_backward(const Norms& norms, Kind kind, const Array& x, const Array& gain, double eps,
                              const Array& grad_y) {
    NormGradients grad{zeros(x.shape), {}, {}};
    Array of_gain = zeros(x.shape), of_bias = zeros(x.shape);
    const auto D = static_cast<std::size_t>(x.size(2));
    const bool subtracts =
        kind == Kind::layer ? norms.layer_subtracts_mean : norms.rms_subtracts_mean || norms.rms_mean_goes_back;
    for (const ElementsOfGroup& group : groups_normed(norms.together, x.shape)) {
        const NormedGroup row = normed_group(norms, kind, x, group, eps);
        GroupBack back;
        for (std::size_t i = 0; i < group.size(); ++i) {
            Bounded factor = element(gain, group[i] % D);
            if (norms.gain_counts_from_1) factor = factor + exactly(1);
            const Bounded out = element(grad_y, group[i]);
            back.gain.push_back(factor);
            back.out.push_back(out);
            const Bounded seen = norms.gain_from == Norms::GainFrom::input     ? row.x[i]
                                 : norms.gain_from == Norms::GainFrom::centred ? row.centred[i]
                                 : norms.gain_from == Norms::GainFrom::nothing ? exactly(1)
                                                                               : row.hat[i];
            put_element(of_gain, group[i], (norms.gain_from_g ? out * factor : out) * seen);
            put_element(of_bias, group[i], norms.bias_from_g ? out * factor : out);
        }
        put_back(norms, subtracts, row, group, back, grad.x);
    }
    grad.gain = gathered_over(norms.gain_over, of_gain);
    if (kind == Kind::layer) grad.bias = gathered_over(norms.bias_over, of_bias);
    return grad;
}

}  // namespace headway::diagnosis
