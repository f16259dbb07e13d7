#include "naive.hpp"

#include <headway/eigen.hpp>

#include <gmock/gmock.h>

#include <stdexcept>

namespace headway {
namespace {

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
