#include "suites/13_positions/rotary.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

double position(const Rotary::Token& token) {
    return static_cast<double>(std::max<Index>(0, token.first + token.t - token.padded()));
}

double frequency(const Rotary::Pair& pair) {
    return std::pow(pair.base, -2 * static_cast<double>(pair.i) / static_cast<double>(pair.d));
}

Rotary::Term neighbours(Index j, Index) {
    return j % 2 == 0 ? Rotary::Term{j / 2, j, j + 1, -1} : Rotary::Term{j / 2, j, j - 1, 1};
}

Rotary::Term half_a_head_apart(Index j, Index d) {
    const Index half = d / 2;
    return j < half ? Rotary::Term{j, j, j + half, -1} : Rotary::Term{j - half, j, j - half, 1};
}

Rotary right_rotary() {
    Rotary rotary{};
    rotary.position = &position;
    rotary.frequency = &frequency;
    rotary.pairs = &neighbours;
    rotary.halves = &half_a_head_apart;
    rotary.along = [](double angle) { return std::cos(angle); };
    rotary.across = [](double angle) { return std::sin(angle); };
    rotary.row = [](Index b, Index, Index t, const Shape&) { return Rotary::Row{b, t}; };
    rotary.to_halves = [](Index j, Index, Index d) {
        const Index in_head = j % d, half = d / 2;
        return j - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
    };
    rotary.to_pairs = [](Index j, Index, Index d) {
        const Index in_head = j % d;
        return j - in_head + in_head / 2 + in_head % 2 * (d / 2);
    };
    rotary.hidden = [](Index padding, Index P, Index t, Index s, Index) { return s < padding || s > P + t; };
    return rotary;
}

}  // namespace

Rotary Rotary::of_queries() const {
    Rotary other = *this;
    other.base_is_fixed |= base_is_fixed_for[0];
    return other;
}

Rotary Rotary::of_keys() const {
    Rotary other = *this;
    other.base_is_fixed |= base_is_fixed_for[1];
    other.sense = key_sense;
    if (key_row != nullptr) other.row = key_row;
    return other;
}

bool Rotary::refuses(const std::vector<Index>& padding, Index first, Index T) const {
    return most_padding != nullptr && std::ranges::max(padding) > most_padding(first, T);
}

const Rotary& Rotary::right() {
    static const Rotary all = right_rotary();
    return all;
}

Array token_positions(const Rotary& rotary, const std::vector<Index>& padding, Index first, Index T) {
    Array positions = zeros({static_cast<Index>(padding.size()), T});
    each(positions.shape, [&](Coordinate at, std::size_t i) {
        positions.value[i] = rotary.position({padding, static_cast<std::size_t>(at[0]), first, at[1], T});
    });
    return positions;
}

namespace {

/// An angle without the whole turns in it, which are taken for `turn` long.
void take_off_turns(double& angle, double& error, double turn) {
    if (turn == 0) return;
    const double turns = std::trunc(angle / turn), left = angle - turns * turn;
    error += std::abs(turns) * turn * reference::unit_roundoff;
    // So near to a whole turn that rounding decides.
    if (angle != 0 && (std::abs(left) <= error || turn - std::abs(left) <= error)) error = anything;
    angle = left;
}

}  // namespace

Array rotation_angles(const Rotary& rotary, const Array& positions, Index d, double base, Index H) {
    Array angles = zeros({positions.size(0), positions.size(1), d / 2});
    // A power's exponent is rounded too, and multiplied by the logarithm of its base.
    const double relative = (4 + 2 * std::abs(std::log(base))) * reference::unit_roundoff + rotary.frequency_is_unsure;
    each(angles.shape, [&](Coordinate at, std::size_t i) {
        const Index token[] = {rotary.positions_of_first_text ? 0 : at[0], at[1]};
        angles.value[i] = positions.value[position(positions.shape, token)] * rotary.frequency({at[2], d, base, H});
        angles.error[i] = relative * std::abs(angles.value[i]);
        take_off_turns(angles.value[i], angles.error[i], rotary.turn_taken_off);
    });
    return angles;
}

Array turned(const Rotary& rotary, const Array& x, const Array& angles, Rotary::Turn turn) {
    Array result = zeros(x.shape);
    const Index d = x.size(3);
    each(x.shape, [&](Coordinate at, std::size_t i) {
        const Rotary::Term term = turn(at[3], d);
        if (term.angle == Rotary::no_angle) {
            result.value[i] = x.value[i];
            result.error[i] = x.error[i];
            return;
        }
        const Rotary::Row row = rotary.row(at[0], at[1], at[2], x.shape);
        const Index angle_at[] = {row.b, row.t, term.angle};
        const Index along_at[] = {at[0], at[1], at[2], term.along}, across_at[] = {at[0], at[1], at[2], term.across};
        const std::size_t a = position(angles.shape, angle_at);
        const std::size_t along = position(x.shape, along_at), across = position(x.shape, across_at);
        double angle = angles.value.at(a), unsure = angles.error[a];
        take_off_turns(angle, unsure, rotary.turn_taken_for_whole);
        const double cos = rotary.along(angle), sin = rotary.across(angle);
        // The new first feature stands in the result already: pairs are computed in the order of their features.
        const bool by_the_new = rotary.turns_by_the_new && across < i;
        const double second = by_the_new ? result.value[across] : x.value.at(across);
        result.value[i] = x.value.at(along) * cos + term.sign * second * sin;
        const double size = std::abs(x.value[along]) + std::abs(second);
        result.error[i] = std::abs(cos) * x.error[along] + std::abs(sin) * x.error[across] +
                          (by_the_new ? result.error[across] : 0) + size * (unsure + 4 * reference::unit_roundoff);
    });
    return result;
}

Array turned_in_attention(const Rotary& rotary, const Array& x, const Array& positions, double base, Index H) {
    Array counted = positions;
    if (rotary.counts_anew)
        each(counted.shape, [&](Coordinate at, std::size_t i) { counted.value[i] = static_cast<double>(at[1]); });
    for (double& at : counted.value) at *= rotary.sense;
    Rotary own = rotary;
    if (rotary.frequency_in_layer != nullptr) own.frequency = rotary.frequency_in_layer;
    Array angles = rotation_angles(own, counted, x.size(3), rotary.base_is_fixed ? 10'000 : base, H);
    // Some turn a token by the turn of the token before it and one step more: each step rounds.
    each(angles.shape, [&](Coordinate at, std::size_t i) {
        const Index token[] = {at[0], at[1]};
        angles.error[i] +=
            2 * reference::unit_roundoff * std::abs(counted.value[diagnosis::position(counted.shape, token)]);
    });
    return turned(rotary, x, angles, rotary.attends_by_halves ? rotary.halves : rotary.pairs);
}

Array turned_for_each_key(const Rotary& rotary, const Array& q, const Array& q_positions, const Array& k_positions,
                          double base) {
    const Index S = k_positions.size(1), d = q.size(3);
    Array all = zeros({q.size(0), q.size(1), q.size(2), S * d});
    for (Index s = 0; s < S; ++s) {
        Array apart = q_positions;
        each(apart.shape, [&](Coordinate at, std::size_t i) {
            const Index key[] = {at[0], s};
            apart.value[i] = rotary.apart(apart.value[i] - k_positions.value[position(k_positions.shape, key)]);
        });
        const Array turned_for_it = turned_in_attention(rotary.of_queries(), q, apart, base, q.size(1));
        each(turned_for_it.shape, [&](Coordinate at, std::size_t i) {
            const Index place[] = {at[0], at[1], at[2], s * d + at[3]};
            const std::size_t to = position(all.shape, place);
            all.value[to] = turned_for_it.value[i];
            all.error[to] = turned_for_it.error[i];
        });
    }
    return all;
}

Array each_in_its_place(const Array& k) {
    const Index S = k.size(2), d = k.size(3);
    Array all = zeros({k.size(0), k.size(1), S, S * d});
    each(k.shape, [&](Coordinate at, std::size_t i) {
        const Index place[] = {at[0], at[1], at[2], at[2] * d + at[3]};
        const std::size_t to = position(all.shape, place);
        all.value[to] = k.value[i];
        all.error[to] = k.error[i];
    });
    return reference::scale(all, std::sqrt(static_cast<double>(S)));
}

Array with_columns(const Array& w, Index H, Rotary::Column column) {
    const Index d = w.size(-1) / H;
    return gathered(w, w.shape, [&](Coordinate at) {
        std::vector<Index> from(at.begin(), at.end());
        from.back() = column(from.back(), H, d);
        return position(w.shape, from);
    });
}

Array joined(const Array& first, const Array& last) {
    if (first.shape.size() != 4) return last;
    const Index P = first.size(2);
    Array all = zeros({last.size(0), last.size(1), P + last.size(2), last.size(3)});
    each(all.shape, [&](Coordinate at, std::size_t i) {
        const bool is_first = at[2] < P;
        const Array& from = is_first ? first : last;
        const Index source[] = {at[0], at[1], is_first ? at[2] : at[2] - P, at[3]};
        all.value[i] = from.value[position(from.shape, source)];
        all.error[i] = from.error[position(from.shape, source)];
    });
    return all;
}

Mask decoding_mask(const Rotary& rotary, const std::vector<Index>& padding, Index P, Index T, Index left_out) {
    const auto B = static_cast<Index>(padding.size());
    Mask mask = Mask::allow_all({B, 1, T, P + T - left_out});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = left_out; s < P + T; ++s)
                mask(b, 0, t, s - left_out) = rotary.hidden(padding[static_cast<std::size_t>(b)], P, t, s, T);
    return mask;
}

}  // namespace headway::diagnosis
