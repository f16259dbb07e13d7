// Exercise 11 beside PyTorch, which computes all scores and masks them.
#include "cases.hpp"
#include "closeness.hpp"

#include "long_texts.hpp"

namespace headway::beside_pytorch {
namespace {

constexpr Index w = 3;

/// 1 where it blocks.
Tensor as_numbers(const Mask& mask) {
    const Mask dense = mask.clone();
    Tensor numbers = Tensor::zeros(dense.shape());
    for (Index i = 0; i < dense.numel(); ++i) numbers.data()[i] = dense.data()[i] ? 1.0F : 0.0F;
    return numbers;
}

Mask padding_of(const Case& value) {
    const Tensor stored = value["padding"];
    Mask padding = Mask::allow_all(stored.shape());
    for (Index i = 0; i < stored.numel(); ++i) padding.data()[i] = stored.data()[i] == 1.0F;
    return padding;
}

void expect_same(const std::string& name, const std::vector<Index>& globals) {
    const Case value(name);
    const Mask padding = padding_of(value);
    const Tensor q = value["q"], k = value["k"];
    EXPECT_TRUE(close(as_numbers(ex11::long_mask(q.size(2), k.size(2), w, globals, padding)), value["mask"])) << name;
    EXPECT_TRUE(close(ex11::window_attention(q, k, value["v"], w, globals, padding), value["result"])) << name;
}

TEST(OfLongTexts, WindowsGlobalTokensAndPaddingAgree) {
    expect_same("11/window", {});
    expect_same("11/globals", {0, 4});
    expect_same("11/padding", {1});
}

TEST(OfLongTexts, RingsAnswerAsIfAllWereKept) {
    const Case value("11/ring");
    const Tensor q = value["q"], k = value["k"], v = value["v"], due = value["result"];
    ex11::RingCache ring = ex11::make_ring(q.size(0), q.size(1), w, q.size(3), v.size(3));
    Index begin = 0;
    for (const Index n : {1, 2, 5, 1}) {
        const auto part = [&](const Tensor& x) { return x.slice(2, begin, begin + n); };
        EXPECT_TRUE(close(ex11::ring_decode(ring, part(q), part(k), part(v)), part(due))) << "from " << begin;
        begin += n;
    }
}

}  // namespace
}  // namespace headway::beside_pytorch
