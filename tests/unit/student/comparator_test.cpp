#include "student/expect.hpp"
#include "student/record_field.hpp"
#include "student/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headway::judge {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const CheckedPart anything{"numbers", Stage::scores, {"row", "column"}};

/// One that is never called.
Student a_student() { return {sandbox::trusted({}, sandbox::Trusted::tests_of_headway), {}}; }

TEST(Comparator, NaNAndInfinityNeverPass) {
    EXPECT_FALSE(close(std::nan(""), 1, infinity, 0));
    EXPECT_FALSE(close(1, std::nan(""), infinity, 0));
    EXPECT_FALSE(close(std::nan(""), std::nan(""), 1, 1));
    EXPECT_FALSE(close(infinity, infinity, 1, 1));
    EXPECT_FALSE(close(-infinity, 0, infinity, 0));
    EXPECT_FALSE(close(1, 1, std::nan(""), 0));
}

TEST(Comparator, BoundsAreInclusiveAndTwoSided) {
    EXPECT_TRUE(close(1.5, 1, 0.5, 0));
    EXPECT_TRUE(close(0.5, 1, 0.5, 0));
    EXPECT_FALSE(close(1.5000001, 1, 0.5, 0));
    EXPECT_TRUE(close(-11, -10, 0, 0.1));
    EXPECT_FALSE(close(-11.1, -10, 0, 0.1));
}

TEST(Comparator, BoundsThatHoldNearlyEveryAnswerAreBlind) {
    reference::Array expected = reference::exact(Tensor::of({2, 2}, {1, -2, 4, 0}));
    EXPECT_FALSE(is_blind(expected));
    expected.error = {1, 1, 0, 0};
    EXPECT_FALSE(is_blind(expected)) << "the other half is looked at";
    expected.error = {1, 1, 1, 0};
    EXPECT_TRUE(is_blind(expected));
    EXPECT_FALSE(is_blind(reference::exact(Tensor::zeros({3})))) << "zeros must be zeros";

    Student asked = a_student();
    expect_close(asked, anything, Tensor::of({2, 2}, {4, 1, 1, 0}), expected);
    expect_close(asked, anything, Tensor::ones({2, 2}), reference::exact(Tensor::ones({2, 2})));
    EXPECT_EQ(asked.test_record().comparisons.all, 2U);
    EXPECT_EQ(asked.test_record().comparisons.blind, 1U);
}

TEST(Comparator, ATensorThatWasNeverAssignedIsOfAnotherShape) {
    EXPECT_TRUE(reference::exact(Tensor{}).value.empty());
    for (const Shape& expected : {Shape{}, Shape{2, 3}})
        EXPECT_TRUE(difference(anything, Tensor{}, reference::exact(Tensor::ones(expected))));
}

TEST(Comparator, WhatIsWrongAgreesWithItsVerb) {
    const reference::Array expected = reference::exact(Tensor::of({1, 1}, {1}));
    const auto told = [&](const std::string& name) {
        return difference({name, Stage::scores, {"row", "column"}}, Tensor::of({1, 1}, {2}), expected)->message;
    };
    EXPECT_EQ(told("numbers in row-major order"), "your numbers in row-major order are wrong in 1 of 1 numbers");
    EXPECT_EQ(told("gradients of x"), "your gradients of x are wrong in 1 of 1 numbers");
    EXPECT_EQ(told("gradient of k_bias"), "your gradient of k_bias is wrong in 1 of 1 numbers");
    EXPECT_EQ(told("view of nothing"), "your view of nothing is wrong in 1 of 1 numbers");
}

TEST(Comparator, TheWorstCoordinateIsNamed) {
    Tensor actual = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
    const reference::Array expected = reference::exact(actual);
    EXPECT_FALSE(difference(anything, actual, expected));
    actual = actual.clone();
    actual(0, 1) = 2.5F;
    actual(1, 2) = 60;
    const auto failure = difference(anything, actual, expected);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->wrong_elements, 2);
    EXPECT_EQ(failure->all_elements, 6);
    EXPECT_EQ(failure->worst->coordinate, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(failure->worst->yours, 60);
}

TEST(Comparator, ThePlainDifferenceCountsNotThatInTolerances) {
    reference::Array expected = reference::exact(Tensor::of({3}, {1, 2, 3}));
    expected.error = {0, 0.01, 10};
    // 0.5 beyond a tiny bound, 2 beyond a wider one, and 30 within the widest.
    const auto failure = difference({"numbers", Stage::scores, {"feature"}}, Tensor::of({3}, {1.5F, 4, 33}), expected);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->wrong_elements, 2);
    EXPECT_EQ(failure->worst->coordinate, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(failure->worst->yours, 4);
}

TEST(Comparator, OneNaNIsTheWorstOfAll) {
    Tensor actual = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
    const reference::Array expected = reference::exact(actual);
    actual = actual.clone();
    actual(0, 0) = 1e30F;
    actual(1, 1) = std::nanf("");
    const auto failure = difference(anything, actual, expected);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->worst->coordinate, (std::vector<std::int64_t>{1, 1}));
}

TEST(Comparator, NoDistanceIsToldFromWhatIsNotFinite) {
    const Tensor own = Tensor::of({2, 2}, {1, static_cast<float>(infinity), std::nanf(""), 4});
    auto failure = difference(anything, own, reference::exact(own));
    ASSERT_TRUE(failure);
    EXPECT_FALSE(failure->worst);
    EXPECT_EQ(failure->message,
              "your numbers cannot be compared in 2 of 4 numbers: an answer of yours is NaN or "
              "infinite there");
    const Tensor other = Tensor::of({2, 2}, {1, 2, 3, 4.5F});
    failure = difference(anything, other, reference::exact(own));
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->wrong_elements, 3);
    EXPECT_EQ(failure->worst->coordinate, (std::vector<std::int64_t>{1, 1}));
}

TEST(Comparator, AnotherShapeIsAnotherTensor) {
    const reference::Array expected = reference::exact(Tensor::zeros({2, 3}));
    EXPECT_EQ(difference(anything, Tensor::zeros({3, 2}), expected)->kind, verdict::FailureKind::wrong_shape);
    EXPECT_EQ(difference(anything, Tensor::zeros({2, 3, 1}), expected)->kind, verdict::FailureKind::wrong_shape);
}

TEST(Comparator, CreditIsGivenOnlyForWhatFollowsFromOwnAnswers) {
    const Tensor right = Tensor::of({1, 2}, {1, 2});
    const Tensor follows = Tensor::of({1, 2}, {10, 20});
    const Tensor neither = Tensor::of({1, 2}, {10, 2});
    const auto nothing = [] { return std::nullopt; };
    const auto own = [&] { return std::optional(reference::exact(follows)); };
    Student student = a_student();
    const auto given = [&](const Tensor& actual, const Follows& from_own, bool is_computed) {
        expect_close_given(student, anything, actual, reference::exact(right), {"f"}, from_own,
                           [=](const reference::Array&) { return is_computed; });
    };
    given(right, nothing, false);
    EXPECT_TRUE(student.test_record().credits.empty());
    given(follows, own, true);
    EXPECT_EQ(student.test_record().credits.size(), 1U);
    EXPECT_THROW(given(neither, own, true), StopTest);
    EXPECT_THROW(given(follows, nothing, true), StopTest);
    EXPECT_THROW(given(follows, own, false), StopTest) << "zeros follow from zeros";
}

TEST(Comparator, OnlyARightAnswerThatIsNoConstantIsShown) {
    Student student = a_student();
    TestRecord& record = student.test_record();
    record.function = "f";
    const Tensor numbers = Tensor::of({2, 2}, {1, 2, 3, 4});
    EXPECT_THROW(expect_close(student, anything, numbers * 2.0F, reference::exact(numbers)), StopTest);
    expect_close(student, anything, Tensor::zeros({2, 2}), reference::exact(Tensor::zeros({2, 2})));
    expect_alike(anything, numbers, numbers);
    const CheckedPart part{"mask", Stage::mask, {"query", "key"}};
    expect_mask(student, part, Mask::allow_all({2, 3}), Mask::allow_all({2, 3}));
    EXPECT_TRUE(record.shown.empty());
    expect_close(student, anything, numbers, reference::exact(numbers));
    EXPECT_TRUE(record.shown.contains("f"));
    record.shown.clear();
    Mask mask = Mask::allow_all({2, 3});
    mask(1, 2) = true;
    expect_mask(student, part, mask, mask.clone());
    EXPECT_TRUE(record.shown.contains("f"));
}

TEST(Comparator, MasksDifferInOneEntry) {
    Student student = a_student();
    Mask mask = Mask::allow_all({2, 3});
    const CheckedPart part{"mask", Stage::mask, {"query", "key"}};
    expect_mask(student, part, mask, Mask::allow_all({2, 3}));
    mask(1, 2) = true;
    try {
        expect_mask(student, part, mask, Mask::allow_all({2, 3}));
        ADD_FAILURE() << "an entry differs";
    } catch (const StopTest& stop) {
        EXPECT_NE(stop.failure->message.find("[query=1, key=2]"), std::string::npos);
    }
    EXPECT_THROW(expect_mask(student, part, Mask{}, Mask::allow_all({2, 3})), StopTest);
}

TEST(Records, AFailureGetsFunctionAndStoryOfItsTest) {
    TestRecord record;
    record.function = "f";
    record.story = {"e(x (2))", "f(x (2))"};
    try {
        expect(false, Stage::none, "it does not hold");
    } catch (const StopTest& stop) {
        record.stopped_by(stop);
    }
    ASSERT_TRUE(record.failure);
    EXPECT_EQ(record.failure->function, "f");
    EXPECT_EQ(record.failure->story, record.story);
    try {
        field<Tensor>(wire::Record{}, "context");
    } catch (const StopTest& stop) {
        record.stopped_by(stop);
    }
    EXPECT_EQ(record.failure->message,
              "your f sent something that is not an answer (its context is missing or of another kind)");
}

TEST(Records, AreOfOneStudentAlone) {
    Student one = a_student(), other = a_student();
    one.outside_story([&] {
        EXPECT_TRUE(one.test_record().outside_story);
        EXPECT_FALSE(other.test_record().outside_story);
    });
    EXPECT_FALSE(one.test_record().outside_story);
    remark(one, "worth knowing");
    EXPECT_TRUE(other.test_record().remarks.empty());
}

}  // namespace
}  // namespace headway::judge
