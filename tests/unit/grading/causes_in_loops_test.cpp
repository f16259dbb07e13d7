// What the words of a submission say of a loop beside the line where it failed.
#include "grading/causes_in_loops.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

TEST(CausesInLoops, WhatNoRoundOfALoopChangesIsSaid) {
    const auto advice = [](const std::string& head, const std::string& body) {
        const std::string text =
            "void reach(Index layers) {\n    Index layer = 1;\n" + head + "\n" + body + "\n    }\n}\n";
        verdict::Failure failure;
        failure.function = "reach";
        failure.at = verdict::SourceLine{"long_texts.cpp", 3, head};
        const std::vector<build::SourceFile> files = {{"long_texts.cpp", text}};
        tell_for_what_a_loop_goes_on(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(
        advice("    while (layer < layers) {", "        use(layers);\n        step(2);"),
        "Its condition reads layer and layers. No line of the loop changes that, unless a function does that it is "
        "handed to: is a step missing?");
    EXPECT_EQ(advice("    while (layer < layers) {", "        use(++layer);"), "");
    EXPECT_EQ(advice("    while (layer < layers) {", "        step(2);"),
              "Its condition reads layer and layers, and nothing in the loop changes either.");
    EXPECT_EQ(advice("    while (layer < 9) {", "        step(2);"),
              "Its condition reads layer, and nothing in the loop changes it.");
    EXPECT_EQ(advice("    while (layer < layers) {", "        ++layer;"), "");
}

TEST(CausesInLoops, AStepThatSetsIsToldWhereverItStands) {
    const auto told = [](const std::string& step) {
        verdict::Failure failure;
        failure.at = verdict::SourceLine{"tiled.cpp", 2, "    for (Index i = 0; i < n; ++i) g(i);"};
        const std::vector<build::SourceFile> files = {
            {"tiled.cpp",
             "void row(Index n) {\n    for (Index i = 0; i < n; ++i) g(i);\n}\nvoid f(Index S) {\n    for "
             "(Index s = 0; s < S; " +
                 step + ") row(s);\n}\n"}};
        tell_of_a_step_that_sets(failure, ReadSources(files));
        return failure.advice ? std::to_string(failure.at->line) + ": " + *failure.advice : "";
    };
    EXPECT_EQ(told("s =+ tile"), "5: s =+ sets s to the same number in each round: += adds to it.");
    EXPECT_EQ(told("s += tile"), "");
    EXPECT_EQ(told("s = +tile"), "");
    EXPECT_EQ(told("++s) {\n// never s =+ tile\n} for (;;"), "") << "a comment";
}

TEST(CausesInLoops, TheLoopThatEndsTooLateIsThatOfTheAxis) {
    const auto told = [](const std::string& index) {
        verdict::Failure failure;
        failure.message = "index 1 is out of range for axis 2 of size 1, shape (5, 1, 1, 8)";
        failure.at = verdict::SourceLine{"kv_cache.cpp", 4, "mask(b, 0, " + index + ", s) = false;"};
        const std::vector<build::SourceFile> files = {
            {"kv_cache.cpp",
             "void f(Mask& mask) {\nfor (Index t = 0; t <= n; ++t)\nfor (Index s = 0; s <= limit; ++s)\n" +
                 failure.at->text + "\n}\n"}};
        tell_what_counts_another(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_TRUE(told("t").starts_with("The loop of line 2 goes on while t is <=")) << told("t");
    EXPECT_TRUE(told("at(t)").starts_with("The loop of line 2")) << told("at(t)");
    EXPECT_EQ(told("0"), "") << "neither loop counts that axis";
}

TEST(CausesInLoops, TheConditionAtTheEndOfALoopIsShown) {
    verdict::Failure failure;
    failure.function = "different_sizes";
    failure.at = verdict::SourceLine{"catch_the_bug.cpp", 3, "do {"};
    const std::vector<build::SourceFile> files = {{"catch_the_bug.cpp",
                                                   "void different_sizes(Random& random) {\nIndex T = 0, S = 0;\n"
                                                   "do {\nT = random.integer(2, 2);\nS = random.integer(2, 2);\n"
                                                   "} while (T == S);\n}\n"}};
    tell_for_what_a_loop_goes_on(failure, ReadSources(files));
    EXPECT_EQ(failure.advice.value_or(""),
              "Its condition, in line 6, was true in each round. Can it ever be false?  } while (T == S);");
}

TEST(CausesInLoops, WhatMovesTheEndOfALoopIsSaid) {
    const auto told = [](const std::string& behind) {
        verdict::Failure failure;
        failure.message =
            "your append threw std::out_of_range: select: position 1 is out of range for axis 0 of size 1";
        failure.at = verdict::SourceLine{"kv_cache.cpp", 4, "cache.k[b][p].copy_from(k[b][t]);"};
        const std::vector<build::SourceFile> files = {
            {"kv_cache.cpp",
             "void append(Cache& cache, const Tensor& k, const Shape& counts) {\n    Index t = 0;\n"
             "    for (Index p = cache.lengths[b]; p < cache.lengths[b] + counts[b]; ++p) {\n"
             "        cache.k[b][p].copy_from(k[b][t]);\n        " +
                 behind + "\n    }\n}\n"}};
        tell_whose_end_moves(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    for (const char* moves : {"++cache.lengths[b];", "cache.lengths[b]++;", "cache.lengths[b] += 1;"})
        EXPECT_EQ(told(moves),
                  "The end of that loop moves in each round: its head reads cache.lengths[b], and line 5 changes it. "
                  "Work out the end before the loop, or change cache.lengths[b] behind it.");
    EXPECT_EQ(told("++t;"), "");
    EXPECT_EQ(told("use(cache.lengths[b]);"), "");
}

TEST(CausesInLoops, TheContinueOfAHelperIsSaidWithItsName) {
    verdict::Failure failure;
    failure.function = "rotary_attention";
    failure.at = verdict::SourceLine{"positions.cpp", 3, "while (i < counts.size()) {"};
    const std::vector<build::SourceFile> files = {
        {"positions.cpp",
         "void rotate(const std::vector<Index>& counts) {\nstd::size_t i = 0;\n"
         "while (i < counts.size()) {\nif (counts[i] == 0) continue;\n"
         "use(counts[i]);\n++i;\n}\n}\n"}};
    tell_what_continue_skips(failure, ReadSources(files));
    EXPECT_EQ(failure.advice.value_or(""),
              "That loop is in rotate. The continue in line 4 goes past line 6, where i changes: ++i;");
}

TEST(CausesInLoops, TheLoopThatEndsOneRoundLateIsSaid) {
    const auto advice = [](const std::string& head, const std::string& size) {
        const std::string line = "        cache.k(b, start + t, i) = k(b, t, i);";
        const std::string text = "void append(Index n) {\n    for (Index t = 0; " + head +
                                 "; ++t)\n        for (Index i = 0; i < 5; ++i)\n" + line + "\n}\n";
        verdict::Failure failure;
        failure.at = verdict::SourceLine{"kv_cache.cpp", 4, line};
        failure.message = "index 7 is out of range for axis 1 of size " + size + ", shape (3, 7, 5)";
        const std::vector<build::SourceFile> files = {{"kv_cache.cpp", text}};
        tell_what_counts_another(failure, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_TRUE(advice("t <= n", "7")
                    .starts_with("The loop of line 2 goes on while t is <= its bound: with < it ends one round "
                                 "earlier. for (Index t = 0;"));
    EXPECT_EQ(advice("t < n", "7"), "");
    EXPECT_EQ(advice("n <= t", "7"), "") << "another name";
    EXPECT_EQ(advice("t <= n", "3"), "") << "it is not one too far";
}

TEST(CausesInLoops, TheLoopThatLeavesTheLastPieceIsSaid) {
    const std::vector<build::SourceFile> windows = {{"long_texts.cpp",
                                                     "Tensor window_attention(const Tensor& q, Index T) {\n"
                                                     "    Tensor out = Tensor::empty({T});\n"
                                                     "    for (Index t = 0; t + 16 <= T; t += 16) write(out, t);\n"
                                                     "    return out;\n"
                                                     "}\n"}};
    verdict::FunctionDiagnosis function;
    function.at = verdict::SourceLine{"long_texts.cpp", 2, "Tensor out = Tensor::empty({T});"};
    function.sentences = {"the same question gets another answer"};
    tell_what_leaves_the_end(function, ReadSources(windows));
    EXPECT_EQ(function.sentences.size(), 1U) << "it may be added to";
    function.sentences = {"numbers 64 to 65 of the 66 are what memory held before: do loops go that far?"};
    tell_what_leaves_the_end(function, ReadSources(windows));
    ASSERT_EQ(function.sentences.size(), 2U);
    EXPECT_EQ(function.sentences[1],
              "the loop in line 3 goes on only while t + 16 <= T: it does not reach what is left over after the "
              "last whole piece");
}

TEST(CausesInLoops, ThePieceThatIsNotCutIsSaid) {
    const std::vector<build::SourceFile> tiled = {{"tiled.cpp",
                                                   "void tiled(const Tensor& k, Index T, Index run) {\n"
                                                   "    for (Index t = 0; t < T; t += run) {\n"
                                                   "        const Index end = t + run;\n"
                                                   "        use(k.slice(2, t, end));\n"
                                                   "    }\n"
                                                   "}\n"}};
    const auto advice = [&](const std::string& guessed) {
        verdict::Failure failure;
        failure.at = verdict::SourceLine{"tiled.cpp", 4, "use(k.slice(2, t, end));"};
        failure.advice = guessed;
        tell_which_piece_is_not_cut(failure, ReadSources(tiled));
        return *failure.advice;
    };
    EXPECT_EQ(advice("That reaches past the end. If the axis is cut into pieces, the last one is shorter"),
              "That reaches past the end. In line 3, end is t + run, also for the last piece, which may be shorter: "
              "write std::min<Index>(t + run, T).");
    EXPECT_EQ(advice("It counts from 0."), "It counts from 0.");
}

}  // namespace
}  // namespace headway::cli
