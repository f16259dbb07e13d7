// What is a factor times what it should be is told by that factor: a size of the call, or 0.
#include "diagnosis/constant_factor.hpp"

#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

Arguments heads(Index B, Index H, Index T) {
    Random random(static_cast<std::uint64_t>(100 * B + 10 * H + T));
    return {{"q", judge::random_tensor(random, {B, H, T, 4})}};
}

/// Observations of a function that should return q.
std::vector<Observation> times(const std::vector<Arguments>& calls,
                               const std::function<double(const Tensor&)>& factor) {
    std::vector<Observation> all;
    for (const Arguments& call : calls) {
        const Tensor q = tensor(call, "q");
        Array seen = reference::exact(q);
        for (double& x : seen.value) x *= factor(q);
        all.push_back(
            {call, Answer::of(std::move(seen)), [q](const Choices&) { return Answer::of(reference::exact(q)); }});
    }
    return all;
}

TEST(FactorInSizes, OneSizeIsNamed) {
    const auto by_heads = [](const Tensor& q) { return 1 / static_cast<double>(q.size(1)); };
    EXPECT_EQ(factor_in_sizes(times({heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)}, by_heads)),
              "every number is 1 / H times what it should be");
}

TEST(FactorInSizes, ARatioIsNamed) {
    const auto ratio = [](const Tensor& q) { return static_cast<double>(q.size(2)) / static_cast<double>(q.size(0)); };
    EXPECT_EQ(factor_in_sizes(times({heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)}, ratio)),
              "every number is T / B times what it should be");
}

TEST(FactorInSizes, TwoSizesThatAreEqualAreNotTold) {
    const auto by_heads = [](const Tensor& q) { return 1 / static_cast<double>(q.size(1)); };
    EXPECT_EQ(factor_in_sizes(times({heads(3, 3, 5), heads(5, 5, 4), heads(2, 2, 3)}, by_heads)), "");
}

TEST(FactorInSizes, AConstantIsNoSize) {
    EXPECT_EQ(factor_in_sizes(times({heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)}, [](const Tensor&) { return 2; })),
              "");
}

TEST(ZerosIn, AreToldWhereverTheyAre) {
    const auto zero_for_two = [](const Tensor& q) { return q.size(0) == 2 ? 0 : 3; };
    EXPECT_EQ(zeros_in(wrong_pairs(times({heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)}, zero_for_two))),
              std::vector<std::string>{"every number of the result is 0, in 1 of 3 answers that are wrong"});
    EXPECT_EQ(zeros_in(wrong_pairs(times({heads(2, 3, 5)}, zero_for_two))),
              std::vector<std::string>{"every number of the result is 0, in each answer that is wrong"});
    EXPECT_TRUE(zeros_in(wrong_pairs(times({heads(3, 3, 5)}, zero_for_two))).empty());
}

}  // namespace
}  // namespace headway::diagnosis
