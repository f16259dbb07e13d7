// What a function has not from an earlier one, since it does not call it.
#include "grading/shared_helpers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headway::cli {
namespace {

using verdict::FunctionState;
using verdict::TestState;

/// append and decode call one helper; decode calls `of_decode`, too.
std::vector<build::SourceFile> cache_that_calls(const std::string& of_decode) {
    return {{"kv_cache.cpp",
             "namespace headway::ex08 {\n"
             "static void check(const Cache& cache, Index n) {\n"
             "    if (n > 9) throw std::invalid_argument(\"append: full\");  // as append says\n"
             "}\n"
             "void append(Cache& cache, const Tensor& k) {\n"
             "    check(cache, k.size(2));\n"
             "}\n"
             "static void put(Cache& cache) {\n"
             "    " +
                 of_decode +
                 "\n"
                 "}\n"
                 "Tensor decode(Cache& cache, const Tensor& x) {\n"
                 "    check(cache, x.size(1));\n"
                 "    put(cache);\n"
                 "    return x;\n"
                 "}\n"
                 "}\n"}};
}

verdict::Exercise with_a_mistake_in_both() {
    verdict::Exercise exercise;
    verdict::Diagnosis& diagnosis = exercise.diagnosis.emplace();
    diagnosis.mistakes.emplace_back().id = "room_for_padding";
    diagnosis.mistakes[0].functions = {"append", "decode"};
    for (const std::string& function : diagnosis.mistakes[0].functions) {
        diagnosis.functions.emplace_back().function = function;
        diagnosis.functions.back().state = FunctionState::named;
        diagnosis.functions.back().mistakes = {"room_for_padding"};
    }
    diagnosis.functions[1].inherited = diagnosis.functions[1].mistakes;
    return exercise;
}

TEST(SharedHelpers, AreNoReasonToHaveAMistakeFromAnotherFunction) {
    const auto is_inherited = [](const std::string& of_decode) {
        verdict::Exercise exercise = with_a_mistake_in_both();
        settle_shared_helpers(exercise, cache_that_calls(of_decode));
        return exercise.diagnosis->functions[1].inherited.has_value();
    };
    EXPECT_FALSE(is_inherited("cache.k(0, 0, 0, 0) = 1;"));
    EXPECT_TRUE(is_inherited("append(cache, k);"));
    EXPECT_TRUE(is_inherited("if (true) {")) << "not written as it is read: nothing is certain";
    verdict::Exercise given = with_a_mistake_in_both();
    given.diagnosis->functions[1].inherited.reset();
    given.diagnosis->functions[1].given_own = true;
    settle_shared_helpers(given, cache_that_calls(""));
    EXPECT_FALSE(given.diagnosis->functions[1].given_own);
    EXPECT_FALSE(given.diagnosis->functions[1].inherited);
    verdict::Exercise elsewhere = with_a_mistake_in_both();
    settle_shared_helpers(elsewhere, {});
    EXPECT_TRUE(elsewhere.diagnosis->functions[1].inherited) << "nobody knows what it calls";
    verdict::Exercise handed = with_a_mistake_in_both();
    handed.tests.emplace_back().failure.emplace().function = "decode";
    handed.tests[0].failure->story = {"append(cache)", "decode(cache)"};
    settle_shared_helpers(handed, cache_that_calls(""));
    EXPECT_TRUE(handed.diagnosis->functions[1].inherited) << "it works on what append left";
}

/// Whether decode, which throws at this line, still depends on append; and what is said of it then.
/// @param waits  whether its test does, too
std::pair<bool, FunctionState> waits_where_it_throws_at(int line, const std::string& of_decode, bool waits = true) {
    verdict::Exercise exercise = with_a_mistake_in_both();
    exercise.diagnosis->functions[1] = {};
    exercise.diagnosis->functions[1].function = "decode";
    exercise.diagnosis->functions[1].state = FunctionState::unjudged;
    verdict::Test& test = exercise.tests.emplace_back();
    test.state = TestState::failed;
    if (waits) test.depends_on = "append";
    test.failure.emplace().function = "decode";
    test.failure->kind = verdict::FailureKind::exception;
    test.failure->at = verdict::SourceLine{"kv_cache.cpp", line, ""};
    settle_shared_helpers(exercise, cache_that_calls(of_decode));
    return {test.depends_on.has_value(), exercise.diagnosis->functions[1].state};
}

TEST(SharedHelpers, WhatThrowsBeforeItCallsAnotherWaitsForNone) {
    using Both = std::pair<bool, FunctionState>;
    constexpr int before = 12, behind = 14, of_helper = 3;
    EXPECT_EQ(waits_where_it_throws_at(before, "append(cache, k);"), Both(false, FunctionState::unrecognised));
    EXPECT_EQ(waits_where_it_throws_at(behind, "append(cache, k);"), Both(true, FunctionState::unjudged));
    EXPECT_EQ(waits_where_it_throws_at(of_helper, "append(cache, k);"), Both(true, FunctionState::unjudged));
    EXPECT_EQ(waits_where_it_throws_at(300, ""), Both(true, FunctionState::unjudged)) << "nowhere";
    const auto judged_alone = [&](int line, const std::string& of_decode) {
        return waits_where_it_throws_at(line, of_decode, false).second;
    };
    EXPECT_EQ(judged_alone(before, "append(cache, k);"), FunctionState::unrecognised);
    EXPECT_EQ(judged_alone(behind, "append(cache, k);"), FunctionState::unjudged);
    EXPECT_EQ(judged_alone(of_helper, "append(cache, k);"), FunctionState::unjudged);
}

TEST(SharedHelpers, WhatIsKeptIsFromItsKeeperWhereTheOtherIsRightGivenIt) {
    verdict::Exercise exercise = with_a_mistake_in_both();
    const std::vector<std::string> kept{"state_kept_between_calls"};
    exercise.diagnosis->mistakes[0].id = kept.front();
    for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) one.mistakes = kept;
    exercise.diagnosis->functions[1].inherited.reset();
    settle_shared_helpers(exercise, {});
    EXPECT_FALSE(exercise.diagnosis->functions[1].inherited) << "it may keep something itself";
    verdict::Test& test = exercise.tests.emplace_back();
    test.state = TestState::passed;
    test.given = "append";
    test.function = "decode";
    settle_shared_helpers(exercise, {});
    EXPECT_EQ(exercise.diagnosis->functions[1].inherited, kept);
    EXPECT_FALSE(exercise.diagnosis->functions[0].inherited);
}

/// mlp_backward lets something through, and so does block_backward, of which this is said.
verdict::Exercise letting_through(const std::string& of_block) {
    verdict::Exercise exercise;
    const auto add = [&](const char* function, const std::string& sentence) {
        verdict::FunctionDiagnosis& one = exercise.diagnosis->functions.emplace_back();
        one.function = function;
        one.state = FunctionState::named;
        one.mistakes = {"not_refused"};
        one.sentences = {sentence};
    };
    exercise.diagnosis.emplace();
    add("block_backward", of_block + ": your block_backward should throw std::invalid_argument");
    add("mlp_backward",
        "b_in has F = 1 where 9 would fit: your mlp_backward should throw std::invalid_argument; also let through: "
        "b_in is (1, 9) where (9) would fit");
    return exercise;
}

TEST(SharedHelpers, WhatIsNotRefusedIsFromWhatLetsTheSameThrough) {
    const auto is_inherited = [](const std::string& of_block, const std::string& body) {
        verdict::Exercise exercise = letting_through(of_block);
        settle_shared_helpers(exercise, {{"block.cpp",
                                          "void mlp_backward(int w) { use(w); }\n"
                                          "void block_backward(int w) { " +
                                              body + " }\n"}});
        EXPECT_FALSE(exercise.diagnosis->functions[1].inherited);
        return exercise.diagnosis->functions[0].inherited.has_value();
    };
    EXPECT_TRUE(is_inherited("b_in has F = 1 where 9 would fit", "mlp_backward(w);"));
    EXPECT_TRUE(is_inherited("b_in is (1, 9) where (9) would fit", "mlp_backward(w);"));
    EXPECT_FALSE(is_inherited("x is (9) where (1, 2, 9) would fit", "mlp_backward(w);"));
    EXPECT_FALSE(is_inherited("b_in has F = 1 where 9 would fit", "use(w);")) << "it has a check of its own";
    EXPECT_FALSE(is_inherited("b_in has F = 1 where 9 would fit", "mlp_backward;"));
}

TEST(SharedHelpers, AnEmptyVectorIsFromWhatMakesRoomAlone) {
    const auto is_inherited = [](const std::string& of_to_int8, const std::string& of_append) {
        verdict::Exercise exercise = letting_through("");
        for (const std::size_t i : {0U, 1U}) {
            exercise.diagnosis->functions[i].function = i == 0 ? "to_int8" : "append";
            exercise.diagnosis->functions[i].mistakes = {"vector_without_elements"};
        }
        settle_shared_helpers(exercise, {{"small_numbers.cpp", "void to_int8(int x) { " + of_to_int8 +
                                                                   " }\nvoid append(int x) { " + of_append + " }\n"}});
        EXPECT_FALSE(exercise.diagnosis->functions[0].inherited);
        return exercise.diagnosis->functions[1].inherited.has_value();
    };
    EXPECT_TRUE(is_inherited("codes.reserve(x);", "to_int8(x);"));
    EXPECT_FALSE(is_inherited("codes.reserve(x);", "to_int8(x); all.reserve(x);"));
    EXPECT_FALSE(is_inherited("codes.resize(0);", "to_int8(x);"));
    EXPECT_FALSE(is_inherited("codes.reserve(x);", "convert(x);"));
}

TEST(SharedHelpers, WhoElseDividesByZeroInThemIsTold) {
    const auto besides = [](const std::string& function, const std::string& symptom) {
        verdict::Exercise exercise = with_a_mistake_in_both();
        exercise.diagnosis->mistakes[0].functions = {"decode"};
        exercise.diagnosis->mistakes[0].symptom = symptom;
        verdict::Test& test = exercise.tests.emplace_back();
        test.state = TestState::failed;
        test.failure.emplace().function = function;
        test.failure->kind = verdict::FailureKind::sanitizer;
        test.failure->sanitizer.emplace().kind = "division by zero";
        test.failure->at = verdict::SourceLine{"kv_cache.cpp", 3, ""};
        settle_shared_helpers(exercise, cache_that_calls(""));
        return exercise.diagnosis->functions[1].besides;
    };
    constexpr const char* by_zero = "a division by zero kills the program";
    EXPECT_EQ(besides("append", by_zero), "append divides by zero in line 3, in check, which append and decode call");
    EXPECT_FALSE(besides("decode", by_zero)) << "that is told already";
    EXPECT_FALSE(besides("append", "rows are mixed up"));
}

}  // namespace
}  // namespace headway::cli
