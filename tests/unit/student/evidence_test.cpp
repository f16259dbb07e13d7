#include "student/evidence.hpp"

#include <gtest/gtest.h>

#include "student/inputs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {
namespace {

std::vector<double> numbers(const wire::Value& value) { return reference::exact(std::get<Tensor>(value)).value; }

/// Where about 1 is expected.
const reference::Array ones = reference::exact(Tensor::ones({2, 2}));

/// Whether a function of x counts as computed from it.
bool is_evidence(const Numbers& answer) {
    return computes(answer, {{"x", Tensor::of({2, 2}, {1, 2, 3, 4})}, {"num_heads", Index{2}}})(ones);
}

TEST(Evidence, WhatDependsOnTheArgumentsIsComputed) {
    EXPECT_TRUE(is_evidence([](const Arguments& given) {
        const Tensor x = std::get<Tensor>(given[0].value);
        return numbers(x * x);
    }));
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

TEST(Evidence, ScaledAndShiftedCopiesAreNot) {
    EXPECT_FALSE(is_evidence([](const Arguments& given) { return numbers(std::get<Tensor>(given[0].value) * 2.0F); }));
    EXPECT_FALSE(
        is_evidence([](const Arguments& given) { return numbers(std::get<Tensor>(given[0].value) * -0.5F + 3.0F); }));
}

TEST(Evidence, OfAnotherSizeIsNot) {
    EXPECT_FALSE(is_evidence([](const Arguments& given) {
        const std::vector<double> x = numbers(given[0].value);
        return std::vector<double>{x[0] * x[1], x[2] * x[3]};
    }));
}

/// Whether f(x) counts as computed from a matrix of many rows.
bool is_evidence_of_rows(const std::function<Tensor(const Tensor&)>& f) {
    Random random(7);
    const Tensor x = random_tensor(random, {5, 4});
    return computes([&](const Arguments& given) { return numbers(f(std::get<Tensor>(given[0].value))); },
                    {{"x", x}})(reference::exact(Tensor::ones({5, 4})));
}

TEST(Evidence, TheLargestOfManyIsNot) {
    EXPECT_TRUE(is_evidence_of_rows([](const Tensor& x) { return x * x; }));
    EXPECT_FALSE(is_evidence_of_rows([](const Tensor& x) {
        Tensor picked = Tensor::zeros(x.shape());
        for (Index t = 0; t < x.size(0); ++t) {
            Index best = 0;
            for (Index i = 1; i < x.size(1); ++i)
                if (x(t, i) > x(t, best)) best = i;
            picked(t, best) = 1;
        }
        return picked;
    }));
}

TEST(Evidence, WhatReadsOneRowIsNot) {
    EXPECT_FALSE(is_evidence_of_rows([](const Tensor& x) {
        Tensor rows = Tensor::zeros(x.shape());
        for (Index t = 0; t < x.size(0); ++t)
            for (Index i = 0; i < x.size(1); ++i) rows(t, i) = x(0, i) * x(0, 0) * static_cast<float>(t + 1);
        return rows;
    }));
}

/// Of q, k, v and a mask, an answer to which these contribute.
bool is_evidence_from(const std::vector<std::string>& contribute, const Needs& needs) {
    const Numbers answer = [&](const Arguments& given) {
        std::vector<double> sum(4, 0);
        for (const wire::Field& field : given) {
            if (std::find(contribute.begin(), contribute.end(), field.name) == contribute.end()) continue;
            const auto* mask = std::get_if<Mask>(&field.value);
            const std::vector<double> one =
                mask != nullptr ? std::vector<double>(mask->data(), mask->data() + 4) : numbers(field.value);
            for (std::size_t i = 0; i < 4; ++i) sum[i] += one[i] * (one[i] + static_cast<double>(i));
        }
        return sum;
    };
    Mask mask = Mask::allow_all({2, 2});
    mask(1, 0) = true;
    return computes(answer,
                    {{"q", Tensor::of({2, 2}, {1, 2, 3, 4})},
                     {"k", Tensor::of({2, 2}, {2, 7, 1, 8})},
                     {"v", Tensor::of({2, 2}, {3, 1, 4, 1})},
                     {"mask", mask}},
                    needs)(ones);
}

TEST(Evidence, OneOfThreeTensorsMayBeLostAndNoneThatIsNamed) {
    EXPECT_TRUE(is_evidence_from({"q", "k", "v"}, {}));
    EXPECT_TRUE(is_evidence_from({"q", "v"}, {}));
    EXPECT_FALSE(is_evidence_from({"q"}, {}));
    EXPECT_TRUE(is_evidence_from({"q"}, {.numbers = {"q"}}));
    EXPECT_FALSE(is_evidence_from({"q", "v"}, {.numbers = {"q", "k"}}));
}

Student a_student() { return {sandbox::trusted({}, sandbox::Trusted::tests_of_headway), {}}; }

TEST(Evidence, PartsAreAskedAboutUntilAnAnswerHasPassedThem) {
    Student student = a_student();
    Random random(7);
    const Arguments x{{"x", random_tensor(random, {5, 4})}};
    const reference::Array expected = reference::exact(Tensor::ones({5, 4}));
    int asked = 0;
    const Numbers squares = [&](const Arguments& given) {
        ++asked;
        const Tensor rows = std::get<Tensor>(given[0].value);
        return numbers(rows * rows);
    };
    const auto asked_for = [&](const std::string& what, const Needs& needs) {
        asked = 0;
        EXPECT_TRUE(computes(student, what, squares, x, needs)(expected));
        return asked;
    };
    const int all = asked_for("f", {});
    EXPECT_LT(asked_for("f", {}), all);
    EXPECT_EQ(asked_for("g", {}), all);

    // What passed without parts has shown nothing of them.
    const int few = asked_for("h", {.parts = false});
    EXPECT_LT(few, all);
    EXPECT_EQ(asked_for("h", {}), all);
}

TEST(Evidence, ABuildThatNeedsNoneIsAskedNothing) {
    Student student = a_student();
    student.needs_no_evidence();
    const Numbers never = [](const Arguments&) -> std::vector<double> { throw std::logic_error("asked"); };
    EXPECT_TRUE(computes(student, "f", never, {{"x", Tensor::ones({2, 2})}})(ones));
}

TEST(Evidence, AMaskIsNoneOfThose) {
    EXPECT_TRUE(is_evidence_from({"q", "k", "mask"}, {.mask = true}));
    EXPECT_FALSE(is_evidence_from({"q", "k", "v"}, {.mask = true}));
}

TEST(Evidence, WhatChangesByItselfIsNot) {
    double dice = 0;
    EXPECT_FALSE(is_evidence([&](const Arguments&) { return std::vector<double>{dice += 1, dice * dice}; }));
    std::vector<double> last{0, 0, 0, 0};
    EXPECT_FALSE(is_evidence([&](const Arguments& given) { return std::exchange(last, numbers(given[0].value)); }));
}

}  // namespace
}  // namespace headway::judge
