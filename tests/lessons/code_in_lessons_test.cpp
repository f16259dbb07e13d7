// The code that stands in the lessons compiles and does what the lesson says.
#include <headway/eigen.hpp>
#include <headway/nn.hpp>
#include <headway/random.hpp>
#include <single_head.hpp>

#include <gtest/gtest.h>

namespace headway {
namespace {

using ex01::softmax_rows;

// ---- lesson 01
// --------------------------------------------------------------------------------------------------------

Tensor raw_attention(const Tensor& x) {
    // x (T, D) -> (T, D)
    const Tensor scores = matmul(x, x.transpose(0, 1));  // (T, D) · (D, T) = (T, T)
    return matmul(softmax_rows(scores), x);              // (T, T) · (T, D)
}

Tensor raw_scores(const Tensor& x) {
    Tensor scores = Tensor::empty({x.size(0), x.size(0)});
    as_eigen(scores) = as_eigen(x) * as_eigen(x).transpose();  // writes into the tensor's storage
    return scores;
}

TEST(CodeOfLesson01, RawAttentionAveragesRows) {
    const Tensor y = raw_attention(Tensor::rows({{20, 0}, {0, 20}}));  // each token is alike to itself only
    EXPECT_NEAR(y(0, 0), 20, 1e-5);
    EXPECT_NEAR(y(1, 0), 0, 1e-5);
}

TEST(CodeOfLesson01, EigenComputesTheSameScores) {
    const Tensor x = Random(1).normal({4, 3});
    const Tensor with_eigen = raw_scores(x);
    const Tensor with_tensors = matmul(x, x.transpose(0, 1));
    for (Index t = 0; t < 4; ++t)
        for (Index s = 0; s < 4; ++s) EXPECT_NEAR(with_eigen(t, s), with_tensors(t, s), 1e-5);
}

// ---- lesson 05
// --------------------------------------------------------------------------------------------------------

class Projected : public nn::Module {
public:
    explicit Projected(Index width, std::uint64_t seed) : random_(seed), proj_(width, width, nn::Bias::yes, random_) {
        register_module("proj", proj_);
    }

private:
    Random random_;  // first: members are constructed in the order of declaration
    nn::Linear proj_;
};

TEST(CodeOfLesson05, AModuleNamesTheParametersOfItsChildren) {
    const Projected module(3, 1);
    const auto named = module.named_parameters();
    ASSERT_EQ(named.size(), 2U);
    EXPECT_EQ(named[0].first, "proj.weight");
    EXPECT_EQ(named[1].first, "proj.bias");
}

}  // namespace
}  // namespace headway
