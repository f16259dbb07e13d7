// What throws is told with the line of the student's own file.
#include "headway.hpp"

#include <gmock/gmock.h>

namespace headway {
namespace {

using testing::HasSubstr;

/// The solution of exercise 04 with `text` instead of the line of merge_heads that does it.
std::string merge_heads_with(const std::string& text, const std::string& before = "") {
    static const std::string line = "    return context.transpose(1, 2).contiguous().view({B, T, H * d});\n";
    std::string program = solution("04_merge_heads/merge_heads.cpp");
    program.replace(program.find(line), line.size(), text);
    return before + program;
}

verdict::Failure first_failure(Desk& desk, const std::string& program) {
    desk.write("04_merge_heads/merge_heads.cpp", program);
    return desk.first_failure("04");
}

TEST(ThrowLine, ContiguousForgotten) {
    Desk desk;
    const std::string program = merge_heads_with("    return context.transpose(1, 2).view({B, T, H * d});\n");
    const verdict::Failure failure = first_failure(desk, program);
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->file, "merge_heads.cpp");
    EXPECT_EQ(failure.at->line, line_of(program, ".view("));
    EXPECT_EQ(failure.at->text, "return context.transpose(1, 2).view({B, T, H * d});");
    EXPECT_THAT(failure.advice.value_or(""), HasSubstr(".contiguous()"));
    EXPECT_FALSE(failure.frames);
    const auto shown = desk.headway({"grade", "04", "--submission", desk.submission().string()});
    EXPECT_THAT(shown.output, HasSubstr("▸ merge_heads threw where it should answer: view: "));
    EXPECT_THAT(shown.output, HasSubstr("      at merge_heads.cpp:" + std::to_string(failure.at->line) +
                                        ":   return context.transpose(1, 2).view({B, T"));
}

TEST(ThrowLine, AThrowOfOnesOwnInAnotherFile) {
    Desk desk;
    desk.write("04_merge_heads/parts/rows.hpp",
               "#include <stdexcept>\n\n[[noreturn]] void refuse() {\n"
               "    throw std::invalid_argument(\"view: (1) as (2): 1 elements cannot become 2\");\n}\n");
    const verdict::Failure failure =
        first_failure(desk, merge_heads_with("    refuse();\n", "#include \"parts/rows.hpp\"\n"));
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->file, "parts/rows.hpp");
    EXPECT_EQ(failure.at->line, 4);
    EXPECT_FALSE(failure.advice) << "the words are the library's, the throw is not";
}

TEST(ThrowLine, OfTheLanguagesOwnLibrary) {
    Desk desk;
    const std::string program =
        merge_heads_with("    std::vector<Index> sizes{B, T, H * d};\n    return context.view({sizes.at(3)});\n");
    const verdict::Failure failure = first_failure(desk, program);
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->line, line_of(program, ".at(3)"));
    EXPECT_THAT(failure.advice.value_or(""), HasSubstr("counted from 0"));
}

TEST(ThrowLine, NothingCouldCatchIt) {
    Desk desk;
    const std::string program =
        merge_heads_with("    return [&]() noexcept { return context.view({B, T, H * d, 7}); }();\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, verdict::FailureKind::exception);
    EXPECT_THAT(failure.message, HasSubstr("threw std::invalid_argument, which nothing could catch: view: "));
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->line, line_of(program, "noexcept"));
}

TEST(ThrowLine, ACrashSaysItsLineToo) {
    Desk desk;
    const std::string program = merge_heads_with(
        "    std::vector<float> one(1);\n    if (one.data()[1] == 1.5F) throw 1;\n"
        "    return context.transpose(1, 2).contiguous().view({B, T, H * d});\n");
    const verdict::Failure failure = first_failure(desk, program);
    EXPECT_EQ(failure.kind, verdict::FailureKind::sanitizer);
    ASSERT_TRUE(failure.at) << failure.message;
    EXPECT_EQ(failure.at->line, line_of(program, "one.data()"));
    EXPECT_EQ(failure.at->text, "if (one.data()[1] == 1.5F) throw 1;");
}

TEST(ThrowLine, AReturnForgotten) {
    Desk desk;
    const verdict::Failure failure =
        first_failure(desk, merge_heads_with("    if (B + T + H + d < 0) return context;\n"));
    EXPECT_EQ(failure.kind, verdict::FailureKind::sanitizer) << failure.message;
    EXPECT_THAT(failure.advice.value_or(""), HasSubstr("without a return"));
}

TEST(ThrowLine, LinesThatWereNotHandedInAreNotShown) {
    Desk desk;
    const verdict::Failure failure = first_failure(
        desk, merge_heads_with("\n#line 1 \"/etc/passwd\"\n    return context.transpose(1, 2).view({B, T, H * d});\n"));
    EXPECT_EQ(failure.kind, verdict::FailureKind::exception);
    EXPECT_FALSE(failure.at);
    const verdict::Failure beyond = first_failure(
        desk, merge_heads_with(
                  "\n#line 1000000 \"merge_heads.cpp\"\n    return context.transpose(1, 2).view({B, T, H * d});\n"));
    EXPECT_FALSE(beyond.at);
}

}  // namespace
}  // namespace headway
