// Who of a class is named for what, and what the pages say of it.
#include "classroom/class_page.hpp"
#include "classroom/side_by_side.hpp"
#include "submission/digest.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "classroom/disguises.hpp"

namespace headway::classroom {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

const std::filesystem::path root = HEADWAY_SOURCE_DIR;
const std::string exercise = "03_scaled_scores";

const CourseMaterial& material() {
    static const CourseMaterial of_the_exercise = [] {
        cli::Course course;
        course.root = root;
        cli::ExerciseInfo info;
        info.name = exercise;
        return material_of(course, info);
    }();
    return of_the_exercise;
}

std::string accepted(const std::string& style) {
    return build::read_file(root / "tests/accepted" / exercise / style / exercise / "scaled_scores.cpp");
}

Origin by(std::vector<std::string> students, const std::string& text) {
    return {std::move(students), "", {{"scaled_scores.cpp", text}}};
}

std::string disguised(const std::string& text, unsigned seed) {
    return Disguise(seed, material().names).everything(text, 0.15);
}

/// Twelve that are honest and 25 that have one program, each in its own disguise.
std::vector<Origin> class_with_a_ring() {
    std::vector<Origin> programs;
    for (const char* style : {"online_softmax", "log_sum_exp", "gathered_keys", "raw_pointers", "eigen_slices",
                              "additive_infinity", "fourth_roots", "strided_results", "sigmoid_of_log_odds",
                              "batch_and_heads_folded", "loops_skip_blocked_keys", "own_functions_at_global_scope"})
        programs.push_back(by({std::string("honest_") + style}, accepted(style)));
    for (unsigned i = 0; i < 25; ++i)
        programs.push_back(by({"s" + std::to_string(i)}, disguised(accepted("threads_per_batch"), i)));
    return programs;
}

TEST(RingFinding, TwentyFiveOfThirtySevenAreOneRow) {
    const auto rings = find_rings(exercise, class_with_a_ring(), material());
    ASSERT_EQ(rings.size(), 1U);
    EXPECT_EQ(rings[0].students(), 25U);
    EXPECT_LE(rings[0].shown.size(), 4U) << "the page stays small";
    for (const RingMember& member : rings[0].members) EXPECT_TRUE(member.origin.students[0].starts_with("s"));
    EXPECT_GT(rings[0].least_share(), 2 * rings[0].usual_share);
}

TEST(RingFinding, AnHonestClassIsNotNamed) {
    std::vector<Origin> programs = class_with_a_ring();
    programs.resize(13);  // one of the ring is honest, too
    EXPECT_TRUE(find_rings(exercise, programs, material()).empty());
}

TEST(RingFinding, TheCoursesSolutionIsNamed) {
    const std::string solution = material().solution.front().text;
    const auto rings =
        find_rings(exercise, {by({"s1"}, disguised(solution, 1)), by({"s2"}, accepted("fourth_roots"))}, material());
    ASSERT_EQ(rings.size(), 1U);
    EXPECT_EQ(rings[0].students(), 1U);
    EXPECT_EQ(rings[0].members.size(), 2U);
    EXPECT_TRUE(std::ranges::any_of(
        rings[0].members, [](const RingMember& member) { return member.origin.elsewhere == "the course's solution"; }));
}

TEST(RingFinding, SomebodyElsesProgramIsNamedAndTheirsAmongThemselvesAreNot) {
    const std::string text = accepted("threads_per_batch");
    const Origin last_year{{}, "2025: s9", {{"scaled_scores.cpp", text}}};
    const Origin another{{}, "2025: s8", {{"scaled_scores.cpp", disguised(text, 2)}}};
    EXPECT_TRUE(find_rings(exercise, {last_year, another}, material()).empty());
    const auto rings = find_rings(exercise, {by({"s1"}, disguised(text, 1)), last_year, another}, material());
    ASSERT_EQ(rings.size(), 1U);
    EXPECT_EQ(rings[0].students(), 1U);
}

TEST(RingFinding, TheSameFilesAreNamedWhereTheyAreShort) {
    const std::string stub = build::read_file(root / "stubs" / exercise / "scaled_scores.cpp");
    const std::string text = stub + "float own(float* p, int n) { while (n--) *p++ *= 3; return n; }\n";
    EXPECT_EQ(find_rings(exercise, {by({"s1", "s2"}, text)}, material()).size(), 1U);
    EXPECT_TRUE(find_rings(exercise, {by({"s1", "s2"}, stub)}, material()).empty());
    EXPECT_TRUE(find_rings(exercise, {by({"s1"}, text), by({"s2"}, text + " ")}, material()).empty())
        << "too little to tell by, if a single letter is different";
}

TEST(RingFinding, MembersOfAGroupAreNotAlikeAmongThemselves) {
    const std::string text = accepted("raw_pointers");
    const auto of_group = [&](std::vector<std::string> students, const std::string& more) {
        Origin origin = by(std::move(students), text + more);
        origin.parties = {"s1"};
        return origin;
    };
    EXPECT_TRUE(find_rings(exercise, {of_group({"s1", "s2"}, "")}, material()).empty()) << "one program of both";
    EXPECT_TRUE(find_rings(exercise, {of_group({"s1"}, ""), of_group({"s2"}, "//")}, material()).empty()) << "a draft";
    const auto rings =
        find_rings(exercise, {of_group({"s1"}, ""), of_group({"s2"}, "//"), by({"s3"}, text + " ")}, material());
    ASSERT_EQ(rings.size(), 1U);
    EXPECT_EQ(rings[0].students(), 3U) << "somebody else has it too";
}

TEST(SideBySide, MarksWhatBothHaveWhereverItStands) {
    const std::string first = "int a(int x) {\n    x = x + 1 - x * 2;\n    return x;\n}\n";
    const std::string second = "int b(int y) {\n    for (;;) y = y / 7 % y;\n    return y ^ 5;\n}\n";
    const SideBySide code =
        compare({{"a.cpp", first + second}}, {{"b.cpp", second + "\n" + first}}, {}, CommonKnowledge({}, {}));
    const auto& a = code.a[0].lines;
    const auto& b = code.b[0].lines;
    ASSERT_EQ(a.size(), 8U);
    ASSERT_EQ(b.size(), 9U);
    EXPECT_EQ(a[1].passage, 0U);
    EXPECT_EQ(b[6].passage, 0U);
    EXPECT_EQ(a[5].passage, b[1].passage);
    EXPECT_NE(a[5].passage, a[1].passage);
    EXPECT_EQ(a[5].text, "    for (;;) y = y / 7 % y;");
}

TEST(SideBySide, LeavesWhatIsGivenUnmarked) {
    const std::string given = "int a(int x) {\n    x = x + 1 - x * 2;\n    return x;\n}\n";
    const CommonKnowledge common(fingerprints_of(tokens_of({{"a.cpp", given}}, {})), {});
    const SideBySide code = compare({{"a.cpp", given}}, {{"a.cpp", given}}, {}, common);
    ASSERT_FALSE(code.a[0].lines.empty());
    for (const MarkedLine& line : code.a[0].lines) EXPECT_FALSE(line.passage);
}

TEST(SideBySide, EndsWithAnyText) {
    std::string much;
    for (int i = 0; i < 30000; ++i) much += "x = x + x;\n";
    const SideBySide code = compare({{"a.cpp", much}}, {{"b.cpp", much}}, {}, CommonKnowledge({}, {}));
    EXPECT_TRUE(code.a[0].cut_off);
    EXPECT_LT(code.a[0].lines.size(), 1000U);
    compare({{"a.cpp", ""}}, {{"b.cpp", "\xff\r\n\"/*"}}, {}, CommonKnowledge({}, {}));
    compare({}, {}, {}, CommonKnowledge({}, {}));
}

ClassFindings with_rings(std::vector<Origin> programs) {
    ClassFindings findings;
    findings.rings = find_rings(exercise, std::move(programs), material());
    return findings;
}

TEST(SimilarityPage, ShowsTheGroupAndItsCodeWithLettersAsWellAsColours) {
    const std::string page = similarity_page(with_rings(class_with_a_ring()));
    EXPECT_THAT(page, HasSubstr("25 students"));
    EXPECT_THAT(page, HasSubstr("<td class=\"same\">A</td>"));
    EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
    EXPECT_THAT(page, HasSubstr("<caption>s"));
    EXPECT_LT(page.size(), 600'000U);
    EXPECT_THAT(page, Not(HasSubstr("honest_")));
}

TEST(SimilarityPage, ShowsNamesFromTheRoster) {
    const std::string text = accepted("raw_pointers");
    Origin group = by({"s3", "s4"}, text + "//");
    group.parties = {"s3"};
    const std::string page =
        similarity_page(with_rings({by({"s1", "s2"}, text), group}), Roster::parse("id,name\ns1,Ada\ns3,Eve\n", "r"));
    EXPECT_THAT(page, HasSubstr("Ada (s1), s2 (the same files)"));
    EXPECT_THAT(page, HasSubstr("Eve (s3), s4 (one group)"));
    EXPECT_THAT(page, HasSubstr("<section aria-label=\"Ada (s1)"));
}

TEST(RingFinding, WhatIsTooLongIsNotCompared) {
    const std::string text = accepted("raw_pointers");
    const auto repeated = [](std::string_view word, std::size_t times) {
        std::string all;
        for (std::size_t i = 0; i < times; ++i) all += word;
        return all;
    };
    Origin last_year = by({}, text + repeated("f();", 100'000));
    last_year.elsewhere = "2025: s7";
    std::vector<Origin> programs{by({"s1"}, text), by({"s2"}, text + repeated("x = x + y;", 15'000)),
                                 by({"s3"}, "#if 0\n" + repeated("{", 4U << 20U) + "\n#endif\n" + text), last_year,
                                 by({"s4"}, "//" + repeated(" ", 200'000) + "\n" + text)};
    ClassFindings findings;
    for (Origin& one : take_what_is_too_long(programs, material())) {
        EXPECT_TRUE(one.files.empty());
        findings.not_compared.push_back({exercise, std::move(one)});
    }
    ASSERT_EQ(findings.not_compared.size(), 3U) << "but for one with a long comment";
    findings.rings = find_rings(exercise, std::move(programs), material());
    EXPECT_EQ(findings.rings.size(), 1U) << "of s1 and s4";
    const std::string page = similarity_page(findings);
    EXPECT_THAT(page, HasSubstr("Not compared"));
    for (const char* who : {"s2", "s3", "2025: s7"}) EXPECT_THAT(page, HasSubstr(who));
    EXPECT_THAT(class_page(findings), HasSubstr("not compared, too long: 3 programs"));
    EXPECT_THAT(similarity_page(with_rings({})), Not(HasSubstr("Not compared")));
}

TEST(SimilarityPage, EscapesWhatStudentsWrote) {
    const std::string text = "// <script>alert(1)</script>\n" + accepted("raw_pointers");
    const std::string page = similarity_page(with_rings({by({"s1"}, text), by({"s2"}, text + "//")}));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(page, Not(HasSubstr("<script>")));
}

/// What a score is, and what none is seen for, is told wherever one is shown.
TEST(SimilarityPage, AndTheHandbookSayWhatIsNotSeen) {
    const std::string handbook = build::read_file(root / "classroom/copying.md");
    for (const std::string& text : {similarity_page(with_rings({})), handbook}) {
        EXPECT_THAT(text, HasSubstr("no judgement"));
        EXPECT_THAT(text, HasSubstr("rewritten"));
        EXPECT_THAT(text, HasSubstr("assistant"));
        EXPECT_THAT(text, HasSubstr("Short answers"));
        EXPECT_THAT(text, HasSubstr("outside the class"));
        EXPECT_THAT(text, HasSubstr("15,043"));
        EXPECT_THAT(text, Not(HasSubstr("plagiari")));
    }
    EXPECT_THAT(similarity_page(with_rings({})), HasSubstr("None."));
}

TEST(Elsewhere, TakesAnyLayoutAndSaysWhatCannotBeRead) {
    const build::TemporaryFolder folder;
    folder.write("2025/s1/03_scaled_scores/scaled_scores.cpp", "int a;");
    folder.write("2025/s2/scaled_scores.cpp", "int b;");
    folder.write("2025/s3.zip", "no archive");
    const std::vector<intake::Wanted> wanted{{exercise, root / "exercises" / exercise}};
    Elsewhere elsewhere;
    add_elsewhere(elsewhere, wanted, folder.path() / "2025/");
    std::vector<std::string> labels;
    for (const Origin& origin : elsewhere.programs[exercise]) labels.push_back(origin.elsewhere);
    EXPECT_THAT(labels, UnorderedElementsAre("2025: s1", "2025: s2"));
    ASSERT_EQ(elsewhere.unreadable.size(), 1U);
    EXPECT_EQ(elsewhere.unreadable[0].first, "2025: s3");
    EXPECT_THROW(add_elsewhere(elsewhere, wanted, folder.path() / "nowhere"), std::exception);
}

}  // namespace
}  // namespace headway::classroom
