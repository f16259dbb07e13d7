#pragma once

#include "headway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

/// Exercise 06, where the submission is a file of tests.
namespace headway::catch_the_bug {

constexpr const char* tests_file = "06_catch_the_bug/catch_the_bug.cpp";

/// A submission of these tests alone, after a small vocabulary.
inline std::string tests(const std::string& text) {
    return R"(#include "catch_the_bug.hpp"
#include <random>
#include <string>
namespace headway::ex06 {
Inputs ones() {
    Inputs in;
    in.query = in.key = in.value = Tensor::ones({2, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    in.num_heads = 2;
    return in;
}
)" + text + "}\n";
}

/// The solution, with more tests.
inline std::string solution_and(const std::string& text) { return solution(tests_file) + tests(text); }

inline verdict::Exercise graded(const std::string& text) {
    Desk desk;
    desk.write(tests_file, text);
    return desk.grade("06");
}

inline const verdict::Test& right_ones(const verdict::Exercise& exercise) {
    return *std::ranges::find(exercise.tests, std::string("RightOnesPass"), &verdict::Test::name);
}

/// Whether one of its remarks says so.
inline bool remarks(const verdict::Exercise& exercise, const std::string& words) {
    const auto& told = right_ones(exercise).remarks;
    return told &&
           std::ranges::any_of(*told, [&](const auto& remark) { return remark.find(words) != std::string::npos; });
}

/// What is said of right attentions that fail, or of a property that is not caught.
inline std::string told(const verdict::Exercise& exercise, const std::string& test) {
    const auto found = std::ranges::find(exercise.tests, test, &verdict::Test::name);
    return found == exercise.tests.end() || !found->failure ? "" : found->failure->message;
}

inline void expect_said(const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
}

}  // namespace headway::catch_the_bug
