#include "submission/uncut_pieces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// "3: end = t + run, up to T" of the line that slices; "" if it is not known.
std::string piece(std::string_view body, int line) {
    const std::string text = "void f(Index T, Index run, Index shift) {\n" + std::string(body) + "\n}\n";
    const auto function = FunctionsOfFile(text).around(line);
    const auto found = function ? uncut_piece(*function, line) : std::nullopt;
    return found ? std::to_string(found->line) + ": " + found->end + " = " + found->sum + ", up to " + found->bound
                 : "";
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

TEST(UncutPieces, AnyTextComesToAnEnd) {
    for (const char* body : {"for (", "for (;;", "for (t; t < T; t += run) { end = t + run", "end = t + run;"})
        EXPECT_EQ(piece(body, 2), "");
}

}  // namespace
}  // namespace headway::build
