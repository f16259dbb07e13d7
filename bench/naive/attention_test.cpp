// A student's attention on Eigen and its tests in one program, as many courses have it.
#include <Eigen/Core>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix attention_scores(const Matrix& q, const Matrix& k) {
    return q * k.transpose() / std::sqrt(static_cast<float>(q.cols()));
}

Matrix masked_softmax(const Matrix& scores, const std::vector<std::vector<bool>>& blocked) {
    Matrix weights = Matrix::Zero(scores.rows(), scores.cols());
    for (Eigen::Index t = 0; t < scores.rows(); ++t) {
        float largest = -INFINITY;
        for (Eigen::Index s = 0; s < scores.cols(); ++s)
            if (!blocked[t][s]) largest = std::max(largest, scores(t, s));
        float total = 0;
        for (Eigen::Index s = 0; s < scores.cols(); ++s)
            if (!blocked[t][s]) total += weights(t, s) = std::exp(scores(t, s) - largest);
        if (total > 0) weights.row(t) /= total;
    }
    return weights;
}

Matrix attention(const Matrix& q, const Matrix& k, const Matrix& v, const std::vector<std::vector<bool>>& blocked) {
    return masked_softmax(attention_scores(q, k), blocked) * v;
}

std::vector<std::vector<bool>> causal_mask(Eigen::Index T, Eigen::Index S) {
    std::vector<std::vector<bool>> mask(T, std::vector<bool>(S));
    for (Eigen::Index t = 0; t < T; ++t)
        for (Eigen::Index s = 0; s < S; ++s) mask[t][s] = s > t + (S - T);
    return mask;
}

TEST(Attention, ScoresAreScaled) {
    const Matrix q = Matrix::Ones(3, 5);
    const Matrix k = Matrix::Ones(7, 5);
    EXPECT_NEAR(attention_scores(q, k)(1, 2), 5 / std::sqrt(5.0F), 1e-5);
}

TEST(Attention, RowsSumToOne) {
    const Matrix weights = masked_softmax(Matrix::Random(5, 7), causal_mask(5, 7));
    for (Eigen::Index t = 0; t < 5; ++t) EXPECT_NEAR(weights.row(t).sum(), 1, 1e-5);
}

TEST(Attention, CausalMaskBlocksTheFuture) {
    const Matrix weights = masked_softmax(Matrix::Random(5, 5), causal_mask(5, 5));
    EXPECT_EQ(weights(0, 1), 0);
    EXPECT_GT(weights(4, 4), 0);
}

TEST(Attention, ContextIsAnAverage) {
    const Matrix context = attention(Matrix::Random(5, 6), Matrix::Random(7, 6), Matrix::Ones(7, 9), causal_mask(5, 7));
    EXPECT_NEAR(context(3, 4), 1, 1e-5);
}

}  // namespace
