// What one line of a submission says of why a call failed.
#include "grading/causes_in_lines.hpp"

#include "grading/causes_in_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

using testing::HasSubstr;

TEST(CausesInLines, AThrowThatWasLeftIsToldWithItsLine) {
    const auto told = [](const std::string& body) {
        verdict::Failure failure;
        failure.function = "merge";
        failure.message = "merge is not written yet";
        const std::vector<build::SourceFile> files = {
            {"merge.cpp", "Tensor merge(const Tensor& x) {\n" + body + "}\n"}};
        tell_of_a_throw_left(failure, ReadSources(files));
        return failure.at ? failure.message + ":" + std::to_string(failure.at->line) + ":" + *failure.advice
                          : failure.message;
    };
    EXPECT_EQ(told("    throw NotImplemented{\"merge\"};\n"), "merge is not written yet");
    EXPECT_EQ(told("    throw NotImplemented{\"merge\"};\n    return x;\n"),
              "merge still throws NotImplemented:2:The code below it never runs: delete that line.");
    EXPECT_THAT(told("    if (x.defined()) return x;\n    throw NotImplemented{\"merge\"};\n"),
                HasSubstr(":3:What is written above it ends there, unless"));
    EXPECT_THAT(told("    if (x.defined()) {\n    throw NotImplemented{\"merge\"};\n    }\n    return x;\n"),
                HasSubstr(":3:Some call gets there"));
    EXPECT_EQ(told("    if (a) throw NotImplemented{\"merge\"};\n    throw NotImplemented{\"merge\"};\n"),
              "merge is not written yet")
        << "which of the two it was is not known";
    EXPECT_EQ(told("    return x;\n"), "merge is not written yet") << "what it calls threw";
}

TEST(CausesInLines, WhoHandsToItselfWhatItRefusesIsTold) {
    const std::vector<build::SourceFile> files = {{"block.cpp",
                                                   "int back(int n) {\n"
                                                   "    if (n == 0) throw std::invalid_argument(\"no block\");\n"
                                                   "    return back(n - 1);\n"
                                                   "}\n"
                                                   "int other(int n) {\n"
                                                   "    return back(n);\n"
                                                   "}\n"}};
    const auto told = [&](int caller, bool is_the_throw) {
        verdict::Failure failure;
        tell_who_hands_on_what_is_refused(failure,
                                          {.line = {"block.cpp", 2, ""},
                                           .is_the_throw = is_the_throw,
                                           .in_loop = {},
                                           .callers = {{"block.cpp", caller, ""}}},
                                          ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told(3, true),
              "back calls itself in line 3, and refuses what it hands on there: end the recursion one call earlier.");
    EXPECT_EQ(told(3, false), "");
    EXPECT_EQ(told(6, true), "");
}

TEST(CausesInLines, AThrowLeftInWhatReturnsNothingIsDeleted) {
    verdict::Failure failure;
    failure.function = "append";
    const std::vector<build::SourceFile> files = {
        {"ring.cpp", "void append(Ring& ring) {\n    ring.next += 1;\n    throw NotImplemented{\"append\"};\n}\n"}};
    tell_of_a_throw_left(failure, ReadSources(files));
    EXPECT_EQ(failure.advice.value_or(""), "It returns nothing: delete that line, if nothing is missing above it.");
}

TEST(CausesInLines, WhatAssertDoesIsTold) {
    const auto told = [](const std::string& message, const std::string& line) {
        verdict::Failure failure;
        failure.message = message;
        failure.at = verdict::SourceLine{"positions.cpp", 3, line};
        tell_what_refuses(failure);
        return failure.advice.value_or("");
    };
    EXPECT_THAT(told("your f aborted: SIGABRT", "assert((count >= 0) && \"negative\");"),
                HasSubstr("throw std::invalid_argument"));
    EXPECT_EQ(told("your f aborted: SIGABRT", "std::abort();"), "");
    EXPECT_EQ(told("your f threw std::runtime_error: no", "assert(x);"), "");
}

TEST(CausesInLines, WhatPercentGivesBelowZeroIsTold) {
    const auto told = [](const std::string& message, const std::string& line) {
        verdict::Failure failure;
        failure.message = message;
        failure.at = verdict::SourceLine{"long_texts.cpp", 3, line};
        tell_what_a_remainder_gives(failure);
        return failure.advice.value_or("");
    };
    EXPECT_THAT(told("slice: [-4, -3) is out of range for axis 2 of size 5", "x.slice(2, p % w, p % w + 1);"),
                HasSubstr("-1 % 5 is -1"));
    EXPECT_EQ(told("slice: [-4, -3) is out of range for axis 2 of size 5", "x.slice(2, p, p + 1);"), "");
    EXPECT_EQ(told("slice: [4, 7) is out of range for axis 2 of size 5", "x.slice(2, p % w, p % w + 3);"), "");
}

TEST(CausesInLines, ContiguousIsNoAdviceWhereAViewIsWrittenThrough) {
    const auto told = [](const std::string& line) {
        verdict::Failure failure;
        failure.message = "your append threw std::invalid_argument: view: (3, 7) as (21): call contiguous() first";
        failure.advice = "Write .contiguous() before it.";
        failure.at = verdict::SourceLine{"kv_cache.cpp", 3, line};
        tell_what_a_copy_would_lose(failure);
        return *failure.advice;
    };
    EXPECT_THAT(told("cache.k.slice(2, 0, 1).view({3, 7}).copy_from(k);"), HasSubstr("contiguous() would make a copy"));
    EXPECT_EQ(told("merged.copy_from(x.view({3, 7}));"), "Write .contiguous() before it.");
    EXPECT_EQ(told("return x.view({3, 7});"), "Write .contiguous() before it.");
}

TEST(CausesInLines, TheLineThatCallsItselfIsTold) {
    const std::vector<build::SourceFile> files = {{"block.cpp",
                                                   "Tensor layer_norm(const Tensor& x, const Norm& norm) {\n"
                                                   "    // with the weights of a block\n"
                                                   "    return layer_norm(x, norm);\n"
                                                   "}\n"}};
    verdict::Failure failure;
    failure.message = "your block_forward recurses without end: does it call itself? (stack-overflow)";
    failure.at = verdict::SourceLine{"block.cpp", 1, ""};
    tell_what_calls_itself(failure, {}, ReadSources(files));
    EXPECT_EQ(failure.advice.value_or(""),
              "layer_norm calls itself in line 3: return layer_norm(x, norm);  Nothing returns before that: ask first "
              "whether anything is left to do.");
}

TEST(CausesInLines, DataOfWhatEndsWithItsLineIsTold) {
    const auto told = [](const std::string& line) {
        verdict::Diagnosis diagnosis;
        diagnosis.functions.emplace_back();
        diagnosis.functions.front().function = "rotate";
        diagnosis.functions.front().mistakes = {"used_after_freed"};
        const std::vector<build::SourceFile> files = {
            {"positions.cpp", "Tensor rotate(const Tensor& x) {\n" + line + "\n    return x;\n}\n"}};
        tell_what_ends_with_its_line(diagnosis, files);
        return diagnosis.functions.front().sentences.empty() ? "" : diagnosis.functions.front().sentences.front();
    };
    EXPECT_EQ(
        told("const float* in = x.contiguous().data();"),
        "positions.cpp:2: what contiguous() makes ends with that line, and data() points into it: keep the tensor "
        "in a variable first");
    EXPECT_EQ(told("const Tensor rows = x.contiguous(); const float* in = rows.data();"), "");
    EXPECT_EQ(told("const float first = x.contiguous().data()[0];"), "");
    EXPECT_EQ(told("const float first = *x.contiguous().data();"), "");
    for (const char* line : {"float* const in = x.clone().data();", "const auto in = x.clone().data();"})
        EXPECT_NE(told(line), "") << line;
    EXPECT_EQ(told("const float* in = x.slice(0, 1, 2).data();"), "") << "a view: x keeps its numbers";
}

TEST(CausesInLines, AMemberThatNothingWasAddedToYetIsTold) {
    const auto told = [](const std::string& declared, const std::string& line) {
        verdict::Failure failure;
        failure.message = "your f threw std::invalid_argument: a += b: a tensor is undefined (a Tensor{} has no shape";
        failure.at = verdict::SourceLine{"block.cpp", 3, line};
        const std::vector<build::SourceFile> files = {
            {"block.cpp", "Gradients f(const Tensor& x) {\n" + declared + "\n" + line + "\nreturn grad;\n}\n"}};
        tell_how_a_sum_begins(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("Gradients grad; grad.x = g(x);", "grad.weights.w_in += x;"),
              "grad.weights.w_in holds nothing when something is added to it for the first time: begin with "
              "grad.weights.w_in = Tensor::zeros(…), in the shape of the result.");
    EXPECT_EQ(told("Gradients grad; grad.weights = g(x);", "grad.weights.w_in += x;"), "");
    EXPECT_EQ(told("Gradients grad; grad.weights.w_in = g(x);", "grad.weights.w_in += x;"), "") << "x is undefined";
    EXPECT_EQ(told("Gradients grad = g(x);", "grad.weights.w_in += x;"), "");
    EXPECT_EQ(told("Gradients grad; fill(grad);", "grad.weights.w_in += x;"), "");
}

TEST(CausesInLines, ACommaInSquareBracketsIsTold) {
    const auto told = [](const std::string& line) {
        verdict::Failure failure;
        failure.at = verdict::SourceLine{"grouped.cpp", 3, line};
        tell_what_a_comma_leaves(failure);
        return failure.advice.value_or("");
    };
    EXPECT_EQ(
        told("result[b, h].copy_from(kv[b, h / group]);"),
        "result[b, …] is result[…]: in square brackets only what stands behind the comma counts, here for axis 0. "
        "Write result[b][…].");
    EXPECT_EQ(told("sort(x.begin(), x.end(), [x, y](int a, int b) { return a < b; });"), "");
    EXPECT_EQ(told("return [x, y](int a) { return a; };"), "");
    EXPECT_EQ(told("const auto [k, v] = both;"), "");
    EXPECT_EQ(told("x[f(b, h)].fill(0);"), "");
    EXPECT_EQ(told("f(x[b], y[h]);"), "");
}

TEST(CausesInLines, WaysOutOfARecursionAreTold) {
    const auto told = [](const std::string& ends) {
        verdict::Failure failure;
        failure.message = "your tiled recurses without end";
        failure.at = verdict::SourceLine{"tiled.cpp", 1, ""};
        const std::vector<build::SourceFile> files = {
            {"tiled.cpp", "void halves(int a, int b) {\n" + ends + "\nhalves(a, b - 1);\nhalves(b, a);\n}\n"}};
        tell_what_calls_itself(failure, {}, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("if (a > b) return;"),
              "halves calls itself in line 3: halves(a, b - 1);  It ends by line 2 alone, and for what it hands "
              "on that is never true: if (a > b) return;");
    EXPECT_THAT(told("if (a > b) return; if (a == b) { f(); return; }"), HasSubstr("It ends by lines 2 and 2 alone"));
    EXPECT_EQ(
        told("if (a > b) f();"),
        "halves calls itself in line 3: halves(a, b - 1);  Nothing returns before that: ask first whether anything "
        "is left to do.");
}

TEST(CausesInLines, ANumberThatMovesTooLateAndAGivenFunctionAreToldInARecursion) {
    const auto told = [](const std::string& name, const std::string& call) {
        verdict::Failure failure;
        failure.message = "your reach recurses without end";
        failure.at = verdict::SourceLine{"f.cpp", 1, ""};
        const std::vector<build::SourceFile> files = {
            {"f.cpp", "Mask " + name + "(const Mask& m, int layers) {\nreturn " + call + ";\n}\n"}};
        tell_what_calls_itself(failure, {}, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_THAT(told("reach", "reach(m, layers--)"), HasSubstr("layers-- hands on the number as it was before: write "
                                                               "layers - 1."));
    EXPECT_THAT(told("reach", "reach(m, layers++)"), HasSubstr("write layers + 1."));
    EXPECT_THAT(told("reach", "reach(m, --layers)"), testing::Not(HasSubstr("hands on")));
    EXPECT_THAT(told("split_heads", "split_heads(m, layers)"), HasSubstr("Is given::split_heads meant?"));
    EXPECT_THAT(told("reach", "reach(m, layers)"), testing::Not(HasSubstr("given::")));
}

TEST(CausesInLines, WhatAMaskMayBeIsToldWhereNoneIsExpanded) {
    const auto told = [](const std::string& head, const std::string& before) {
        verdict::Failure failure;
        failure.message = "element access: the mask is undefined (a Mask{} has no shape)";
        failure.advice = "A Mask{} has no shape.";
        failure.at = verdict::SourceLine{"softmax.cpp", 3, ""};
        const std::vector<build::SourceFile> files = {
            {"softmax.cpp", head + " {\n" + before + "\nif (mask(b, h, t, s)) return x;\n}\n"}};
        tell_what_a_mask_may_lack(failure, ReadSources(files));
        return *failure.advice;
    };
    EXPECT_THAT(told("Tensor softmax(const Tensor& x, const Mask& mask)", ""),
                HasSubstr("expand it to their shape first: mask.expand(scores.shape())."));
    EXPECT_EQ(told("Tensor softmax(const Tensor& x, const Mask& mask)", "const Mask all = mask.expand(x.shape());"),
              "A Mask{} has no shape.");
    EXPECT_EQ(told("Tensor softmax(const Tensor& x)", "Mask mask;"), "A Mask{} has no shape.") << "it is no argument";
    const auto by_another_name = [](const std::string& before) {
        verdict::Failure failure;
        failure.message = "element access: the mask is undefined (a Mask{} has no shape)";
        failure.advice = "A Mask{} has no shape.";
        failure.at = verdict::SourceLine{"f.cpp", 3, ""};
        const std::vector<build::SourceFile> files = {
            {"f.cpp", "Tensor f(const Mask& mask) {\n" + before + "\nif (blocked(b, h)) return x;\n}\n"}};
        tell_what_a_mask_may_lack(failure, ReadSources(files));
        return *failure.advice;
    };
    EXPECT_THAT(by_another_name("const Mask& blocked = mask;"), HasSubstr("mask may be a Mask{}"));
    EXPECT_EQ(by_another_name("const Mask& blocked = other;"), "A Mask{} has no shape.");
}

}  // namespace
}  // namespace headway::cli
