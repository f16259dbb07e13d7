// What is said of a failure beside the line where it happened.
#include "grading/where_it_failed.hpp"

#include "grading/causes_in_loops.hpp"
#include "grading/causes_in_source.hpp"
#include "submission/words_of_files.hpp"

#include <gtest/gtest.h>

namespace headway::cli {
namespace {

/// Fails with this message, and an advice; a mistake in `named` has a name.
verdict::Exercise failing(const std::string& message, const std::string& named) {
    verdict::Exercise exercise;
    verdict::Test test;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->function = "masked_softmax";
    test.failure->message = message;
    test.failure->advice = "Look at where its loop ends.";
    exercise.tests = {test};
    verdict::NamedMistake mistake;
    mistake.functions = {named};
    exercise.diagnosis.emplace();
    exercise.diagnosis->mistakes = {mistake};
    leave_causes_to_names(exercise);
    return exercise;
}

constexpr const char* too_far = "your masked_softmax threw std::out_of_range: index 6 is out of range for axis 0";

TEST(WhereItFailed, WhyAnIndexGoesTooFarIsGuessedOnlyWhereNoNameSaysIt) {
    EXPECT_FALSE(failing(too_far, "masked_softmax").tests[0].failure->advice);
    EXPECT_FALSE(failing(too_far, "masked_softmax (causal)").tests[0].failure->advice);
    EXPECT_TRUE(failing(too_far, "causal_mask").tests[0].failure->advice);
}

TEST(WhereItFailed, TheFunctionThatLacksAReturnIsTheOneAtTheLine) {
    const std::vector<build::SourceFile> backward = {
        {"backward.cpp", "Tensor linear_backward(const Tensor& x) {\n}\nTensor\nwhole(const Tensor& x) {\n}\n"}};
    const auto told_at = [&](int line) {
        verdict::Failure failure;
        failure.function = "whole";
        failure.message = "your whole can end without returning a value at backward.cpp:" + std::to_string(line);
        failure.sanitizer.emplace();
        failure.sanitizer->file = "backward.cpp";
        failure.sanitizer->line = line;
        name_what_lacks_a_return(failure, ReadSources(backward));
        return failure.message;
    };
    EXPECT_EQ(told_at(1), "your linear_backward can end without returning a value at backward.cpp:1");
    EXPECT_EQ(told_at(4), "your whole can end without returning a value at backward.cpp:4");
    EXPECT_EQ(told_at(2), "your whole can end without returning a value at backward.cpp:2")
        << "a lambda's line, perhaps";
}

TEST(WhereItFailed, AListInBracesIsNotSoManyZeros) {
    const auto told = [](const std::string& lengths, const std::string& line) {
        verdict::Failure failure;
        failure.function = "make_cache";
        failure.message = "the lengths are " + lengths + "; they should be (0, 0, 0, 0, 0)";
        const std::vector<build::SourceFile> files = {
            {"kv_cache.cpp", "Cache make_cache(Index B) {\n    " + line + "\n    return {lengths};\n}\n"}};
        tell_which_list_has_braces(failure, ReadSources(files));
        return failure;
    };
    const verdict::Failure one = told("(5)", "std::vector<Index> lengths{B};");
    EXPECT_EQ(one.advice,
              "In braces, {B} is a list of the one number B. B zeros are std::vector<Index>(B, 0), in "
              "parentheses.");
    ASSERT_TRUE(one.at);
    EXPECT_EQ(one.at->line, 2);
    EXPECT_EQ(
        told("(5, 0)", "auto lengths = std::vector<Index>{B, 0};").advice,
        "In braces, {B, 0} is a list of these two numbers. B zeros are std::vector<Index>(B, 0), in parentheses.");
    EXPECT_FALSE(told("(5)", "std::vector<Index> lengths(1, B);").advice);
    EXPECT_FALSE(told("(5, 5)", "std::vector<Index> lengths{B};").advice);
    EXPECT_FALSE(told("()", "std::vector<Index> lengths{};").advice);
}

TEST(WhereItFailed, AFunctionThatCallsItselfWithACloneIsToldWhatThatKeeps) {
    verdict::Failure failure;
    failure.message = "your append recurses without end: does it call itself, or do two call each other?";
    failure.at = verdict::SourceLine{"kv_cache.cpp", 1, "return append(cache, k.clone());"};
    const std::vector<build::SourceFile> without = {{"kv_cache.cpp", "void append() {\n}\n"}};
    const std::vector<build::SourceFile> with = {{"head_splitting.cpp", "Tensor contiguous(const Tensor& x) {\n}\n"}};
    tell_what_clone_keeps(failure, ReadSources(without));
    EXPECT_EQ(
        failure.advice,
        "clone() keeps the strides: what was not contiguous is not contiguous now. contiguous() gives a row-major "
        "one.");
    tell_what_clone_keeps(failure, ReadSources(with));
    EXPECT_NE(failure.advice->find("Tensor::empty(x.shape())"), std::string::npos);
    std::vector<build::SourceFile> long_ones = with;
    long_ones.push_back({"more.hpp", std::string(build::most_words_for_advice, ';')});
    const ReadSources unread(long_ones);
    tell_what_clone_keeps(failure, unread);
    EXPECT_TRUE(failure.advice->ends_with("is not contiguous now.")) << *failure.advice;
    EXPECT_FALSE(unread.definition_of("contiguous"));
    EXPECT_TRUE(unread.words_of("more.hpp").empty() && unread.functions_of("head_splitting.cpp").empty());
    failure.advice.reset();
    failure.at->text = "return append(cache, k);";
    tell_what_clone_keeps(failure, ReadSources(without));
    EXPECT_FALSE(failure.advice);
}

TEST(WhereItFailed, APointerThatWasNeverSetIsToldWithTheVariableThatHidesIt) {
    const auto told = [](const std::string& line, const std::string& mistake) {
        verdict::CompilerMessage warning;
        warning.text = "declaration of 'q_proj' shadows a member of 'MyAttention' [-Wshadow]";
        warning.at = verdict::SourceLine{"module.cpp", 17, line};
        warning.advice = "This makes a new variable q_proj.";
        verdict::Diagnosis diagnosis;
        diagnosis.functions.emplace_back().mistakes = {mistake};
        tell_what_hides_a_member(diagnosis, {warning}, {{"module.cpp", "return q_proj->forward(x);"}});
        return diagnosis.functions.front().sentences;
    };
    EXPECT_EQ(
        told("auto q_proj = std::make_unique<nn::Linear>(D, E);", "null_pointer_followed"),
        std::vector<std::string>{"module.cpp:17: auto q_proj = std::make_unique<nn::Linear>(D, E);  This makes a new "
                                 "variable q_proj."});
    EXPECT_EQ(told("auto q_proj = std::make_unique<nn::Linear>(D, E);", "used_after_freed").size(), 1U);
    EXPECT_TRUE(told("auto q_proj = std::make_unique<nn::Linear>(D, E);", "argument_changed").empty());
    EXPECT_TRUE(told("auto v_proj = std::make_unique<nn::Linear>(D, E);", "used_after_freed").empty());
    EXPECT_TRUE(told("explicit MyAttention(nn::Linear* q_proj = nullptr)", "used_after_freed").empty());
}

TEST(WhereItFailed, AContinueGoesPastWhatEndsTheLoop) {
    verdict::Failure failure;
    failure.function = "f";
    failure.at = verdict::SourceLine{"scores.cpp", 3, "while (s < S) {"};
    const std::vector<build::SourceFile> files = {
        {"scores.cpp",
         "void f(const Mask& m, Index S) {\n    Index s = 0;\n    while (s < S) {\n"
         "        if (m(0, s)) continue;\n        s++;\n    }\n}\n"}};
    tell_what_continue_skips(failure, ReadSources(files));
    EXPECT_EQ(failure.advice, "The continue in line 4 goes past line 5, where s changes: s++;");
}

TEST(WhereItFailed, ALoopIsToldWithTheNumbersForWhichItNeverEnds) {
    const auto told = [](const std::string& called, const std::string& before, const std::string& loop) {
        verdict::Failure failure;
        failure.function = called;
        failure.at = verdict::SourceLine{"numbers.cpp", 3, loop};
        const std::vector<build::SourceFile> files = {
            {"numbers.cpp", "float nearest(float size, Index w) {\n    " + before + "\n    " + loop + "\n}\n"}};
        tell_for_what_a_loop_goes_on(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(
        told("softmax_in_half", "float power = 1;", "while (power * 2 <= size) power *= 2;"),
        "That loop is in nearest. Where size is infinite, power * 2 <= size never becomes false: power grows until "
        "it is infinite as well, and infinity <= infinity. Look for infinite numbers before the loop.");
    EXPECT_EQ(
        told("nearest", "const Index step = w / 8;", "for (Index t = 0; t < 9; t += step) f(t + step);"),
        "step is added to t in each round, and may be 0: line 2 sets it to w / 8, which is 0 where w is below 8.");
    EXPECT_EQ(told("nearest", "", "for (Index t = 0; t < 9; t += w) f(t);"),
              "w is added to t in each round: where w is 0, the loop never ends.");
    EXPECT_EQ(told("nearest", "if (w < 1) return 0;", "for (Index t = 0; t < 9; t += w) f(t);"), "");
}

TEST(WhereItFailed, ASumBeginsWithZeros) {
    const auto told = [](const std::string& declared, const std::string& line) {
        verdict::Failure failure;
        failure.message = "your f threw std::invalid_argument: a += b: a tensor is undefined (a Tensor{} has no shape)";
        failure.advice = "Ask defined() first.";
        failure.at = verdict::SourceLine{"backward.cpp", 3, line};
        const std::vector<build::SourceFile> files = {
            {"backward.cpp", "Tensor f(const Tensor& x) {\n" + declared + "\n" + line + "\nreturn sum;\n}\n"}};
        tell_how_a_sum_begins(failure, ReadSources(files));
        return *failure.advice;
    };
    EXPECT_EQ(told("Tensor sum;", "sum += x;"),
              "sum holds nothing when something is added to it for the first time: begin with Tensor sum = "
              "Tensor::zeros(…), in the shape of the result.");
    EXPECT_NE(told("Tensor sum{};", "sum += x;"), "Ask defined() first.");
    EXPECT_EQ(told("Tensor sum = g(x);", "sum += x;"), "Ask defined() first.");
    EXPECT_EQ(told("Tensor sum; sum = g(x);", "sum += x;"), "Ask defined() first.");
    EXPECT_EQ(told("Tensor sum; fill(sum);", "sum += x;"), "Ask defined() first.");
    EXPECT_EQ(told("Tensor sum;", "sum = sum + x;"), "Ask defined() first.");
    EXPECT_EQ(told("", "x += 1;"), "Ask defined() first.") << "an argument";
}

TEST(WhereItFailed, TheMistakeIsInTheFunctionThatHoldsTheLine) {
    const std::vector<build::SourceFile> single_head = {
        {"single_head.cpp",
         "Tensor softmax_rows(const Tensor& x) {\n    raised[s] = 1;\n}\n"
         "Tensor attention_weights(const Tensor& q) {\n    return softmax_rows(q);\n}\n"}};
    verdict::Exercise exercise;
    exercise.diagnosis.emplace();
    const auto fails = [&](const std::string& function, int line) {
        verdict::Test test;
        test.state = verdict::TestState::failed;
        test.failure.emplace();
        test.failure->function = function;
        test.failure->kind = verdict::FailureKind::sanitizer;
        test.failure->at.emplace();
        test.failure->at->file = "single_head.cpp";
        test.failure->at->line = line;
        exercise.tests.push_back(test);
        verdict::FunctionDiagnosis found;
        found.function = function;
        found.state = verdict::FunctionState::named;
        found.mistakes = {"null_pointer_followed"};
        exercise.diagnosis->functions.push_back(found);
    };
    fails("softmax_rows", 2);
    fails("attention_weights", 2);
    tell_in_whose_lines(exercise, single_head);
    EXPECT_FALSE(exercise.diagnosis->functions[0].inherited);
    EXPECT_EQ(exercise.diagnosis->functions[1].inherited, std::vector<std::string>{"null_pointer_followed"});
    exercise.diagnosis->functions[1].inherited.reset();
    exercise.tests[1].failure->at->line = 5;
    tell_in_whose_lines(exercise, single_head);
    EXPECT_FALSE(exercise.diagnosis->functions[1].inherited) << "it has a line of its own";
    // Of memory that is read too early, the line that makes it is known.
    for (verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
        one.mistakes = {"uninitialised_memory"};
        one.at = verdict::SourceLine{"single_head.cpp", 2, ""};
    }
    tell_in_whose_lines(exercise, single_head);
    EXPECT_FALSE(exercise.diagnosis->functions[0].inherited);
    EXPECT_EQ(exercise.diagnosis->functions[1].inherited, std::vector<std::string>{"uninitialised_memory"});
    exercise.diagnosis->functions[1].inherited.reset();
    exercise.diagnosis->functions[1].at->line = 5;
    tell_in_whose_lines(exercise, single_head);
    EXPECT_FALSE(exercise.diagnosis->functions[1].inherited) << "it has memory of its own";
}

TEST(WhereItFailed, TheFunctionThatWasCalledGotThereThroughALineOfItsOwn) {
    const std::vector<build::SourceFile> grouped = {{"grouped.cpp",
                                                     "Tensor attend(const Tensor& q) {\n"
                                                     "    throw std::invalid_argument(\"q\");\n"
                                                     "}\n"
                                                     "Tensor layer(const Tensor& x) {\n"
                                                     "    const Tensor y =\n"
                                                     "        attend(x);\n"
                                                     "}\n"}};
    const auto at = [](int line, std::string text) {
        return verdict::SourceLine{"grouped.cpp", line, std::move(text)};
    };
    const build::ThrowSite site{.line = at(2, "throw"), .callers = {at(6, "attend(x);")}};
    const build::SourceLines own(grouped);
    const auto way = way_through("layer (masked)", site, own);
    ASSERT_TRUE(way);
    EXPECT_EQ(way->line, 5);
    EXPECT_EQ(way->text, "const Tensor y = attend(x);");
    EXPECT_FALSE(way_through("attend", site, own)) << "the line is its own";
    EXPECT_FALSE(way_through("pool", site, own)) << "no line of it is on the way";
    build::ThrowSite cleared_up = site;
    for (verdict::SourceLine& caller : cleared_up.callers) caller.text = "}";
    EXPECT_FALSE(way_through("layer", cleared_up, own)) << "its last bracket is no call";
}

TEST(WhereItFailed, NothingIsGuessedOfWhatWorksOnWrongNumbers) {
    verdict::Exercise exercise;
    verdict::Test test;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->function = "decode";
    test.failure->message = "your decode threw std::out_of_range: slice: [0, 15) is out of range for axis 2 of size 13";
    test.failure->advice = "That reaches past the end.";
    exercise.tests = {test};
    exercise.diagnosis.emplace();
    verdict::FunctionDiagnosis decode;
    decode.function = "decode";
    decode.state = verdict::FunctionState::unrecognised;
    exercise.diagnosis->functions = {decode};
    leave_causes_to_names(exercise);
    EXPECT_TRUE(exercise.tests[0].failure->advice);
    exercise.diagnosis->functions[0].state = verdict::FunctionState::unjudged;
    leave_causes_to_names(exercise);
    EXPECT_FALSE(exercise.tests[0].failure->advice) << "what an earlier function gave it is wrong";
}

TEST(WhereItFailed, AnIndexThatRunsAwayIsToldWithTheLoopThatCountsIt) {
    const auto told = [](const std::string& head) {
        verdict::Failure failure;
        failure.message =
            "your f threw std::out_of_range: index 10 is out of range for axis 0 of size 10, shape (10, 11)";
        failure.advice = "Does its loop end too late?";
        const std::string source =
            "void f(const Tensor& x, Index T, Index S) {\n    for (Index t = 0; t < T; ++t)\n        " + head +
            "\n            sum += x(t, s);\n}\n";
        failure.at = verdict::SourceLine{"f.cpp", 4, "sum += x(t, s);"};
        const std::vector<build::SourceFile> files = {{"f.cpp", source}};
        tell_what_counts_another(failure, ReadSources(files));
        return *failure.advice;
    };
    EXPECT_EQ(told("for (Index s = 0; s < S; ++t)"),
              "It is in the loop of line 3, whose condition reads s and whose head counts t: such a loop goes on until "
              "something stops it. Is s meant in place of t? for (Index s = 0; s < S; ++t)");
    EXPECT_EQ(told("for (Index s = 0; s < S; ++s)"), "Does its loop end too late?");
    EXPECT_EQ(told("for (Index s = 0; s < S; ++t, ++s)"), "Does its loop end too late?");
}

TEST(WhereItFailed, BesideATensorWithoutValuesTheOthersOfItsFunctionAreTold) {
    const std::vector<build::SourceFile> backward = {
        {"backward.cpp",
         "void other() {\n    Tensor x = Tensor::empty({1});\n}\nvoid f() {\n    Tensor gq = Tensor::empty({1});\n"
         "    Tensor gk = Tensor::empty({1});\n    Tensor gv = Tensor::empty({1});\n}\n"}};
    verdict::FunctionDiagnosis function;
    function.at = verdict::SourceLine{"backward.cpp", 6, "Tensor gk = Tensor::empty({1});"};
    tell_of_other_empty_ones(function, ReadSources(backward));
    ASSERT_EQ(function.sentences.size(), 1U);
    EXPECT_NE(function.sentences[0].find("Tensor::empty in lines 5 and 7, too"), std::string::npos);
    function.sentences.clear();
    function.at->text = "float sum;";
    tell_of_other_empty_ones(function, ReadSources(backward));
    EXPECT_TRUE(function.sentences.empty());
}

TEST(WhereItFailed, WhereAViewIsRefusedNoSizesAreSuspected) {
    const auto right_of = [](const std::string& threw) {
        verdict::Exercise exercise = failing(threw, "masked_softmax");
        exercise.tests[0].failure->kind = verdict::FailureKind::exception;
        exercise.diagnosis->mistakes[0].id = "refuses_what_fits";
        exercise.diagnosis->mistakes[0].right = "all else gets an answer; D and E may differ";
        leave_out_sizes(exercise);
        return exercise.diagnosis->mistakes[0].right;
    };
    EXPECT_EQ(right_of("view: (2, 3) as (6): the tensor is not contiguous (its strides are (0, 1), row-major would be"),
              "all else gets an answer");
    EXPECT_EQ(right_of("matmul: (2, 3) x (4, 5)"), "all else gets an answer; D and E may differ");
}

TEST(WhereItFailed, WhatTheLibraryRefusedIsExplainedBesideAName) {
    EXPECT_TRUE(failing("threw std::invalid_argument: view: …", "masked_softmax").tests[0].failure->advice);
}

}  // namespace
}  // namespace headway::cli
