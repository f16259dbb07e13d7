// What was declared, and has no elements where one is asked for.
#include "grading/causes_in_source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

/// Of line 3, in a function of q and v.
std::string told_of(const std::string& declared, const std::string& line, const std::string& behind = "") {
    verdict::Failure failure;
    failure.message = "your f threw std::invalid_argument: element access: a tensor is undefined (a Tensor{} has no";
    failure.advice = "";
    failure.at = verdict::SourceLine{"backward.cpp", 3, line};
    const std::vector<build::SourceFile> files = {
        {"backward.cpp",
         "Gradients f(const Tensor& q, const Tensor& v) {\n" + declared + "\n" + line + "\n" + behind + "\n}\n"}};
    tell_what_was_never_made(failure, ReadSources(files));
    return *failure.advice;
}

TEST(NeverMade, WhatWasOnlyDeclaredIsToldWithItsLine) {
    EXPECT_EQ(told_of("AttentionGradients grad;", "grad.v(b, h) += q(b, h) * g;", "return grad;"),
              "grad was declared at line 2 and never made, so grad.v has no elements: write grad.v = "
              "Tensor::zeros(v.shape()) first.");
    EXPECT_EQ(told_of("Tensor sum{};", "sum(b) = 1;"),
              "sum was declared at line 2 and never made, so sum has no elements: write sum = Tensor::zeros(…) first.");
    EXPECT_NE(told_of("Decoded made;", "made.y(b) = 1;").find("Tensor::zeros(…)"), std::string::npos);
}

TEST(NeverMade, WhatMayHaveBeenMadeIsNot) {
    EXPECT_EQ(told_of("Tensor sum = g(q);", "sum(b) = 1;"), "");
    EXPECT_EQ(told_of("Tensor sum; fill(sum);", "sum(b) = 1;"), "");
    EXPECT_EQ(told_of("Tensor sum;", "sum = sum + q(b);"), "") << "q, an argument, may be undefined";
    EXPECT_EQ(told_of("Gradients grad; make(grad.v);", "grad.v(b) = 1;"), "");
    EXPECT_EQ(told_of("Gradients grad;", "grad.v(b) = 1;", "grad.v = q;"), "") << "in a round before";
    EXPECT_EQ(told_of("struct Mine { Tensor v = zeros(); }; Mine grad;", "grad.v(b) = 1;"), "");
    EXPECT_EQ(told_of("", "v(b) = 1;"), "");
}

}  // namespace
}  // namespace headway::cli
