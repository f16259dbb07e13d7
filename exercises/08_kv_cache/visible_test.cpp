#include "kv_cache.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

// Numbers to follow by hand: D = E = 1, one head of width 1, queries of 0, so that all visible keys get equal shares.
namespace headway::ex08 {
namespace {

constexpr float tolerance = 1e-5F;

/// k = x, v = 10·x, and the output is the context: the mean of 10·x over what a token sees.
void set_mean_of_tens(Projections& p) {
    for (Tensor& parameter : p.parameters()) parameter.fill(0);
    p.k_proj.weight.fill(1);
    p.v_proj.weight.fill(10);
    p.out_proj.weight.fill(1);
}

TEST(MakeCache, IsEmpty) {
    const Cache cache = make_cache(2, 3, 5, 4);
    ASSERT_EQ(cache.k.shape(), (Shape{2, 3, 5, 4}));
    ASSERT_EQ(cache.v.shape(), (Shape{2, 3, 5, 4}));
    EXPECT_EQ(cache.lengths, (std::vector<Index>{0, 0}));
    EXPECT_EQ(cache.k(1, 2, 4, 3), 0);
}

TEST(Append, WritesBehindWhatEachSequenceHas) {
    Cache cache = make_cache(2, 1, 4, 1);
    const Tensor first = Tensor::of({2, 1, 2, 1}, {1, 2, 5, 6});
    append(cache, first, first * 10.0F, {2, 1});  // the 6 is padding
    const Tensor second = Tensor::of({2, 1, 1, 1}, {3, 7});
    append(cache, second, second * 10.0F, {1, 1});
    EXPECT_EQ(cache.lengths, (std::vector<Index>{3, 2}));
    EXPECT_EQ(cache.k(0, 0, 0, 0), 1);
    EXPECT_EQ(cache.k(0, 0, 1, 0), 2);
    EXPECT_EQ(cache.k(0, 0, 2, 0), 3);
    EXPECT_EQ(cache.k(1, 0, 0, 0), 5);
    EXPECT_EQ(cache.k(1, 0, 1, 0), 7);  // not after the padding
    EXPECT_EQ(cache.v(1, 0, 1, 0), 70);
}

TEST(Append, RefusesWhatDoesNotFitAndLeavesTheCacheAlone) {
    Cache cache = make_cache(2, 1, 2, 1);
    const Tensor two = Tensor::ones({2, 1, 2, 1});
    append(cache, two, two, {1, 2});
    EXPECT_THROW(append(cache, two, two, {1, 1}), std::invalid_argument);  // sequence 1 is full
    EXPECT_EQ(cache.lengths, (std::vector<Index>{1, 2}));
    EXPECT_EQ(cache.k(0, 0, 1, 0), 0);  // sequence 0 had room, but it is all or nothing
}

TEST(DecodingMask, CountsFromTheLengthOfEachSequence) {
    const Mask mask = decoding_mask({0, 2}, 2, 4);
    ASSERT_EQ(mask.shape(), (Shape{2, 1, 2, 4}));
    // 1 = may not attend
    EXPECT_EQ(to_string(mask),
              "[[[[0, 1, 1, 1],\n"
              "   [0, 0, 1, 1]]],\n\n\n"
              " [[[0, 0, 0, 1],\n"
              "   [0, 0, 0, 0]]]]");
}

TEST(Decode, SeesWhatWasDecodedBefore) {
    Projections p(1, 1, Random{1});
    set_mean_of_tens(p);
    Cache cache = make_cache(1, 1, 4, 1);
    const Tensor y = decode(cache, p, Tensor::of({1, 2, 1}, {1, 3}), {2});
    ASSERT_EQ(y.shape(), (Shape{1, 2, 1}));
    EXPECT_NEAR(y(0, 0, 0), 10, tolerance);  // sees itself
    EXPECT_NEAR(y(0, 1, 0), 20, tolerance);  // (10 + 30) / 2
    const Index rows = nn::rows_through_linear();
    EXPECT_NEAR(decode(cache, p, Tensor::of({1, 1, 1}, {8}), {1})(0, 0, 0), 40, tolerance);  // (10 + 30 + 80) / 3
    EXPECT_LE(nn::rows_through_linear() - rows, 4);  // one token, four projections
}

}  // namespace
}  // namespace headway::ex08
