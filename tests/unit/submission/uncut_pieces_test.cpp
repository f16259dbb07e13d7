#include "submission/uncut_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// "3: end = t + run, up to T" of the line that slices, for each of its pieces; "" if none is known.
std::string piece(std::string_view body, int line) {
    const std::string text = "void f(Index T, Index run, Index shift) {\n" + std::string(body) + "\n}\n";
    const auto function = FunctionsOfFile(text).around(line);
    std::string all;
    if (!function) return all;
    for (const UncutPiece& found : uncut_pieces(*function, line))
        all += (all.empty() ? "" : "; ") + std::to_string(found.line) + ": " + found.end + " = " + found.sum +
               ", up to " + found.bound;
    return all;
}

constexpr std::string_view head = "for (Index t = 0; t < T; t += run) {\n";

TEST(UncutPieces, AreKnownByTheirEnd) {
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\nx.slice(2, t, end);\n}", 4),
              "3: end = t + run, up to T");
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\nconst Index last = end - 1 + shift;\n"
                                        "x.slice(2, t, last + 1);\n}",
                    5),
              "3: end = t + run, up to T")
        << "computed from it";
}

/// Which of the two is too long differs from call to call.
TEST(UncutPieces, AreAllOfThemWhereALineCutsInTwoLoops) {
    const std::string loops =
        std::string(head) + "const Index t_end = t + run;\nfor (Index s = 0; s < S; s += run) {\n";
    const std::string line = "matmul(q.slice(2, t, t_end), k.slice(2, s, s_end));\n}\n}";
    EXPECT_EQ(piece(loops + "const Index s_end = s + run;\n" + line, 6),
              "3: t_end = t + run, up to T; 5: s_end = s + run, up to S");
    EXPECT_EQ(piece(loops + "const Index s_end = std::min(s + run, S);\n" + line, 6), "3: t_end = t + run, up to T");
}

TEST(UncutPieces, AreNotThoseThatAreCutOrNotRead) {
    EXPECT_EQ(piece(std::string(head) + "const Index end = std::min(t + run, T);\nx.slice(2, t, end);\n}", 4), "");
    EXPECT_EQ(piece(std::string(head) + "Index end = t + run;\nif (end > T) end = T;\nx.slice(2, t, end);\n}", 5), "");
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\nconst Index last = std::min(end, T);\n"
                                        "x.slice(2, t, last);\n}",
                    5),
              "");
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\nx.slice(2, t, std::min(end, T));\n}", 4), "");
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\nx.slice(2, t, T);\n}", 4), "");
    EXPECT_EQ(piece(std::string(head) + "const Index end = t + run;\n}\nx.slice(2, 0, end);", 5), "")
        << "behind the loop";
    EXPECT_EQ(
        piece("for (Index t = 0; t + run < T; t += run) {\nconst Index end = t + run;\nx.slice(2, t, end);\n}", 4), "");
}

/// "2: t + run <= T" of the loop that takes whole pieces alone.
std::string whole(const std::string& body) {
    const auto function = FunctionsOfFile("void f(Index T, Index run) {\n" + body + "\n}\n").around(2);
    const auto found = function ? whole_pieces(*function) : std::nullopt;
    return found ? std::to_string(found->line) + ": " + found->condition : "";
}

TEST(WholePieces, AreTakenWhereTheConditionAsksForOne) {
    EXPECT_EQ(whole("for (Index t = 0; t + run <= T; t += run) {\ng(t);\n}"), "2: t + run <= T");
    EXPECT_EQ(whole("for (Index t = 0; t + 16 < T; t += 16)\ng(t);"), "2: t + 16 < T");
    EXPECT_EQ(whole("for (Index t = 0; t < T; t += run)\ng(t);"), "");
    EXPECT_EQ(whole("for (Index t = 0; t + 1 < T; t += 1)\ng(t);"), "") << "each is a whole one";
    EXPECT_EQ(whole("for (Index t = 0; t + run <= T; ++t)\ng(t);"), "") << "they overlap";
    EXPECT_EQ(whole("Index t = 0;\nfor (; t + run <= T; t += run)\ng(t);"), "") << "the rest may come behind it";
    EXPECT_EQ(
        whole("for (Index t = 0; t + run <= T; t += run)\ng(t);\nfor (Index s = 0; s + run <= T; s += run)\ng(s);"),
        "");
    EXPECT_EQ(whole("for (Index t = 0; t + run"), "");
}

TEST(UncutPieces, AnyTextComesToAnEnd) {
    for (const char* body : {"for (", "for (;;", "for (t; t < T; t += run) { end = t + run", "end = t + run;"})
        EXPECT_EQ(piece(body, 2), "");
}

/// What is not compiled is read all the same.
TEST(UncutPieces, AFunctionWithoutEndTakesNoLongTime) {
    const auto repeated = [](std::string_view text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) all += text;
        return all;
    };
    std::string ends;
    for (int i = 0; i < 800; ++i) ends += "e" + std::to_string(i) + " = t + run;\n";
    const std::string slice = "0;\n#endif\nTensor part = s.slice(0, 0, T + 1);\n}";
    const std::string audited = std::string(head) + "#if 0\n" + ends + repeated("a = ", 2300) + slice;
    const std::string few = repeated(head, 16) + "#if 0\n" + ends.substr(0, 60) + repeated("a = ", 300) + slice;
    for (const std::string& body : {audited, few}) {
        const std::string text = "void f(Index T, Index run) {\n" + body + "\n}\n";
        const int line = static_cast<int>(std::ranges::count(text.substr(0, text.find("Tensor part")), '\n')) + 1;
        const auto function = FunctionsOfFile(text).around(line);
        ASSERT_TRUE(function);
        const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
        EXPECT_TRUE(uncut_pieces(*function, line).empty());
        EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC) << body.substr(0, 60);
    }
}

/// Of more lines that may be the one, none is told.
TEST(UncutPieces, AreToldOfNoLoopThatIsLongerThanAnybodyWrites) {
    const std::string end = "const Index end = t + run;\n", slice = "x.slice(2, t, end);\n}";
    std::string between;
    for (int i = 0; i < 300; ++i) between += "f(t);\n";
    EXPECT_EQ(piece(std::string(head) + end + between + slice, 304), "");
    std::string others;
    for (int i = 0; i < 9; ++i) others += "o" + std::to_string(i) + " = t + run;\n";
    EXPECT_EQ(piece(std::string(head) + others + end + slice, 13), "");
}

}  // namespace
}  // namespace headway::build
