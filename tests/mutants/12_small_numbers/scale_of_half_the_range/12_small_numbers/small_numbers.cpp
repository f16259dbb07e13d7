#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {

// All numbers of a format in a table, and the nearest one looked up. Rows as a class of their own.

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

class Table {
public:
    /// All numbers from 0 on, in order, and one step past the largest. Even places have an even fraction.
    Table(int bits, int least, int most) {
        const Index per_power = Index{1} << bits;
        for (Index i = 0; i < per_power; ++i) numbers_.push_back(std::ldexp(static_cast<double>(i), least - bits));
        for (int exponent = least; exponent <= most; ++exponent)
            for (Index i = 0; i < per_power; ++i)
                numbers_.push_back(std::ldexp(static_cast<double>(per_power + i), exponent - bits));
        numbers_.push_back(std::ldexp(1.0, most + 1));
    }

    float nearest(float x) const {
        if (std::isnan(x) || std::isinf(x)) return x;
        const double size = std::abs(static_cast<double>(x));
        const auto above = std::lower_bound(numbers_.begin(), numbers_.end(), size);
        std::size_t place =
            above == numbers_.end() ? numbers_.size() - 1 : static_cast<std::size_t>(above - numbers_.begin());
        if (place > 0) {
            const double up = numbers_[place] - size, down = size - numbers_[place - 1];
            if (down < up || (down == up && place % 2 == 1)) --place;
        }
        const float y = place == numbers_.size() - 1 ? infinity : static_cast<float>(numbers_[place]);
        return std::copysign(y, x);
    }

    static const Table& of(Format format) {
        static const Table half(10, -14, 15), bfloat16(7, -126, 127);
        return format == Format::half ? half : bfloat16;
    }

private:
    std::vector<double> numbers_;
};

/// The rows of a tensor of any rank and any strides: how many, how long, and a number of one.
class Rows {
public:
    explicit Rows(const Tensor& x) : x_(x.contiguous()), width_(x.size(-1)), count_(x.numel() / x.size(-1)) {}

    Index count() const { return count_; }
    Index width() const { return width_; }
    const float* begin(Index row) const { return x_.data() + row * width_; }
    const float* end(Index row) const { return begin(row) + width_; }

private:
    const Tensor x_;
    Index width_, count_;
};

Tensor half(const Tensor& x) { return rounded(x, Format::half); }

void expect_four(const Shape& shape) {
    expect(shape.size() == 4, "four axes are needed");
    expect(*std::min_element(shape.begin(), shape.end()) >= 1, "every size is at least 1");
}

Shape one_per_row(const Shape& shape) { return {shape[0], shape[1], shape[2]}; }

void expect_consistent(const Int8Rows& rows) {
    expect_four(rows.shape);
    expect(rows.scales.shape() == one_per_row(rows.shape), "scales do not fit the shape");
    const Index scales = rows.scales.numel();
    expect(static_cast<Index>(rows.codes.size()) == scales * rows.shape[3], "codes do not fill the shape");
}

void expect_qkv(const Shape& q, const Shape& k, const Shape& v) {
    expect_four(q);
    expect_four(k);
    expect_four(v);
    expect(q[0] == k[0] && q[1] == k[1] && q[3] == k[3], "q and k do not fit");
    expect(one_per_row(k) == one_per_row(v), "k and v do not fit");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Table& table = Table::of(format);
    Tensor y = x.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = table.nearest(y.data()[i]);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    expect(x.rank() >= 1, "sum_in: no axis");
    const Table& table = Table::of(format);
    const Rows rows(x);
    Shape shape = x.shape();
    shape[shape.size() - 1] = 1;
    Tensor sums = Tensor::zeros(shape);
    for (Index row = 0; row < rows.count(); ++row) {
        float& total = sums.data()[row];
        for (const float* number = rows.begin(row); number != rows.end(row); ++number)
            total = table.nearest(total + *number);
    }
    return sums;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    expect(scores.rank() >= 1, "softmax_in_half: no axis");
    const Table& table = Table::of(Format::half);
    const Tensor s = half(scores);
    const Rows rows(s);
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index row = 0; row < rows.count(); ++row) {
        float* e = weights.data() + row * rows.width();
        const float largest = *std::max_element(rows.begin(row), rows.end(row));
        if (largest == -infinity) continue;
        float sum = 0;
        for (Index i = 0; i < rows.width(); ++i) {
            e[i] = table.nearest(std::exp(table.nearest(rows.begin(row)[i] - largest)));
            sum += e[i];
            if (total == Total::in_half) sum = table.nearest(sum);
        }
        for (Index i = 0; i < rows.width(); ++i) e[i] = table.nearest(e[i] / sum);
    }
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    expect_qkv(q.shape(), k.shape(), v.shape());
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    const Tensor rq = half(q), rk = half(k).transpose(2, 3), rv = half(v);
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    Tensor context = Tensor::empty({B, H, T, v.size(3)});
    // One query at a time: nothing of size T·S exists.
    for (Index t = 0; t < T; ++t) {
        Tensor scores = half(matmul(rq.slice(2, t, t + 1), rk) / root);
        if (blocked.defined())
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index s = 0; s < S; ++s)
                        if (blocked(b, h, t, s)) scores(b, h, 0, s) = -infinity;
        context.slice(2, t, t + 1).copy_from(half(matmul(softmax_in_half(scores, Total::in_float), rv)));
    }
    return context;
}

Tensor row_scales(const Tensor& x) {
    expect_four(x.shape());
    const Rows rows(x);
    Tensor scales = Tensor::zeros(one_per_row(x.shape()));
    for (Index row = 0; row < rows.count(); ++row) {
        // 255 codes, so 254 steps from the least number to the largest
        const auto [least, largest] = std::minmax_element(rows.begin(row), rows.end(row));
        scales.data()[row] = (*largest - *least) / 254;
    }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    expect_four(x.shape());
    expect(scales.shape() == one_per_row(x.shape()), "to_int8: one scale per row is needed");
    const Rows rows(x);
    Int8Rows result{x.shape(), {}, scales.contiguous().clone()};
    for (Index row = 0; row < rows.count(); ++row) {
        const float scale = result.scales.data()[row];
        expect(!(scale < 0), "to_int8: a scale is negative");
        for (const float* number = rows.begin(row); number != rows.end(row); ++number) {
            const float exact = scale > 0 ? *number / scale : 0;
            const float inside = std::min(std::max(exact, -127.0F), 127.0F);
            result.codes.push_back(static_cast<std::int8_t>(std::round(inside)));
        }
    }
    return result;
}

Tensor from_int8(const Int8Rows& rows) {
    expect_consistent(rows);
    Tensor x = Tensor::zeros(rows.shape);
    const Tensor scales = rows.scales.contiguous();
    auto code = rows.codes.begin();
    float* number = x.data();
    for (Index row = 0; row < scales.numel(); ++row)
        for (Index i = 0; i < rows.shape[3]; ++i) *number++ = static_cast<float>(*code++) * scales.data()[row];
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    expect_qkv(k.shape(), k.shape(), v.shape());
    Int8Cache added{to_int8(k, row_scales(k)), to_int8(v, row_scales(v))};
    if (cache.k.shape.empty() && cache.v.shape.empty()) return added;
    expect_consistent(cache.k);
    expect_consistent(cache.v);
    expect_qkv(k.shape(), cache.k.shape, cache.v.shape);
    expect(cache.v.shape[3] == v.size(3), "append: the values do not fit");
    const auto join = [](const Int8Rows& old, const Int8Rows& more) {
        Int8Rows both{old.shape, {}, cat({old.scales, more.scales}, 2)};
        both.shape[2] = old.shape[2] + more.shape[2];
        auto from_old = old.codes.begin(), from_more = more.codes.begin();
        for (Index head = 0; head < old.shape[0] * old.shape[1]; ++head) {
            for (Index i = 0; i < old.shape[2] * old.shape[3]; ++i) both.codes.push_back(*from_old++);
            for (Index i = 0; i < more.shape[2] * more.shape[3]; ++i) both.codes.push_back(*from_more++);
        }
        return both;
    };
    return {join(cache.k, added.k), join(cache.v, added.v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    expect_qkv(q.shape(), cache.k.shape, cache.v.shape);
    expect_consistent(cache.k);
    expect_consistent(cache.v);
    // Products of codes, and scales afterwards: of keys on the scores, of values on the weights.
    const auto codes = [](const Int8Rows& rows) {
        return Tensor::of(rows.shape, std::vector<float>(rows.codes.begin(), rows.codes.end()));
    };
    const auto per_key = [](const Int8Rows& rows) {
        return rows.scales.contiguous().view({rows.shape[0], rows.shape[1], 1, rows.shape[2]});
    };
    Tensor scores = matmul(q, codes(cache.k).transpose(-2, -1)) * per_key(cache.k);
    scores = masked_fill(scores / std::sqrt(static_cast<float>(q.size(3))), mask, -infinity);
    Tensor largest = max(scores, -1, KeepAxis::yes);
    for (Index i = 0; i < largest.numel(); ++i)
        if (largest.data()[i] == -infinity) largest.data()[i] = 0;
    const Tensor weights = exp(scores - largest);
    Tensor total = sum(weights, -1, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    return matmul(weights / total * per_key(cache.v), codes(cache.v));
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    for (const Index size : {B, H, S, d, d_v}) expect(size >= 1, "cache_bytes: a size is below 1");
    Index bytes = 0;
    for (const Index width : {d, d_v}) {
        const Index numbers = B * H * S * width;
        if (kept == Kept::as_float) bytes += numbers * 4;
        if (kept == Kept::as_half) bytes += numbers * 2;
        if (kept == Kept::as_int8) bytes += numbers + B * H * S * 4;
    }
    return bytes;
}

}  // namespace headway::ex12
