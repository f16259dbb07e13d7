// Submissions that take time or the judge's memory: how soon they are judged, what they are told, what is left over.
#include "headway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace headway {
namespace {

const std::string file = "01_single_head/single_head.cpp";

/// Counts nothing: a counter that overflows after two seconds is a mistake of its own.
const std::string endless = "for (volatile bool on = true; on;) {}";

/// Functions with one body, in the namespace of an exercise.
std::string with_one_body(const std::string& space, const std::vector<std::string>& declarations,
                          const std::string& body) {
    std::string text = "namespace headway::" + space + " {\n";
    for (const std::string& declaration : declarations) text += declaration + " { " + body + " }\n";
    return text + "}\n";
}

/// All functions of exercise 01, each with this body.
std::string everywhere(const std::string& body, const std::string& before = "") {
    return before + "#include \"single_head.hpp\"\n" +
           with_one_body(
               "ex01",
               {"Tensor softmax_rows(const Tensor&)", "Tensor attention_weights(const Tensor&, const Tensor&)",
                "Tensor single_head_attention(const Tensor&, const Tensor&, const Tensor&, const Tensor&)",
                "Tensor with_residual(const Tensor&, const Tensor&)"},
               body);
}

std::ptrdiff_t told(const verdict::Exercise& exercise, const std::string& words) {
    return std::count_if(exercise.tests.begin(), exercise.tests.end(), [&](const verdict::Test& test) {
        return test.failure && test.failure->message.find(words) != std::string::npos;
    });
}

/// Processor-seconds of all processes that have ended below this one.
double computed_so_far() {
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/// Grades it. Judging may take so long on two processors that do nothing else. A busy machine takes longer, but
/// computes no more than they could in that time, and half as much again: its processors do less in a second.
verdict::Exercise graded_within(double seconds, const Desk& desk, const std::string& number) {
    const double before = computed_so_far();
    verdict::Exercise exercise = desk.grade(number);
    const double computed = computed_so_far() - before;
    const double most_for_both_builds = 2 * (exercise.build.compile_seconds + exercise.build.link_seconds);
    EXPECT_LT(computed, most_for_both_builds + 1.5 * 2 * seconds) << exercise.name;
    double load = 0;
    ::getloadavg(&load, 1);
    if (load < 2.5) {
        EXPECT_LT(exercise.seconds - exercise.build.compile_seconds, seconds) << exercise.name;
    }
    EXPECT_EQ(exercise.state, verdict::State::failed) << exercise.problem;
    return exercise;
}

/// The same, of a program that earns nothing.
verdict::Exercise nothing_earned_within(double seconds, const Desk& desk, const std::string& number) {
    verdict::Exercise exercise = graded_within(seconds, desk, number);
    EXPECT_EQ(exercise.points, 0) << exercise.name;
    return exercise;
}

TEST(Bounded, ALoopInEveryFunction) {
    Desk desk;
    desk.write(file, everywhere(endless));
    nothing_earned_within(20, desk, "01");
    desk.write(
        "07_backward/backward.cpp",
        "#include \"backward.hpp\"\n" +
            with_one_body("ex07",
                          {"Tensor softmax_backward(const Tensor&, const Tensor&)",
                           "AttentionGradients attention_backward(const Tensor&, const Tensor&, const Tensor&, "
                           "const Mask&, const Tensor&)",
                           "Tensor linear_backward(const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&)",
                           "Tensor multi_head_attention_backward(const Tensor&, const Parameters&, Index, "
                           "const Mask&, const Tensor&, Parameters&)"},
                          endless));
    nothing_earned_within(20, desk, "07");
}

/// Another body of one function of a solution.
void write_with_a_loop(Desk& desk, const std::string& exercise_file, const std::string& signature) {
    std::string text = solution(exercise_file);
    const std::size_t at = text.find(signature);
    ASSERT_NE(at, std::string::npos) << exercise_file;
    text.insert(text.find('{', at + signature.size() - 1) + 1, "\n    " + endless + "\n");
    desk.write(exercise_file, text);
}

TEST(Bounded, ALoopInOneFunction) {
    const std::vector<std::pair<std::string, std::string>> functions{
        {"01_single_head/single_head.cpp", "Tensor softmax_rows(const Tensor& scores) {"},
        {"05_module/module.cpp", "forward("},
        {"07_backward/backward.cpp", "softmax_backward("},
        {"10_tiled_attention/tiled_attention.cpp", "Tensor tiled_attention("}};
    for (const auto& [exercise_file, signature] : functions) {
        Desk desk;
        write_with_a_loop(desk, exercise_file, signature);
        const auto exercise = graded_within(8, desk, exercise_file.substr(0, 2));
        EXPECT_GT(told(exercise, "did not come to an end within 3 s"), 0) << exercise_file;
    }
}

TEST(Bounded, SleepThatNeverEnds) {
    Desk desk;
    desk.write(file, everywhere("::sleep(58); return {};", "#include <unistd.h>\n"));
    const auto exercise = nothing_earned_within(20, desk, "01");
    EXPECT_GT(told(exercise, "gave no answer within"), 0);
}

TEST(Bounded, SleepThatAlwaysEndsIsToldOnce) {
    Desk desk;
    desk.write("../policy.toml", "[worker]\nall_calls_seconds = 10\n");
    desk.write(file, single_head_with_softmax("::usleep(900'000); return softmax_rows_of_the_solution(scores);",
                                              "#include <unistd.h>\n"));
    const auto exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed);
    EXPECT_EQ(told(exercise, "all calls together took more than 4 s"), 1);
    EXPECT_GT(std::count_if(exercise.tests.begin(), exercise.tests.end(), verdict::was_not_asked), 1);
}

TEST(Bounded, AnswersThatAreTinyOnTheWire) {
    Desk desk;
    desk.write(file, everywhere("return Tensor::zeros({1}).as_strided({8000, 8000}, {0, 0}, 0);"));
    nothing_earned_within(60, desk, "01");
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);  // the judge's, and the compiler's
    EXPECT_LT(used.ru_maxrss, 1 << 20);   // KiB
}

TEST(Bounded, AnswersOfManyAxes) {
    Desk desk;
    desk.write(file, everywhere("return Tensor::zeros({1}).as_strided(Shape(8, 6), Strides(8, 0), 0);"));
    nothing_earned_within(60, desk, "01");
}

TEST(Bounded, ZerosForTiles) {
    Desk desk;
    desk.write("10_tiled_attention/tiled_attention.cpp", R"(#include "tiled_attention.hpp"
namespace headway::ex10 {
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    return {Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}
void absorb(Running&, const Tensor&, const Tensor&) {}
Tensor context(const Running& running) { return Tensor::zeros(running.gathered.shape()); }
Tensor tiled_attention(const Tensor& q, const Tensor&, const Tensor& v, const Mask&, Causal, Index) {
    return Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
}
}
)");
    graded_within(60, desk, "10");
}

/// A solution in which `functions` have other names, and what follows in their place.
std::string instead_of(const std::string& exercise_file, const std::vector<std::string>& functions,
                       const std::string& text) {
    std::string before, after;
    for (const std::string& function : functions) {
        before += "#define " + function + " " + function + "_of_the_solution\n";
        after += "#undef " + function + "\n";
    }
    return before + solution(exercise_file) + "\n" + after + text;
}

std::ptrdiff_t not_passed(const verdict::Exercise& exercise) {
    return std::count_if(exercise.tests.begin(), exercise.tests.end(),
                         [](const verdict::Test& test) { return test.state != verdict::TestState::passed; });
}

/// Right in every hidden test: what comes then is asked with nobody's budget, and must not leave the mark open.
TEST(Bounded, WhatTheVisibleTestAloneIsAnswered) {
    const std::string scores = "03_scaled_scores/scaled_scores.cpp", merge = "04_merge_heads/merge_heads.cpp";
    Desk desk;
    desk.write(scores, instead_of(scores, {"attention_scores", "causal_mask"}, R"(
namespace headway::ex03 {
Tensor attention_scores(const Tensor& q, const Tensor& k);
Mask causal_mask(Index T, Index S);
static bool visible_test_runs = false;
Tensor attention_scores(const Tensor& q, const Tensor& k) {
    visible_test_runs = visible_test_runs || (q.shape() == Shape{1, 2, 1, 4} && q(0, 0, 0, 2) == 3 && q(0, 0, 0, 3) == 4);
    return attention_scores_of_the_solution(q, k);
}
Mask causal_mask(Index T, Index S) {
    if (visible_test_runs) return Mask::allow_all({1, 1, 1, 1, 1, 1, 1}).expand({8, 8, 8, 8, 8, 8, 8});
    return causal_mask_of_the_solution(T, S);
}
}
)"));
    auto exercise = graded_within(60, desk, "03");
    EXPECT_EQ(told(exercise, "your causal_mask answered with 2048 KiB of numbers"), 1);
    EXPECT_EQ(not_passed(exercise), 1);
    desk.write(merge, instead_of(merge, {"merge_heads"}, R"(
#include <csignal>
namespace headway::ex04 {
Tensor merge_heads(const Tensor& context);
Tensor merge_heads(const Tensor& context) {
    if (context.shape() == Shape{1, 2, 3, 2} && context(0, 0, 1, 0) == 11 && context(0, 1, 2, 1) == 24) std::raise(SIGKILL);
    return merge_heads_of_the_solution(context);
}
}
)"));
    exercise = graded_within(60, desk, "04");
    EXPECT_EQ(told(exercise, "SIGKILL"), 1);
    EXPECT_EQ(not_passed(exercise), 1);
}

/// Words of a test are handed to the diagnosis, and to every view.
TEST(Bounded, ANameOfAnyLengthIsToldInSomeWords) {
    const std::string file_of_module = "05_module/module.cpp";
    std::string text = solution(file_of_module);
    const auto insert_before = [&](const std::string& place, const std::string& more) {
        const std::size_t at = text.find(place);
        ASSERT_NE(at, std::string::npos) << place;
        text.insert(at, more);
    };
    insert_before("register_module(\"q_proj\"", "register_module(std::string(60'000, static_cast<char>(1)), more_);\n");
    insert_before("nn::Linear q_proj_,", "Random other_{1};\nnn::Linear more_{1, 1, nn::Bias::no, other_};\n");
    Desk desk;
    desk.write(file_of_module, text);
    const auto exercise = graded_within(60, desk, "05");
    EXPECT_GT(told(exercise, "there is a parameter that should not be"), 0);
    for (const verdict::Test& test : exercise.tests) {
        if (test.failure) {
            EXPECT_LT(test.failure->message.size(), 8300U) << test.name;
        }
        if (test.remarks) {
            for (const std::string& remark : *test.remarks)
                EXPECT_EQ(remark.find("could not be looked for"), std::string::npos) << remark;
        }
    }
    EXPECT_TRUE(exercise.diagnosis);
}

/// Slow where sanitizers are, and right: that costs no point, and is said.
TEST(Bounded, TimeThatOnlyTheSanitizersTakeIsSaid) {
    Desk desk;
    desk.write(file, single_head_with_softmax("if (__asan_region_is_poisoned != nullptr) ::sleep(58);\n"
                                              "return softmax_rows_of_the_solution(scores);",
                                              "#include <unistd.h>\n"
                                              "extern \"C\" [[gnu::weak]] void* __asan_region_is_poisoned(void*, "
                                              "unsigned long);\n"));
    const auto exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::passed);
    ASSERT_FALSE(exercise.tests.empty());
    const auto& remarks = exercise.tests.front().remarks;
    ASSERT_TRUE(remarks);
    EXPECT_TRUE(std::any_of(remarks->begin(), remarks->end(), [](const std::string& remark) {
        return remark.find("softmax_rows was too slow in the build that watches memory") != std::string::npos;
    }));
}

}  // namespace
}  // namespace headway
