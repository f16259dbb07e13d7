// The library itself throws here, so that a message that changes takes its advice along.
#include "student/what_to_change.hpp"
#include "student/sanitizer_report.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>

namespace headway::judge {
namespace {

using testing::HasSubstr;

wire::Error error_of(const char* type, const std::string& message) {
    return {.kind = wire::ErrorKind::other_exception, .type = type, .message = message};
}

/// "" if there is none.
std::string advice(const wire::Error& error, const std::vector<wire::Field>& asked = {},
                   const std::string& function = "") {
    return what_to_change(error, function, asked).value_or("");
}

std::string advice_when(const std::function<void()>& mistake, const std::vector<wire::Field>& asked = {}) {
    try {
        mistake();
    } catch (const std::invalid_argument& error) {
        return advice(error_of("std::invalid_argument", error.what()), asked);
    } catch (const std::out_of_range& error) {
        return advice(error_of("std::out_of_range", error.what()), asked);
    }
    return "nothing was thrown";
}

TEST(WhatToChange, ContiguousForgottenBeforeView) {
    const Tensor x = Tensor::arange(24).view({2, 3, 4});
    EXPECT_THAT(advice_when([&] { x.transpose(0, 1).view({3, 8}); }), HasSubstr("write .contiguous() before it"));
    EXPECT_THAT(advice_when([&] {
                    x.select(0, 0).view({3, 1, 4}).expand({3, 2, 4}).view({6, 4});
                }),
                testing::StartsWith("A stride of 0, as expand() makes it, repeats numbers"));
    EXPECT_THAT(advice_when([&] { x.view({5, 5}); }), HasSubstr("must multiply to 24"));
}

TEST(WhatToChange, AxesAndPlacesThatAreCountedWrong) {
    const Tensor heads = Tensor::zeros({2, 3, 4, 5}), rows = Tensor::zeros({6}), codes = Tensor::zeros({2, 3, 4});
    EXPECT_EQ(advice_when([&] { heads.size(4); }, {{"context", heads}}),
              "Axes are counted from 0: the last one is 3, or -1.");
    EXPECT_THAT(advice_when([&] { rows.size(1); }, {{"x", rows}}),
                HasSubstr("If that is not it: x comes with 1 axis here"));
    const std::vector<wire::Field> sizes = {{"T", Index{4}}, {"S", Index{6}}};
    const Mask turned = Mask::allow_all({6, 4}), right = Mask::allow_all({4, 6});
    EXPECT_THAT(advice_when([&] { turned(0, 4); }, sizes), HasSubstr("(6, 4) is (S, T)"));
    EXPECT_THAT(advice_when([&] { right(5, 0); }, sizes), HasSubstr("a row for each of the 4 queries, t = 0 to 3"));
    EXPECT_THAT(advice_when([&] { right(0, 6); }, sizes), testing::StartsWith("That is one too far"));
    EXPECT_THAT(advice_when([&] { rows(6); }, {{"codes", codes}}),
                HasSubstr("That has 6 rows of 4: number i is of row i / 4."));
    EXPECT_THAT(advice_when([&] { rows(6); }, {{"codes", Tensor::zeros({5, 4})}}), testing::Not(HasSubstr("rows of")));
    const auto in_ring = advice(error_of("std::out_of_range",
                                         "slice: [5, 6) is out of range for axis 2 of size 5, "
                                         "shape (3, 6, 5, 11)"),
                                {}, "ring_append");
    EXPECT_THAT(in_ring, HasSubstr("after the last comes slot 0 again"));
}

TEST(WhatToChange, ANameWithADotIsMendedByItsFirstPart) {
    EXPECT_EQ(advice(error_of("std::invalid_argument",
                              "the name q_proj.weight contains a dot, which separates a module "
                              "from its parameters")),
              "Register the module itself, register_module(\"q_proj\", …): its weight and bias come behind the dot by "
              "themselves.");
}

TEST(WhatToChange, AnUnsignedNumberIsNeverBelow0) {
    EXPECT_THAT(advice(error_of("std::out_of_range",
                                "vector::_M_range_check: __n (which is 18446744073709551615) >= "
                                "this->size() (which is 1)")),
                HasSubstr("i >= 0 is always true of it"));
}

TEST(WhatToChange, HalfAsManyMayStandForTwoEach) {
    const Tensor x = Tensor::zeros({2, 3, 4, 6});
    EXPECT_THAT(advice_when([&] { x* Tensor::zeros({2, 1, 4, 3}); }, {{"x", x}}), HasSubstr("cat({y, y}, -1)"));
    EXPECT_THAT(advice_when([&] { x* Tensor::zeros({2, 1, 4, 2}); }, {{"x", x}}), testing::Not(HasSubstr("cat(")));
}

TEST(WhatToChange, ContiguousIsNoHelpWhereNoNeighboursMerge) {
    const Tensor x = Tensor::zeros({2, 3, 4, 5});
    const auto advice_of_view = [](const Tensor& viewed, const Shape& shape) {
        return advice_when([&] { viewed.view(shape); });
    };
    const auto merges = HasSubstr("write .contiguous() before it");
    EXPECT_THAT(advice_of_view(x.transpose(1, 2), {2, 4, 15}), merges);
    EXPECT_THAT(advice_of_view(x.transpose(1, 2), {2, 4, -1}), merges);
    EXPECT_THAT(advice_of_view(x.transpose(1, 2), {2, 1, 12, 5}), merges);
    EXPECT_THAT(advice_of_view(x.transpose(0, 3), {120}), merges);
    EXPECT_THAT(advice_of_view(x.transpose(0, 2), {2, 2, 3, 2, 5}), merges);
    EXPECT_THAT(advice_of_view(x.transpose(1, 2), {2, 3, 20}), HasSubstr("the axes that become one are neighbours"));
    const Tensor tokens = Tensor::zeros({6, 3, 9});
    for (const Shape& shape : {Shape{9, 18}, Shape{9, -1}})
        EXPECT_THAT(advice_of_view(tokens.transpose(1, 2), shape),
                    HasSubstr("x.contiguous().view({-1, 9}).transpose(0, 1)."));
}

TEST(WhatToChange, ShapesThatDoNotFit) {
    const Tensor x = Tensor::zeros({2, 3, 4});
    EXPECT_THAT(advice_when([&] { x + Tensor::zeros({3, 5}); }), HasSubstr("axis -1 is 4 in one and 5 in the other"));
    EXPECT_THAT(advice_when([&] {
                    x - Tensor::zeros({2, 3});
                }),
                testing::AllOf(HasSubstr("If (2, 3) comes from max, sum or mean"), HasSubstr("view({2, 3, 1})")));
    EXPECT_THAT(advice_when(
                    [&] {
                        x / Tensor::zeros({2, 3});
                    },
                    {{"scales (a view)", Tensor::zeros({2, 3})}}),
                HasSubstr("scales comes with (2, 3): scales.contiguous().view({2, 3, 1}) puts a 1 there."));
    EXPECT_THAT(advice_when([&] {
                    Tensor::zeros({3, 4}) += x;
                }),
                HasSubstr("(2, 3, 4) has more axes in front than (3, 4)"));
    EXPECT_THAT(advice_when([&] { masked_fill(x, Mask::allow_all({9}), 0); }),
                testing::AllOf(HasSubstr("axis -1 is 9 in the mask and 4"), HasSubstr("only that part of the mask")));
    EXPECT_THAT(advice_when([&] {
                    masked_fill(x, Mask::allow_all({2, 4}), 0);
                }),
                testing::AllOf(HasSubstr("axis -2 is 2 in the mask and 3"), testing::Not(HasSubstr("part"))));
    EXPECT_THAT(advice_when([] {
                    matmul(Tensor::zeros({7, 3, 9, 5}), Tensor::zeros({7, 10, 3, 5}));
                }),
                HasSubstr("the last two axes were to be swapped and not these two"));
    EXPECT_THAT(advice_when([&] { x + Tensor::zeros({3, 5}); }), testing::Not(HasSubstr("KeepAxis")));
    EXPECT_THAT(advice_when([] {
                    cat({Tensor::zeros({2, 3, 1}), Tensor::zeros({2, 3})}, -1);
                }),
                testing::StartsWith("If (2, 3) comes from max, sum or mean"));
    EXPECT_THAT(advice_when([&] {
                    cat({x, Tensor::zeros({5, 3, 4})}, 1);
                }),
                HasSubstr("join along 0, or transpose each of them first"));
    EXPECT_THAT(advice_when([&] {
                    matmul(Tensor::zeros({4, 5}), x);
                }),
                HasSubstr("matmul(b, a), or with both transposed"));
    EXPECT_THAT(advice_when([&] { x.as_strided({12, 4, 1}, {2, 3, 4}); }), HasSubstr("sizes first, then the strides"));
    EXPECT_THAT(advice_when([&] { matmul(x, x); }), HasSubstr("these are 4 and 3, and must be equal. Transposed, b"));
    EXPECT_THAT(advice_when([&] { matmul(x, Tensor::zeros({5, 6})); }), HasSubstr("4 and 5, and must be equal."));
    EXPECT_THAT(advice_when([&] { matmul(x, Tensor::zeros({3, 4, 3})); }), HasSubstr("before the last two"));
}

TEST(WhatToChange, ShapesOfOtherFunctions) {
    const Tensor x = Tensor::zeros({2, 3});
    EXPECT_THAT(advice_when([&] { x.view({4, -1}); }), HasSubstr("a divisor of 6"));
    EXPECT_THAT(advice_when([&] {
                    x.expand({2, 5, 3});
                }),
                HasSubstr("each axis of (2, 3) must be 1 or as in (2, 5, 3)"));
    EXPECT_THAT(advice_when([] { Tensor::zeros({-1, 3}); }), HasSubstr("came out negative"));
    EXPECT_THAT(advice_when([&] {
                    Tensor::zeros({1, 3}).expand({2, 3}).copy_from(x);
                }),
                HasSubstr("expand(…).clone()"));
    EXPECT_THAT(advice_when([&] { matmul(x[0], x); }), HasSubstr("x.slice(0, i, i + 1)"));
    EXPECT_THAT(advice_when([] { cat({}, 0); }), HasSubstr("The list is empty"));
    EXPECT_THAT(advice_when([] { max(Tensor::zeros({2, 0}), -1); }), HasSubstr("no positions along that axis"));
    const auto of_attention = [](const std::string& shapes) {
        return advice(error_of("std::invalid_argument", "scaled_dot_product_attention: " + shapes));
    };
    EXPECT_THAT(of_attention("q (5, 9, 6, 3), k (5, 3, 6, 3), v (5, 3, 6, 3): B and H must agree"),
                HasSubstr("Axis 1, the heads, is 9 in q, 3 in k and 3 in v"));
    EXPECT_THAT(of_attention("q (5, 5, 18, 5), k (5, 5, 6, 15), v (5, 5, 6, 15): the widths of q and k differ"),
                HasSubstr("The last axis is 5 in q and 15 in k"));
    EXPECT_THAT(of_attention("q (5, 6, 13), k (5, 6, 13), v (5, 6, 13): each must be of rank 4, (B, H, length, width)"),
                HasSubstr("given::split_heads(x, num_heads)"));
    EXPECT_THAT(advice(error_of("std::invalid_argument",
                                "Linear: (2, 3, 4, 8) does not end in 24 features; the weight "
                                "is (24, 24), stored (out, in)")),
                HasSubstr("the last axis, which must be 24"));
}

TEST(WhatToChange, MoreIsCopiedThanThereIsRoomFor) {
    const Tensor chunk = Tensor::zeros({7, 9, 11});
    EXPECT_EQ(advice_when([&] {
                  Tensor::zeros({7, 26, 11}).slice(1, 0, 4).copy_from(chunk);
              }),
              "Axis 1 is 9 in what is copied, and 4 in what it is copied into: slice the source to as many as the "
              "target has.");
    EXPECT_THAT(advice_when([&] { Tensor::zeros({7, 12, 11}).copy_from(chunk); }), HasSubstr("must be equal"));
    EXPECT_THAT(advice_when([&] { Tensor::zeros({7, 4, 12}).copy_from(chunk); }), HasSubstr("each axis of (7, 9, 11)"));
    EXPECT_THAT(advice_when([&] { Tensor::zeros({9, 11}).copy_from(chunk); }), HasSubstr("each axis of (7, 9, 11)"));
    EXPECT_THAT(advice_when([&] {
                    Tensor::zeros({7, 9}).copy_from(Tensor::zeros({7, 1, 9}));
                }),
                HasSubstr("an axis 1 of size 1 that its place has not: leave it out with select(1, 0)"));
}

TEST(WhatToChange, NothingWasGiven) {
    EXPECT_THAT(advice_when([] { static_cast<void>(static_cast<const Mask&>(Mask{})(0, 0)); }),
                HasSubstr("only if mask.defined()"));
    EXPECT_THAT(advice_when([] { Tensor{} + Tensor::zeros({2}); }),
                HasSubstr("gets one first, as by x = Tensor::zeros(shape)"));
    EXPECT_THAT(advice_when([] { Mask{}.size(0); }), HasSubstr("have no axes"));
}

TEST(WhatToChange, OneTooFar) {
    const Tensor x = Tensor::zeros({2, 3});
    EXPECT_THAT(advice_when([&] { static_cast<void>(x(0, 3)); }), HasSubstr("axis 1 has 3 positions"));
    EXPECT_THAT(advice_when([&] { static_cast<void>(x(-1, 0)); }), HasSubstr("never negative"));
    EXPECT_THAT(advice_when([&] { x.select(0, 2); }), HasSubstr("axis 0 has 2 positions"));
    EXPECT_THAT(advice_when([&] { x.transpose(1, 2); }), HasSubstr("the last one is 1, or -1"));
    EXPECT_THAT(advice_when([] { static_cast<void>(std::vector<int>(3).at(3)); }), HasSubstr("counted from 0"));
    const Mask for_all_queries = Mask::allow_all({1, 3});
    EXPECT_THAT(advice_when([&] { static_cast<void>(for_all_queries(1, 0)); }), HasSubstr("expand() it first"));
    EXPECT_THAT(advice_when([&] { static_cast<void>(x(0, 7)); }), HasSubstr("Axis 1 has 3 positions"));
    EXPECT_THAT(advice_when([&] { x.transpose(1, 3); }), HasSubstr("Its axes are 0 to 1"));
    EXPECT_THAT(advice_when([&] { x.size(-3); }), HasSubstr("Its axes are 0 to 1"));
}

TEST(WhatToChange, ACodeThatCountsOnSomeNumberOfAxes) {
    const wire::Error axis = error_of("std::out_of_range", "axis 3 is out of range for rank 3, shape (3, 6, 5)");
    EXPECT_EQ(advice(axis, {}, "contiguous"),
              "This tensor has 3 axes, and contiguous takes any number of them: does your code count on 4, or does a "
              "loop over the axes end too late?");
    EXPECT_THAT(advice(axis, {}, "split_heads"), HasSubstr("the last one is 2, or -1"));
    const wire::Error indices = error_of("std::out_of_range", "4 indices given, but rank 3 needs 3, shape (3, 6, 5)");
    EXPECT_THAT(advice(indices, {}, "contiguous"), HasSubstr("your code counts on 4, and this tensor has 3."));
}

TEST(WhatToChange, AnIndexOfAnotherAxis) {
    const Mask of_heads = Mask::allow_all({5, 1, 7});
    const auto too_far = [&] { static_cast<void>(of_heads(5, 0, 2)); };
    const std::vector<wire::Field> asked{{"q (a view)", Tensor::zeros({6, 5, 13, 11})}, {"mask", of_heads}};
    EXPECT_THAT(advice_when(too_far, asked),
                HasSubstr("is it the index of another axis (axis 0 of q has 6 positions)"));
    EXPECT_THAT(advice_when(too_far, {{"parameters", wire::Record{{{"weight", Tensor::zeros({9, 6})}}}}}),
                HasSubstr("axis 1 of weight has 6"));
    EXPECT_THAT(advice_when(too_far, {{"q", Tensor::zeros({5, 3})}, {"mask", Mask{}}, {"v", Tensor{}}}),
                HasSubstr("Look at where its loop ends"))
        << "no argument has such a position";
}

TEST(WhatToChange, AxesThatAreExchangedBesides) {
    const Tensor a = Tensor::zeros({6, 5, 13, 7}), b = Tensor::zeros({5, 6, 13, 11});
    EXPECT_THAT(advice_when([&] { matmul(a, b); }), HasSubstr("(6, 5) and (5, 6): one was transposed in axes 0 and 1"));
}

TEST(WhatToChange, WhatWasOnlyDeclaredIsAssignedTo) {
    EXPECT_THAT(advice_when([] { Tensor{}.copy_from(Tensor::zeros({2})); }), HasSubstr("assign in its place"));
}

TEST(WhatToChange, ANameThatIsGivenTwice) {
    EXPECT_THAT(advice(error_of("std::invalid_argument", "the name q_proj is registered already")),
                HasSubstr("this line gives q_proj to a second one"));
}

TEST(WhatToChange, AMaskForOtherKeysThanThereAre) {
    const Mask mask = Mask::allow_all({5, 1, 5, 5});
    EXPECT_THAT(advice_when([&] {
                    static_cast<void>(mask.expand({5, 3, 5, 13}));
                }),
                HasSubstr("Axis 3 is 5 in what is expanded, and 13 where it should go"));
}

TEST(WhatToChange, AnAxisThatIsMissingInTheMiddle) {
    const Tensor x = Tensor::zeros({3, 7, 10, 5}), cosines = Tensor::zeros({3, 10, 5});
    EXPECT_THAT(advice_when([&] { static_cast<void>(x * cosines); }),
                HasSubstr("(3, 10, 5) lacks axis 1 of the other: .contiguous().view({3, 1, 10, 5}) puts a 1 there."));
}

TEST(WhatToChange, AMaskThatComesWholeBesideAPart) {
    const Mask padding = Mask::allow_all({3, 1, 1, 13}), part = Mask::allow_all({1, 3});
    EXPECT_THAT(advice_when([&] { static_cast<void>(part | padding); }, {{"padding", padding}}),
                HasSubstr("padding comes whole, (3, 1, 1, 13), and the other has 3 of these"));
    EXPECT_THAT(advice_when([&] { static_cast<void>(part | padding); }), testing::Not(HasSubstr("comes whole")));
}

TEST(WhatToChange, AnArgumentOfFewerAxes) {
    const Tensor x = Tensor::zeros({9, 10});
    EXPECT_THAT(advice_when([&] { static_cast<void>(x.size(2)); }, {{"x", x}}),
                HasSubstr("x comes with 2 axes here, (9, 10), and your code counts on more"));
    EXPECT_THAT(advice_when([&] { static_cast<void>(x.size(2)); }, {{"y", Tensor::zeros({9, 11})}}),
                HasSubstr("Axes are counted from 0"));
}

TEST(WhatToChange, APieceThatReachesPastTheEnd) {
    const Tensor x = Tensor::zeros({2, 3});
    EXPECT_THAT(advice_when([&] { x.slice(1, 2, 4); }),
                HasSubstr("up to std::min<Index>(…, 3); if not, look at where 4 comes from"));
    EXPECT_THAT(advice_when([&] { x.slice(1, 2, 1); }), HasSubstr("where the piece ends, not how long it is"));
    EXPECT_THAT(advice_when([&] { x.slice(1, 5, 3); }), HasSubstr("begin at 5, and this axis has 3 positions"));
    EXPECT_THAT(
        advice(error_of("std::out_of_range", "slice: [8, 5) is out of range for axis 2 of size 5, shape (3, 6, 5, 11)"),
               {}, "ring_decode"),
        HasSubstr("position p is in slot p % w"));
    EXPECT_THAT(advice_when([&] { x.slice(1, 4, 6); }), HasSubstr("All of it lies past the end"));
    EXPECT_THAT(advice_when([&] { x.slice(1, 0, -1); }), HasSubstr("this axis ends at 3"));
    EXPECT_THAT(advice_when([&] { x.slice(1, -2, 3); }), HasSubstr("its last n begin at 3 - n"));
    EXPECT_THAT(advice_when([&] { x.slice(1, -2, 1); }), HasSubstr("begins at 0, as in std::max<Index>(0, …)"));
    const wire::Error of_slots =
        error_of("std::out_of_range", "slice: [2, 7) is out of range for axis 2 of size 5, shape (3, 6, 5, 11)");
    EXPECT_THAT(advice(of_slots, {}, "ring_append"), HasSubstr("the ring that is cut, it goes on at slot 0"));
    EXPECT_THAT(advice(of_slots, {}, "ring_append"), testing::Not(HasSubstr("std::min")));
    EXPECT_THAT(advice(of_slots, {}, "append"), HasSubstr("std::min"));
}

TEST(WhatToChange, AnIndexForEachAxis) {
    const Mask mask = Mask::allow_all({2, 3});
    EXPECT_THAT(advice_when([&] { static_cast<void>(mask(0, 0, 1, 2)); }), HasSubstr("expand() it to the shape"));
    EXPECT_THAT(advice_when([&] { static_cast<void>(Tensor::zeros({2, 3})(1)); }), HasSubstr("none may be left out"));
}

TEST(WhatToChange, AnOptionalThatHoldsNothing) {
    EXPECT_THAT(advice(error_of("std::bad_optional_access", "bad optional access")), HasSubstr("has_value() first"));
}

TEST(WhatToChange, NothingIsSaidOfOtherWords) {
    EXPECT_EQ(advice(error_of("std::invalid_argument", "view: the tensor is not contiguous")), "");
    EXPECT_EQ(advice(error_of("std::invalid_argument", "x: view: (1) as (2): 1 elements cannot become 2")), "");
    EXPECT_EQ(advice(error_of("std::runtime_error", "view: (1) as (2): 1 elements cannot become 2")), "");
    const std::string digits(4000, '9');
    EXPECT_EQ(advice(error_of("std::out_of_range", "axis " + digits + " is out of range for rank " + digits)), "");
    EXPECT_EQ(advice(error_of("std::out_of_range", "axis 99999999999 is out of range for rank 99999999999, shape ()")),
              "");
    EXPECT_EQ(advice(error_of("std::out_of_range", std::string(4096, ':'))), "");
}

TEST(WhatToChange, OfContainersAndDivisors) {
    EXPECT_THAT(advice(error_of("std::length_error", "cannot create std::vector larger than max_size()")),
                HasSubstr("of a negative size"));
    EXPECT_THAT(advice(error_of("std::bad_function_call", "bad_function_call")), HasSubstr("before it was given"));
    verdict::SanitizerReport report;
    report.kind = "container-overflow";
    EXPECT_THAT(what_to_change(report, "append").value_or(""), HasSubstr("resize() does"));
    report.kind = "division by zero";
    EXPECT_THAT(what_to_change(report, "append").value_or(""), HasSubstr("behind / or % is 0"));
}

TEST(WhatToChange, AReturnForgotten) {
    verdict::SanitizerReport report;
    report.kind = no_return;
    EXPECT_THAT(what_to_change(report, "split_heads").value_or(""), HasSubstr("split_heads, or a function"));
    report.file = "head_splitting.cpp";
    EXPECT_THAT(what_to_change(report, "split_heads").value_or(""), HasSubstr("The function there ends without"));
    report.kind = "heap-buffer-overflow";
    EXPECT_FALSE(what_to_change(report, "split_heads"));
}

}  // namespace
}  // namespace headway::judge
