#include "small_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace headway::ex12 {
namespace {

void check(bool fits, std::string_view what) {
    if (!fits) throw std::invalid_argument(std::string(what));
}

/// All numbers of a format from 0 on, in order, and what would follow the largest. Their places are their bits: a
/// number in an even place has 0 as its last bit.
class Table {
public:
    Table(int fraction_bits, int least_exponent, int largest_exponent) {
        const int per_power = 1 << fraction_bits;
        for (int i = 0; i < per_power; ++i) all_.push_back(std::ldexp(i, least_exponent - fraction_bits));
        for (int exponent = least_exponent; exponent <= largest_exponent; ++exponent)
            for (int i = 0; i < per_power; ++i) all_.push_back(std::ldexp(per_power + i, exponent - fraction_bits));
        all_.push_back(std::ldexp(1.0, largest_exponent + 1));
    }

    float nearest(float x) const {
        if (!std::isfinite(x)) return x;
        const double size = std::abs(static_cast<double>(x));
        const auto above = std::upper_bound(all_.begin(), all_.end() - 1, size);
        auto chosen = above - 1;
        const double middle = (*chosen + *above) / 2;
        const bool is_odd = (chosen - all_.begin()) % 2 == 1;
        if (size > middle || (size == middle && is_odd)) ++chosen;
        const bool is_past = chosen == all_.end() - 1;
        return std::copysign(is_past ? std::numeric_limits<float>::infinity() : static_cast<float>(*chosen), x);
    }

private:
    std::vector<double> all_;
};

const Table& table_of(Format format) {
    static const std::array tables{Table(10, -14, 15), Table(7, -126, 127)};
    return tables[format == Format::half ? 0 : 1];
}

Tensor with_last(const Tensor& x, Index last) {
    Shape shape = x.shape();
    shape.back() = last;
    return Tensor::zeros(shape);
}

Tensor halves(const Tensor& x) { return rounded(x, Format::half); }

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Tensor from = x.contiguous();
    Tensor to = Tensor::empty(x.shape());
    const Table& table = table_of(format);
    std::transform(from.data(), from.data() + from.numel(), to.data(), [&](float one) { return table.nearest(one); });
    return to;
}

Tensor sum_in(const Tensor& x, Format format) {
    check(x.rank() > 0, "sum_in: x has no axis");
    const Tensor from = x.contiguous();
    const Table& table = table_of(format);
    Tensor totals = with_last(x, 1);
    for (Index row = 0; row < totals.numel(); ++row) {
        const float* begin = from.data() + row * x.size(-1);
        totals.data()[row] = std::accumulate(begin, begin + x.size(-1), 0.0F,
                                             [&](float total, float one) { return table.nearest(total + one); });
    }
    return totals;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    check(scores.rank() > 0, "softmax_in_half: scores have no axis");
    const Tensor s = halves(scores);
    // A finite number in place of -infinity, so that a row of nothing but blocked keys has differences.
    const Tensor largest = max(s, -1, KeepAxis::yes);
    Tensor shift = largest.clone(), seen = Tensor::ones(largest.shape());
    for (Index row = 0; row < shift.numel(); ++row)
        if (shift.data()[row] < -65'504) shift.data()[row] = seen.data()[row] = 0;
    const Tensor e = halves(exp(halves(s - shift)));
    const Tensor sums = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    return halves(e / (sums + (1.0F - seen)));
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention_in_half: four axes each");
    check(k.shape() == Shape{q.size(0), q.size(1), k.size(2), q.size(3)}, "attention_in_half: keys like queries");
    check(v.shape() == Shape{q.size(0), q.size(1), k.size(2), v.size(3)}, "attention_in_half: a value for each key");
    const Tensor products = matmul(halves(q), halves(k).transpose(-1, -2));
    Tensor scores = halves(products * (1 / std::sqrt(static_cast<float>(q.size(3)))));
    scores = masked_fill(std::move(scores), mask, -std::numeric_limits<float>::infinity());
    return halves(matmul(softmax_in_half(scores, Total::in_float), halves(v)));
}

Tensor row_scales(const Tensor& x) {
    check(x.rank() == 4, "row_scales: four axes");
    // The larger of the largest and what is left of the smallest without its sign.
    const Tensor above = max(x, -1), below = max(-x, -1);
    Tensor scales = Tensor::empty(above.shape());
    const auto larger = [](float a, float b) { return std::max(a, b) / 127.0F; };
    std::transform(above.data(), above.data() + above.numel(), below.data(), scales.data(), larger);
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    check(x.rank() == 4 && scales.rank() == 3, "to_int8: x has four axes, scales three");
    check(scales.shape() == Shape(x.shape().begin(), x.shape().end() - 1), "to_int8: a scale for each row");
    const Tensor steps = scales.contiguous().clone();
    check(std::none_of(steps.data(), steps.data() + steps.numel(), [](float step) { return step < 0; }),
          "to_int8: no scale is negative");
    // By a scale of 0 nothing is divided: 0 / 1.
    const Tensor from = x.contiguous();
    std::vector<std::int8_t> codes(static_cast<std::size_t>(x.numel()), 0);
    const auto width = static_cast<std::size_t>(x.size(3));
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const float step = steps.data()[i / width];
        if (step == 0) continue;
        const float whole = std::rint(from.data()[i] / step);
        codes[i] = static_cast<std::int8_t>(std::min(127.0F, std::max(-127.0F, whole)));
    }
    return {x.shape(), std::move(codes), steps};
}

Tensor from_int8(const Int8Rows& rows) {
    check(rows.shape.size() == 4, "from_int8: four axes");
    check(rows.scales.shape() == Shape(rows.shape.begin(), rows.shape.end() - 1), "from_int8: a scale for each row");
    const Index all = std::accumulate(rows.shape.begin(), rows.shape.end(), Index{1}, std::multiplies<>());
    check(all == static_cast<Index>(rows.codes.size()), "from_int8: as many codes as numbers");
    const Tensor codes = Tensor::of(rows.shape, {rows.codes.begin(), rows.codes.end()});
    Shape column = rows.scales.shape();
    column.push_back(1);
    return codes * rows.scales.contiguous().view(column);
}

namespace {

/// One behind the other in each head.
Int8Rows joined(const Int8Rows& first, const Int8Rows& second) {
    if (first.shape.empty()) return second;
    Int8Rows both{first.shape, {}, cat({first.scales, second.scales}, 2)};
    both.shape[2] += second.shape[2];
    const std::array parts{&first, &second};
    for (Index head = 0; head < both.shape[0] * both.shape[1]; ++head)
        for (const Int8Rows* part : parts) {
            const Index size = part->shape[2] * part->shape[3];
            const auto begin = part->codes.begin() + head * size;
            both.codes.insert(both.codes.end(), begin, begin + size);
        }
    return both;
}

bool is_like(const Int8Rows& old, const Tensor& x) {
    return old.shape.empty() || old.shape == Shape{x.size(0), x.size(1), old.shape[2], x.size(3)};
}

}  // namespace

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    check(k.rank() == 4 && v.rank() == 4, "append: four axes each");
    check(v.shape() == Shape{k.size(0), k.size(1), k.size(2), v.size(3)}, "append: a value for each key");
    check(is_like(cache.k, k) && is_like(cache.v, v), "append: new rows like those of the cache");
    return {joined(cache.k, to_int8(k, row_scales(k))), joined(cache.v, to_int8(v, row_scales(v)))};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    check(q.rank() == 4 && cache.k.shape.size() == 4 && cache.v.shape.size() == 4, "int8_attention: four axes each");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = cache.k.shape[2];
    check(cache.k.shape == Shape{B, H, P, q.size(3)}, "int8_attention: keys like queries");
    check(cache.v.shape == Shape{B, H, P, cache.v.shape[3]}, "int8_attention: a value for each key");
    check(cache.k.scales.shape() == Shape{B, H, P} && cache.v.scales.shape() == Shape{B, H, P},
          "int8_attention: a scale for each row");
    // A scale is the same for a whole row: it can wait until codes have been summed.
    const auto codes = [](const Int8Rows& rows) {
        return Tensor::of(rows.shape, {rows.codes.begin(), rows.codes.end()});
    };
    const auto as_columns = [&](const Tensor& scales) { return scales.contiguous().view({B, H, 1, P}); };
    Tensor scores = matmul(q, codes(cache.k).transpose(2, 3)) * as_columns(cache.k.scales);
    scores =
        masked_fill(scores / std::sqrt(static_cast<float>(q.size(3))), mask, -std::numeric_limits<float>::infinity());
    const Tensor largest = max(scores, -1, KeepAxis::yes);
    Tensor weights = Tensor::zeros({B, H, T, P});
    for (Index row = 0; row < largest.numel(); ++row) {
        const float most = largest.data()[row];
        if (std::isinf(most)) continue;
        float* out = weights.data() + row * P;
        const float* in = scores.data() + row * P;
        float total = 0;
        for (Index p = 0; p < P; ++p) total += out[p] = std::exp(in[p] - most);
        for (Index p = 0; p < P; ++p) out[p] /= total;
    }
    return matmul(weights * as_columns(cache.v.scales), codes(cache.v));
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    check(std::min({B, H, S, d, d_v}) >= 1, "cache_bytes: sizes from 1 on");
    const Index rows = B * H * S;
    if (kept == Kept::as_int8) return rows * (d + d_v) + 2 * rows * static_cast<Index>(sizeof(float));
    return rows * (d + d_v) * (kept == Kept::as_half ? 2 : 4);
}

}  // namespace headway::ex12
