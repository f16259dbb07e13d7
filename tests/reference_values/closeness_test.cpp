// The comparison can fail: at the size of an error that counts, at every element, and for what is no number.
#include "closeness.hpp"

#include <headway/random.hpp>

#include <limits>

namespace headway::beside_pytorch {
namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Tensor some() { return Random(3).normal({2, 3, 5}); }

Tensor with(Index element, float value) {
    Tensor changed = some();
    changed.data()[element] = value;
    return changed;
}

TEST(Closeness, AcceptsWhatIsEqualUpToRounding) {
    EXPECT_TRUE(close(some(), some()));
    EXPECT_TRUE(close(some() + 5e-6F, some()));
    EXPECT_TRUE(close(some().transpose(0, 2).contiguous().transpose(0, 2), some())) << "whatever the strides";
}

TEST(Closeness, RefusesAWrongNumberAtEveryElement) {
    for (Index i = 0; i < some().numel(); ++i) {
        const float right = some().data()[i];
        EXPECT_FALSE(close(with(i, right + 2e-5F), some())) << i;
        EXPECT_FALSE(close(with(i, right - 2e-5F), some())) << i;
    }
}

TEST(Closeness, RefusesWhatIsNoNumberOnEitherSideAndOnBoth) {
    for (const float value : {nan_value, infinity, -infinity})
        for (const Index i : {Index{0}, Index{7}, Index{29}}) {
            EXPECT_FALSE(close(with(i, value), some())) << value;
            EXPECT_FALSE(close(some(), with(i, value))) << value;
            EXPECT_FALSE(close(with(i, value), with(i, value))) << value;
        }
}

TEST(Closeness, ANaNIsNotForgottenForALaterErrorOrALaterMatch) {
    Tensor bad = with(4, nan_value);
    bad.data()[9] += 1.0F;
    EXPECT_FALSE(close(bad, some()));
}

TEST(Closeness, RefusesAnotherShapeEvenIfItBroadcasts) {
    EXPECT_FALSE(close(Tensor::ones({1, 5}), Tensor::ones({3, 5})));
    EXPECT_FALSE(close(Tensor::ones({5, 3}), Tensor::ones({3, 5})));
    EXPECT_FALSE(close(Tensor::ones({15}), Tensor::ones({3, 5})));
}

}  // namespace
}  // namespace headway::beside_pytorch
