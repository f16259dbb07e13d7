// Equal calls may differ in the order of sums, and in nothing else.
#include "student/repeated.hpp"

#include "student/expect.hpp"
#include "student/test_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway::judge {
namespace {

const Tensor answered = Tensor::of({2, 3}, {0.0F, 1e-3F, 1.0F, -2.0F, 5.0F, 1e-6F});

Tensor with(Index at, float number) {
    Tensor other = answered.clone();
    other.data()[at] = number;
    return other;
}

bool may_repeat(const Tensor& other) { return judge::may_repeat(reference::exact(answered), reference::exact(other)); }

TEST(Repeated, TheLastDigitsMayDiffer) {
    EXPECT_TRUE(may_repeat(answered));
    EXPECT_TRUE(may_repeat(with(4, std::nextafter(5.0F, 6.0F))));
    EXPECT_TRUE(may_repeat(with(5, 0.0F))) << "a sum of large numbers that cancel";
}

TEST(Repeated, ThousandthsMayNot) {
    EXPECT_FALSE(may_repeat(with(4, 5.0F * 1.001F)));
    EXPECT_FALSE(may_repeat(with(4, 5.0F * 1.0001F)));
    EXPECT_FALSE(may_repeat(with(1, 0.0F)));
}

TEST(Repeated, ItIsLessRoomThanCreditHas) {
    const reference::Array on_credit = own(answered), again = repeated(answered);
    EXPECT_LT(again.error[4] * 10, on_credit.error[4]);
}

TEST(Repeated, ShapesAndWhatIsNotFiniteStay) {
    EXPECT_FALSE(may_repeat(answered.view({3, 2})));
    const Tensor nan = with(0, std::nanf("")), infinite = with(0, INFINITY);
    EXPECT_FALSE(may_repeat(nan));
    const auto both = [](const Tensor& a, const Tensor& b) {
        return judge::may_repeat(reference::exact(a), reference::exact(b));
    };
    EXPECT_TRUE(both(nan, nan));
    EXPECT_TRUE(both(infinite, infinite));
    EXPECT_FALSE(both(infinite, with(0, -INFINITY)));
    EXPECT_FALSE(both(nan, answered));
}

TEST(Repeated, ARightAnswersBoundsAreRoomToo) {
    const reference::Array first = reference::exact(answered);
    reference::Array right = first;
    right.error[4] = 1e-2;
    right.value[5] += 1e-3;  // it is wrong there: what cannot be rounded is another number
    const auto bounded = [&](const Tensor& other) { return judge::may_repeat(first, reference::exact(other), &right); };
    EXPECT_TRUE(bounded(with(4, 5.0F * 1.001F)));
    EXPECT_FALSE(bounded(with(4, 5.0F * 1.1F)));
    EXPECT_FALSE(bounded(with(0, 1e-5F))) << "an exact zero, as of a blocked key";
    EXPECT_TRUE(bounded(with(5, 1e-5F)));
    right.shape = {6};
    EXPECT_FALSE(bounded(with(4, 5.0F * 1.001F)));
}

TEST(Repeated, TwoModulesMayDifferAsMuch) {
    const CheckedPart part{"outputs", Stage::output, {"row", "column"}};
    EXPECT_NO_THROW(expect_alike(part, with(4, std::nextafter(5.0F, 6.0F)), answered));
    EXPECT_THROW(expect_alike(part, with(4, 5.0F * 1.0001F), answered), StopTest);
}

}  // namespace
}  // namespace headway::judge
