#include "small_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float half_of(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000U;
    std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude >= 0x7f800000U) return x;                                         // infinities, NaN
    if (magnitude >= 0x477ff000U) return std::bit_cast<float>(sign | 0x7f800000U);  // 65,520 and up
    if (magnitude < 0x38800000U) {                                                  // below 2^-14
        const float steps = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F);
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(steps * 0x1p-24F));
    }
    magnitude += 0x0fffU + ((magnitude >> 13) & 1U);
    magnitude &= ~0x1fffU;
    return std::bit_cast<float>(sign | magnitude);
}

float bfloat16_of(float x) {
    if (std::isnan(x)) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    bits += 0x7fffU + ((bits >> 16) & 1U);
    bits &= 0xffff0000U;
    return std::bit_cast<float>(bits);
}

float round_one(float x, Format format) { return format == Format::half ? half_of(x) : bfloat16_of(x); }

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

void check_qkv(const Shape& q, const Shape& k, const Shape& v) {
    require(q.size() == 4 && k.size() == 4 && v.size() == 4, "q, k and v need four axes");
    require(q[0] == k[0] && q[0] == v[0], "batch sizes differ");
    require(q[1] == k[1] && q[1] == v[1], "numbers of heads differ");
    require(q[3] == k[3], "head_dim of q and k differ");
    require(k[2] == v[2], "numbers of keys and values differ");
}

Int8Rows joined(const Int8Rows& old, const Int8Rows& fresh) {
    if (old.shape.empty()) return fresh;
    require(old.shape.size() == 4 && old.shape[0] == fresh.shape[0] && old.shape[1] == fresh.shape[1] &&
                old.shape[3] == fresh.shape[3],
            "append: the new tokens do not fit the cache");
    require(old.scales.shape() == Shape({old.shape[0], old.shape[1], old.shape[2]}), "append: scales do not fit");
    require(static_cast<Index>(old.codes.size()) == old.shape[0] * old.shape[1] * old.shape[2] * old.shape[3],
            "append: codes do not fit");
    Int8Rows all;
    const Index heads = old.shape[0] * old.shape[1];
    const Index before = old.shape[2] * old.shape[3];
    const Index added = fresh.shape[2] * fresh.shape[3];
    all.shape = {old.shape[0], old.shape[1], old.shape[2] + fresh.shape[2], old.shape[3]};
    all.codes.reserve(static_cast<std::size_t>(heads * (before + added)));
    for (Index head = 0; head < heads; ++head) {
        all.codes.insert(all.codes.end(), old.codes.begin() + head * before, old.codes.begin() + (head + 1) * before);
        all.codes.insert(all.codes.end(), fresh.codes.begin() + head * added, fresh.codes.begin() + (head + 1) * added);
    }
    all.scales = cat({old.scales, fresh.scales}, 2);
    return all;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Tensor source = x.contiguous();
    Tensor result = Tensor::empty(x.shape());
    const float* from = source.data();
    float* to = result.data();
    for (Index i = 0; i < source.numel(); ++i) to[i] = round_one(from[i], format);
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    require(x.rank() >= 1, "sum_in: no axis to sum along");
    const Tensor source = x.contiguous();
    Shape shape = x.shape();
    const Index n = shape.back();
    shape.back() = 1;
    Tensor result = Tensor::empty(shape);
    for (Index row = 0; row < result.numel(); ++row) {
        const float* numbers = source.data() + row * n;
        float total = 0;
        for (Index i = 0; i < n; ++i) total = round_one(total + numbers[i], format);
        result.data()[row] = total;
    }
    return result;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    require(scores.rank() >= 1, "softmax_in_half: scores have no axis");
    const Tensor source = scores.contiguous();
    const Index n = scores.size(-1);
    const Index rows = source.numel() / n;
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index row = 0; row < rows; ++row) {
        const float* in = source.data() + row * n;
        float* out = weights.data() + row * n;
        float largest = -kInfinity;
        for (Index i = 0; i < n; ++i) largest = std::max(largest, half_of(in[i]));
        if (largest == -kInfinity) continue;
        float sum = 0;
        for (Index i = 0; i < n; ++i) {
            out[i] = half_of(std::exp(half_of(half_of(in[i]) - largest)));
            sum += out[i];
            if (total == Total::in_half) sum = half_of(sum);
        }
        for (Index i = 0; i < n; ++i) out[i] = half_of(out[i] / sum);
    }
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_qkv(q.shape(), k.shape(), v.shape());
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    const Tensor products = matmul(rounded(q, Format::half), rounded(k, Format::half).transpose(-2, -1));
    const Tensor scores = masked_fill(rounded(products / root, Format::half), mask, -kInfinity);
    const Tensor weights = softmax_in_half(scores, Total::in_float);
    return rounded(matmul(weights, rounded(v, Format::half)), Format::half);
}

Tensor row_scales(const Tensor& x) {
    require(x.rank() == 4, "row_scales: four axes are needed");
    const Tensor source = x.contiguous();
    const Index width = x.size(3);
    Tensor scales = Tensor::empty({x.size(0), x.size(1), x.size(2)});
    for (Index row = 0; row < scales.numel(); ++row) {
        const float* numbers = source.data() + row * width;
        float largest = 0;
        for (Index i = 0; i < width; ++i) largest = std::max(largest, std::fabs(numbers[i]));
        scales.data()[row] = largest / 127.0F;
    }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    require(x.rank() == 4, "to_int8: four axes are needed");
    require(scales.shape() == Shape({x.size(0), x.size(1), x.size(2)}), "to_int8: one scale per row is needed");
    const Tensor source = x.contiguous();
    const Tensor steps = scales.contiguous();
    const Index width = x.size(3);
    Int8Rows rows{x.shape(), std::vector<std::int8_t>(static_cast<std::size_t>(x.numel()), 0), scales.clone()};
    for (Index row = 0; row < steps.numel(); ++row) {
        const float scale = steps.data()[row];
        require(!(scale < 0), "to_int8: a scale is negative");
        if (scale == 0) continue;
        for (Index i = 0; i < width; ++i) {
            const int nearest = static_cast<int>(std::nearbyint(source.data()[row * width + i] / scale));
            rows.codes[static_cast<std::size_t>(row * width + i)] =
                static_cast<std::int8_t>(std::clamp(nearest, -127, 127));
        }
    }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    require(rows.shape.size() == 4, "from_int8: four axes are needed");
    require(rows.scales.shape() == Shape(rows.shape.begin(), rows.shape.end() - 1), "from_int8: scales do not fit");
    Tensor x = Tensor::empty(rows.shape);
    require(x.numel() == static_cast<Index>(rows.codes.size()), "from_int8: codes do not fit");
    const Tensor scales = rows.scales.contiguous();
    const Index width = rows.shape[3];
    for (Index i = 0; i < x.numel(); ++i)
        x.data()[i] = static_cast<float>(rows.codes[static_cast<std::size_t>(i)]) * scales.data()[i / width];
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    require(k.rank() == 4 && v.rank() == 4, "append: k and v need four axes");
    require(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "append: k and v differ");
    require(cache.k.shape.empty() == cache.v.shape.empty(), "append: a cache of keys or values alone");
    require(cache.k.shape.empty() ||
                (cache.k.shape.size() == 4 && cache.v.shape.size() == 4 && cache.k.shape[2] == cache.v.shape[2]),
            "append: a cache with more keys than values");
    return {joined(cache.k, to_int8(k, row_scales(k))), joined(cache.v, to_int8(v, row_scales(v)))};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k);
    const Tensor v = from_int8(cache.v);
    check_qkv(q.shape(), k.shape(), v.shape());
    return given::scaled_dot_product_context(q, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    require(B >= 1 && H >= 1 && S >= 1 && d >= 1 && d_v >= 1, "cache_bytes: a size is below 1");
    const Index rows = B * H * S;
    const Index numbers = rows * (d + d_v);
    switch (kept) {
        case Kept::as_float:
            return 4 * numbers;
        case Kept::as_half:
            return 2 * numbers;
        case Kept::as_int8:
            return numbers + 2 * 4 * rows;
    }
    throw std::invalid_argument("cache_bytes: no such way to keep them");
}

}  // namespace headway::ex12
