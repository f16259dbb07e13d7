#include <headway/tensor.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace headway {
namespace {

TEST(Print, AMatrixShowsItsRowsInColumns) {
    EXPECT_EQ(to_string(Tensor::rows({{1, -20}, {0.5F, 3}})),
              "[[  1, -20],\n"
              " [0.5,   3]]");
}

TEST(Print, ShowsFourDigits) {
    EXPECT_EQ(to_string(Tensor::of({3}, {1.0F / 3, 123456, 1e-9F})), "[   0.3333, 1.235e+05,     1e-09]");
}

TEST(Print, HigherRanksAreSeparatedByEmptyLines) {
    EXPECT_EQ(to_string(Tensor::arange(8).as_strided({2, 2, 2}, {4, 2, 1})),
              "[[[0, 1],\n"
              "  [2, 3]],\n"
              "\n"
              " [[4, 5],\n"
              "  [6, 7]]]");
}

TEST(Print, LongAxesAreShortenedInTheMiddle) {
    EXPECT_EQ(to_string(Tensor::arange(8)), "[0, 1, 2, 3, 4, 5, 6, 7]");
    EXPECT_EQ(to_string(Tensor::arange(100)), "[ 0,  1,  2, ..., 97, 98, 99]");
    EXPECT_EQ(to_string(Tensor::arange(9).as_strided({9, 1}, {1, 1})),
              "[[0],\n [1],\n [2],\n ...,\n [6],\n [7],\n [8]]");
}

TEST(Print, ShowsWhatAViewShows) {
    EXPECT_EQ(to_string(Tensor::rows({{1, 2}, {3, 4}}).transpose(0, 1)), "[[1, 3],\n [2, 4]]");
}

TEST(Print, ScalarsEmptyAndUndefinedTensorsSayWhatTheyAre) {
    EXPECT_EQ(to_string(Tensor::of({}, {2.5F})), "2.5");
    EXPECT_EQ(to_string(Tensor::zeros({2, 0})), "[] of shape (2, 0)");
    EXPECT_EQ(to_string(Tensor{}), "undefined");
    EXPECT_EQ(to_string(Mask{}), "undefined");
    EXPECT_EQ(to_string(Mask::allow_all({0})), "[] of shape (0)");
}

TEST(Print, NotANumberAndInfinityAreVisible) {
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(to_string(Tensor::of({3}, {std::nanf(""), infinity, -infinity})), "[ nan,  inf, -inf]");
}

TEST(Print, MasksAreZerosAndOnes) {
    EXPECT_EQ(to_string(Mask::of({2, 2}, {false, true, false, false})), "[[0, 1],\n [0, 0]]");
}

TEST(Print, GoesToStreams) {
    std::ostringstream out;
    out << Tensor::arange(2);
    EXPECT_EQ(out.str(), "[0, 1]");
}

}  // namespace
}  // namespace headway
