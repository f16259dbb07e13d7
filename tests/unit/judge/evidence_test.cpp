#include "judge/evidence.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace headway::judge {
namespace {

std::vector<double> numbers(const wire::Value& value) { return reference::exact(std::get<Tensor>(value)).value; }

/// Whether a function of x counts as computed from it.
bool is_evidence(const Numbers& answer) {
    return computes(answer, {{"x", Tensor::of({2, 2}, {1, 2, 3, 4})}, {"num_heads", Index{2}}})();
}

TEST(Evidence, WhatDependsOnTheArgumentsIsComputed) {
    EXPECT_TRUE(is_evidence([](const Arguments& given) { return numbers(std::get<Tensor>(given[0].value) * 2.0F); }));
    EXPECT_TRUE(is_evidence([](const Arguments& given) {
        return numbers(std::get<Tensor>(given[0].value).transpose(0, 1));
    })) << "the argument's numbers in another order";
}

TEST(Evidence, ConstantsAreNot) {
    for (const double constant : {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_FALSE(is_evidence([=](const Arguments&) { return std::vector<double>(4, constant); }));
    EXPECT_FALSE(is_evidence([](const Arguments&) { return std::vector<double>{4, 1, 3, 2}; }));
    EXPECT_FALSE(is_evidence([](const Arguments&) { return std::vector<double>{}; })) << "it throws";
}

TEST(Evidence, ArgumentsHandedBackAreNot) {
    EXPECT_FALSE(is_evidence([](const Arguments& given) { return numbers(given[0].value); }));
    EXPECT_FALSE(is_evidence([](const Arguments& given) {
        const double first = numbers(given[0].value)[0], second = numbers(given[0].value)[1];
        return std::vector<double>{first, second};
    })) << "cut to fit";
    EXPECT_FALSE(is_evidence([](const Arguments& given) {
        std::vector<double> twice = numbers(given[0].value);
        const std::vector<double> once = twice;
        twice.insert(twice.end(), once.begin(), once.end());
        return twice;
    })) << "repeated to fit";
}

TEST(Evidence, WhatChangesByItselfIsNot) {
    double dice = 0;
    EXPECT_FALSE(is_evidence([&](const Arguments&) { return std::vector<double>{dice += 1, dice * dice}; }));
    std::vector<double> last{0, 0, 0, 0};
    EXPECT_FALSE(is_evidence([&](const Arguments& given) { return std::exchange(last, numbers(given[0].value)); }));
}

}  // namespace
}  // namespace headway::judge
