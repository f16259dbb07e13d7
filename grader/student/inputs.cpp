#include "student/inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headway::judge {

Sizes random_sizes(Random& random) {
    // B and H are small, to keep tensors small; the rest is drawn from what is left.
    std::array<Index, 8> pool{3, 5, 6, 7, 9, 10, 11, 13};
    const auto shuffle = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i + 1 < end; ++i)
            std::swap(
                pool[i],
                pool[static_cast<std::size_t>(random.integer(static_cast<Index>(i), static_cast<Index>(end) - 1))]);
    };
    shuffle(0, 4);
    shuffle(2, pool.size());
    return {pool[0], pool[1], pool[2], pool[3], pool[4], pool[5]};
}

Tensor random_tensor(Random& random, const Shape& shape) { return random.normal(shape); }

Tensor with_zeros(const Tensor& tensor) {
    Tensor zeros = tensor.clone();
    for (Index i = 1; i < zeros.numel(); i += 3) zeros.data()[i] = 0.0F;
    return zeros;
}

Tensor strided(const Tensor& tensor) {
    Shape wide = tensor.shape();
    for (Index& size : wide) size = 2 * size + 1;
    const Tensor storage = Tensor::full(wide, 77.0F);
    Strides strides = storage.strides();
    Index offset = 0;
    for (Index& stride : strides) {
        offset += stride;
        stride *= 2;
    }
    Tensor view = storage.as_strided(tensor.shape(), strides, offset);
    view.copy_from(tensor);
    return view;
}

Mask random_mask(Random& random, const Shape& shape) {
    Mask mask = Mask::allow_all(shape);
    const Index S = shape.back();
    for (Index i = 0; i < mask.numel(); ++i) mask.data()[i] = random.uniform() < 1.0F / 3.0F;
    for (Index row = 0; row < mask.numel() / S; ++row) mask.data()[row * S + random.integer(0, S - 1)] = false;
    return mask;
}

Mask cut_mask(Random& random, const Shape& shape) {
    Shape larger = shape;
    ++larger.back();
    const Mask whole = random_mask(random, larger);
    return whole.as_strided(shape, whole.strides(), 1);
}

Mask transposed_mask(Random& random, Index T, Index S) {
    return random_mask(random, {S, T}).as_strided({T, S}, {1, T}, 0);
}

std::vector<Mask> mask_views(Random& random, const Shape& scores) {
    const Index B = scores[0], H = scores[1], T = scores[2], S = scores[3];
    return {transposed_mask(random, T, S), cut_mask(random, {T, S}), cut_mask(random, {1, H, T, S}),
            cut_mask(random, {B, 1, 1, S}), cut_mask(random, scores)};
}

namespace {

/// What the first feature of a query is, and that of a key, whose product over √d is `score`.
std::array<float, 2> factors_of(float score, Index d) {
    const float root = std::sqrt(std::abs(score));
    return {root, std::copysign(root, score) * std::sqrt(static_cast<float>(d))};
}

}  // namespace

void bring_scores_to(float score, Tensor& q, Tensor& k) {
    const auto [of_query, of_key] = factors_of(score, q.size(3));
    q = q.contiguous().clone();
    k = k.contiguous().clone();
    q.select(3, 0).fill(of_query);
    k.select(3, 0).fill(of_key);
}

void bring_scores_to(float score, Index num_heads, const Tensor& q_weight, const Tensor& k_weight) {
    const Index d = q_weight.size(0) / num_heads;
    const auto [of_query, of_key] = factors_of(score, d);
    for (Index h = 0; h < num_heads; ++h)
        for (const auto& [weight, first] : {std::pair{q_weight, of_query}, std::pair{k_weight, of_key}}) {
            Tensor feature = weight.select(0, h * d);
            feature.fill(0);
            feature(0) = first;
        }
}

Mask largest_blocked(const reference::Array& weights) {
    Mask mask = Mask::allow_all(weights.shape);
    const Index T = weights.shape[2], S = weights.shape[3];
    for (Index row = 0; row < mask.numel() / S; ++row) {
        const auto begin = weights.value.begin() + row * S;
        if (row % T % 2 == 0) mask.data()[row * S + (std::max_element(begin, begin + S) - begin)] = true;
    }
    return mask;
}

}  // namespace headway::judge
