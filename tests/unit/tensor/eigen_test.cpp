#include "naive.hpp"

#include <headway/eigen.hpp>
#include <headway/work.hpp>

#include <gmock/gmock.h>

#include <stdexcept>

namespace headway {
namespace {

/// Number by number, in double.
template <class Left, class Right>
EigenMatrix number_by_number(const Left& left, const Right& right) {
    const EigenMatrix a = left, b = right;
    EigenMatrix product(a.rows(), b.cols());
    for (Index r = 0; r < a.rows(); ++r)
        for (Index c = 0; c < b.cols(); ++c) {
            double sum = 0;
            for (Index k = 0; k < a.cols(); ++k) sum += static_cast<double>(a(r, k)) * static_cast<double>(b(k, c));
            product(r, c) = static_cast<float>(sum);
        }
    return product;
}

/// A matrix that lies in memory in any way.
Tensor any_matrix(Random& random, Index rows, Index cols) {
    return naive::random_view(random, {rows, cols}, naive::Repeats::yes);
}

MATCHER_P(IsCloseTo, expected, "") {
    return arg.rows() == expected.rows() && arg.cols() == expected.cols() && !arg.array().isNaN().any() &&
           (arg.size() == 0 || (arg - expected).cwiseAbs().maxCoeff() < 1e-5F * (1 + expected.cwiseAbs().maxCoeff()));
}

TEST(EigenProducts, OfMatricesThatLieInMemoryInAnyWay) {
    Random random(102);
    for (int round = 0; round < 200; ++round) {
        const Index rows = random.integer(1, 30), depth = random.integer(0, 30), cols = random.integer(1, 30);
        const Tensor in_a = any_matrix(random, rows, depth), in_b = any_matrix(random, depth, cols);
        const EigenMap a = as_eigen(in_a), b = as_eigen(in_b);
        const EigenMatrix expected = number_by_number(a, b);
        const EigenMatrix by_rows = a * b;
        const Eigen::MatrixXf by_cols = a * b;
        ASSERT_THAT(by_rows, IsCloseTo(expected));
        ASSERT_THAT(by_cols, IsCloseTo(expected));

        EigenMatrix wide = EigenMatrix::Constant(rows + 2, cols + 3, 7);
        wide.block(1, 2, rows, cols).noalias() = a * b;
        ASSERT_THAT(wide.block(1, 2, rows, cols), IsCloseTo(expected));
        wide.block(1, 2, rows, cols).setConstant(7);
        ASSERT_EQ(wide.minCoeff(), 7) << "written beside the block";
        ASSERT_EQ(wide.maxCoeff(), 7) << "written beside the block";
    }
}

TEST(EigenProducts, OfExpressions) {
    Random random(103);
    for (int round = 0; round < 50; ++round) {
        const Index n = random.integer(1, 25), m = random.integer(1, 25);
        const Tensor in_a = any_matrix(random, n, m), in_b = any_matrix(random, n, m);
        const EigenMap a = as_eigen(in_a), b = as_eigen(in_b);
        const EigenMatrix expected = number_by_number(a.transpose(), b);
        EigenMatrix sum = a.transpose() * b;
        ASSERT_THAT(sum, IsCloseTo(expected));
        sum += a.transpose() * b;
        sum.noalias() -= (2.0F * a).transpose() * (-b);
        ASSERT_THAT(sum, IsCloseTo(EigenMatrix(4.0F * expected)));
        sum = 0.5F * (a.transpose() * b) + expected;
        ASSERT_THAT(sum, IsCloseTo(EigenMatrix(1.5F * expected)));

        EigenMatrix square = a.transpose() * a;
        const EigenMatrix squared = number_by_number(square, square);
        square = square * square;  // its own factor
        ASSERT_LT((square - squared).norm(), 1e-4F * (1 + squared.norm()));
    }
}

TEST(EigenProducts, OfAMatrixAndAVector) {
    Random random(104);
    for (int round = 0; round < 50; ++round) {
        const Index rows = random.integer(1, 40), cols = random.integer(1, 40);
        const Tensor in_a = any_matrix(random, rows, cols), in_column = any_matrix(random, cols, 1);
        const EigenMap a = as_eigen(in_a), column = as_eigen(in_column);
        const Eigen::VectorXf v = column.col(0);
        Eigen::VectorXf right = a * v;
        ASSERT_THAT(right, IsCloseTo(number_by_number(a, v)));
        right += a * column.col(0);
        ASSERT_THAT(right, IsCloseTo(EigenMatrix(2 * number_by_number(a, v))));
        const Eigen::RowVectorXf left = a.col(0).transpose() * a;
        ASSERT_THAT(left, IsCloseTo(number_by_number(a.col(0).transpose(), a)));
        ASSERT_NEAR((v.transpose() * v)(0), v.squaredNorm(), 1e-5F * (1 + v.squaredNorm()));
    }
}

TEST(EigenProducts, OfOtherSizesAndScalarsAreEigensOwn) {
    const Eigen::Matrix2f turn = (Eigen::Matrix2f() << 0, -1, 1, 0).finished();
    EXPECT_EQ(turn * turn, Eigen::Matrix2f(-Eigen::Matrix2f::Identity()));
    const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(20, 30);
    EXPECT_EQ(ones * ones.transpose(), Eigen::MatrixXd(Eigen::MatrixXd::Constant(20, 20, 30)));
}

/// The point of it: a product of floats is not compiled where it stands.
TEST(EigenProducts, AreMadeByTheEngine) {
    const EigenMatrix a = EigenMatrix::Ones(3, 5), b = EigenMatrix::Ones(5, 7);
    const Index before = multiply_adds();
    const EigenMatrix product = a * b;
    EXPECT_EQ(product, EigenMatrix(EigenMatrix::Constant(3, 7, 5)));
    EXPECT_EQ(multiply_adds() - before, 3 * 5 * 7);
}

TEST(AsEigen, SeesAnyRankTwoSliceWithoutCopying) {
    Random random(101);
    for (int round = 0; round < 50; ++round) {
        const Shape shape = naive::random_shape(random, 3, 3, 1, 5);
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        const Tensor slice = x[random.integer(0, x.size(0) - 1)];
        const EigenMap map = as_eigen(slice);
        ASSERT_EQ(map.rows(), slice.size(0));
        ASSERT_EQ(map.cols(), slice.size(1));
        for (Index r = 0; r < map.rows(); ++r)
            for (Index c = 0; c < map.cols(); ++c) ASSERT_EQ(map(r, c), slice(r, c));
    }
}

TEST(AsEigen, WritesToTheTensor) {
    const Tensor x = Tensor::zeros({2, 3});
    as_eigen(x.transpose(0, 1))(2, 1) = 5;
    EXPECT_EQ(x(1, 2), 5);
    as_eigen(x) = as_eigen(Tensor::ones({2, 1})) * as_eigen(Tensor::rows({{1, 2, 3}}));
    EXPECT_THAT(naive::numbers(x), testing::ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(AsEigen, RefusesOtherRanks) {
    EXPECT_THAT(
        [] {
            as_eigen(Tensor::zeros({2, 3, 4}));
        },
        testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("take a slice first")));
    EXPECT_THROW(as_eigen(Tensor{}), std::invalid_argument);
}

}  // namespace
}  // namespace headway
