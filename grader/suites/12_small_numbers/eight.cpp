#include "suites/12_small_numbers/eight.hpp"

#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

namespace headway::diagnosis {
namespace {

Array scales_of_rows(const Array& x) { return scales_over(x, false, false, false); }

double bytes(const Eights::Sizes& n, const std::string& kept) {
    const auto rows = static_cast<double>(n.B * n.H * n.S);
    const double numbers = rows * static_cast<double>(n.d + n.d_v);
    if (kept == "as_float") return 4 * numbers;
    return kept == "as_half" ? 2 * numbers : numbers + 8 * rows;
}

Eights right_eights() {
    Eights eights{};
    eights.scales = &scales_of_rows;
    eights.code = [](double quotient) { return std::nearbyint(quotient); };
    eights.end = [](double code) { return std::clamp(code, -127.0, 127.0); };
    eights.where_zero = [](double) { return 0.0; };
    eights.scale_of = [](Index row, Index, Index) { return row; };
    eights.number = [](double code, double scale) { return code * scale; };
    eights.bytes = &bytes;
    return eights;
}

/// A row of x and the scale that it takes.
std::size_t scale_at(Eights::ScaleOf scale_of, std::size_t number, const Shape& shape) {
    const Index row = static_cast<Index>(number) / shape[3];
    return static_cast<std::size_t>(scale_of(row, shape[2], shape[1]));
}

/// Along the axis of tokens: in each of so many blocks of one size, what is in a comes before what is in b.
Array joined(const Array& a, const Array& b, Index blocks) {
    Shape shape = a.shape;
    shape[2] += b.shape[2];
    Array both = zeros(shape);
    const auto count = static_cast<std::size_t>(blocks);
    const std::size_t of_a = a.value.size() / count, of_b = b.value.size() / count;
    for (std::size_t block = 0; block < count; ++block)
        for (std::size_t i = 0; i < of_a + of_b; ++i) {
            const Array& from = i < of_a ? a : b;
            const std::size_t source = i < of_a ? block * of_a + i : block * of_b + i - of_a;
            both.value[block * (of_a + of_b) + i] = from.value[source];
            both.error[block * (of_a + of_b) + i] = from.error[source];
        }
    return both;
}

Array joined(const Array& a, const Array& b) { return joined(a, b, a.size(0) * a.size(1)); }
Array joined_in_texts(const Array& a, const Array& b) { return joined(a, b, a.size(0)); }
Array one_behind_the_other(const Array& a, const Array& b) { return joined(a, b, 1); }

CodedRows joined(Eights::Joined how, const CodedRows& a, const CodedRows& b) {
    switch (how) {
        case Eights::Joined::all_old_first:
            return {one_behind_the_other(a.codes, b.codes), one_behind_the_other(a.scales, b.scales)};
        case Eights::Joined::all_old_codes_first:
            return {one_behind_the_other(a.codes, b.codes), joined(a.scales, b.scales)};
        case Eights::Joined::all_old_scales_first:
            return {joined(a.codes, b.codes), one_behind_the_other(a.scales, b.scales)};
        case Eights::Joined::in_texts:
            return {joined_in_texts(a.codes, b.codes), joined_in_texts(a.scales, b.scales)};
        case Eights::Joined::codes_in_texts:
            return {joined_in_texts(a.codes, b.codes), joined(a.scales, b.scales)};
        case Eights::Joined::new_scales_first:
            return {joined(a.codes, b.codes), joined(b.scales, a.scales)};
        case Eights::Joined::new_first:
            return {joined(b.codes, a.codes), joined(b.scales, a.scales)};
        case Eights::Joined::new_alone:
            return b;
        case Eights::Joined::by_heads:
            break;
    }
    return {joined(a.codes, b.codes), joined(a.scales, b.scales)};
}

/// Each row has the scale of the last token of its head.
Array last_scale(const Array& scales, const Shape& shape) {
    return gathered(scales, shape, [&](Coordinate at) {
        const Index from[] = {at[0], at[1], scales.size(2) - 1};
        return position(scales.shape, from);
    });
}

CodedRows grown(const Eights& choices, const CodedRows& old, const Array& x, Array own) {
    const Shape rows(x.shape.begin(), x.shape.end() - 1);
    if (choices.fresh == Eights::New::by_one_scale) own = scales_over(x, false, false, true);
    if (choices.fresh == Eights::New::by_last_scale && !old.is_empty()) own = last_scale(old.scales, rows);
    if (old.is_empty()) return to_int8(choices, x, own);
    if (choices.old != Eights::Old::kept) {
        const Array all = joined(from_int8(choices, old), x);
        return to_int8(
            choices, all,
            choices.old == Eights::Old::coded_again ? choices.scales(all) : scales_over(all, false, false, true));
    }
    return joined(choices.joined, old, to_int8(choices, x, own));
}

}  // namespace

const Eights& Eights::right() {
    static const Eights all = right_eights();
    return all;
}

Array scales_over(const Array& x, bool over_batch, bool over_heads, bool over_tokens) {
    Array scales = zeros({x.size(0), x.size(1), x.size(2)});
    std::map<std::tuple<Index, Index, Index>, double> largest;
    const auto group = [&](Coordinate at) {
        return std::tuple(over_batch ? 0 : at[0], over_heads ? 0 : at[1], over_tokens ? 0 : at[2]);
    };
    each(x.shape, [&](Coordinate at, std::size_t i) {
        double& most = largest[group(at)];
        most = std::max(most, std::abs(x.value[i]));
    });
    each(scales.shape, [&](Coordinate at, std::size_t i) { scales.value[i] = largest[group(at)] / 127; });
    return within(scales, 1e-6);
}

Array scales_of_a_clone(const Tensor& x) {
    const Strides strides = x.layout().may_overlap() ? x.contiguous().strides() : x.strides();
    Array sizes = reference::exact(x);
    each(x.shape(), [&](Coordinate at, std::size_t i) {
        Index place = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * strides[axis];
        if (place < x.numel()) sizes.value[i] = std::abs(sizes.value[i]);
    });
    Array scales = zeros({x.size(0), x.size(1), x.size(2)});
    const auto width = static_cast<std::ptrdiff_t>(x.size(3));
    for (std::size_t row = 0; row < scales.value.size(); ++row) {
        const auto begin = sizes.value.begin() + static_cast<std::ptrdiff_t>(row) * width;
        scales.value[row] = *std::max_element(begin, begin + width) / 127;
    }
    return within(std::move(scales), 1e-6);
}

CodedRows to_int8(const Eights& choices, const Array& x, const Array& scales) {
    CodedRows rows{zeros(x.shape), scales};
    for (std::size_t i = 0; i < x.value.size(); ++i) {
        const double scale = scales.value.at(scale_at(choices.scale_of, i, x.shape));
        if (scale == 0) {
            rows.codes.value[i] = choices.where_zero(x.value[i]);
            continue;
        }
        const auto code = [&](double quotient) { return choices.end(choices.code(quotient)); };
        // A float's quotient, or its product with a float's reciprocal, may lie on the other side of a tie. A
        // comparison leaves four times the error; both neighbours are right there, and no third. So may a float's sum
        // with 128, of which the fraction is cut off.
        const double quotient = x.value[i] / scale;
        const double summed = quotient == 0 ? 0 : 256 * reference::unit_roundoff;
        const double off = std::max(8 * reference::unit_roundoff * std::abs(quotient), summed);
        rows.codes.value[i] = code(quotient);
        rows.codes.error[i] = std::max(std::abs(code(quotient - off) - rows.codes.value[i]),
                                       std::abs(code(quotient + off) - rows.codes.value[i])) /
                              4;
    }
    if (choices.keeps_what_it_takes)
        rows.scales = gathered(scales, scales.shape, [&](Coordinate at) {
            const Shape& shape = scales.shape;
            const Index row = (at[0] * shape[1] + at[1]) * shape[2] + at[2];
            return static_cast<std::size_t>(choices.scale_of(row, shape[2], shape[1]));
        });
    return rows;
}

Array from_int8(const Eights& choices, const CodedRows& rows) {
    Array x = zeros(rows.codes.shape);
    const auto P = static_cast<std::size_t>(x.size(2)), width = static_cast<std::size_t>(x.size(3));
    for (std::size_t i = 0; i < x.value.size(); ++i) {
        const std::size_t place = i % (P * width);
        const std::size_t code = choices.codes_width_first ? i - place + place % width * P + place / width : i;
        x.value[i] = choices.number(rows.codes.value[code],
                                    rows.scales.value.at(scale_at(choices.scale_of, i, rows.codes.shape)));
    }
    return within(x, 1e-6);
}

CodedRows behind(const CodedRows& old, const CodedRows& fresh) {
    return old.is_empty() ? fresh : joined(Eights::Joined::by_heads, old, fresh);
}

CodedCache append(const Eights& choices, const CodedCache& cache, const Array& k, const Array& v) {
    const Array of_keys = choices.scales(k);
    return {grown(choices, cache.k, k, of_keys),
            grown(choices, cache.v, v, choices.values_by_keys_scales ? of_keys : choices.scales(v))};
}

}  // namespace headway::diagnosis
