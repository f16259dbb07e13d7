#include "report/lesson_view.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "terminal/cells.hpp"

namespace headway::report {
namespace {

std::string shown(const std::string& markdown, Answers answers = Answers::hidden) {
    return render_lesson(markdown, answers, "./headway lesson 01 --answers", {});
}

TEST(LessonView, ShowsProseHeadingsAndCode) {
    EXPECT_EQ(shown("## The idea\n\nAttention is **one** average.\n\n```text\nx  1  2\n```\n"),
              "The idea\n\nAttention is one average.\n\n    x  1  2\n");
}

TEST(LessonView, ShortFormulasAreTyped) {
    EXPECT_EQ(shown("Divide $q \\cdot k$ by $\\sqrt{d_k}$: $\\mathrm{softmax}(x x^\\mathsf{T})$.\n"),
              "Divide q · k by √d_k: softmax(x xᵀ).\n");
    EXPECT_EQ(shown("It costs $5, no more.\n"), "It costs $5, no more.\n");
}

TEST(LessonView, FormulasWithShapesAreTypedToo) {
    EXPECT_EQ(shown("$$\n\\underbrace{q}_{(T, d)} = \\underbrace{x}_{(T, D)} \\underbrace{w_q}_{(D, d)}\n$$\n"),
              "    q (T, d)  = x (T, D)  w_q (D, d)\n");
    EXPECT_EQ(shown("$\\frac{q k^\\mathsf{T}}{\\sqrt{d}}$, $s_a = \\prod_{b > a} n_b$\n"),
              "(q kᵀ) / √d, s_a = Π_(b > a) n_b\n");
    EXPECT_EQ(shown("$x^{"), "$x^{\n") << "half a formula";
    EXPECT_EQ(shown("$\\Big(\\frac x 2 (e^{2u} - 10^{38}) \\cdot \\hat x\\Big)$, $\\frac 1 D \\sum_i x_i^2$\n"),
              "(x/2 (e^(2u) - 10^38) · x\u0302), 1/D Σ_i x_i^2\n");
}

TEST(LessonView, LinksAndEmphasisLoseTheirMarks) {
    EXPECT_EQ(shown("See [lesson 03](03-scaled-scores.md), *twice*: 2 * 3.\n"), "See lesson 03, twice: 2 * 3.\n");
    EXPECT_EQ(shown("It [shipped](https://example.org/issues/7).\n"), "It shipped (example.org/issues/7).\n");
    EXPECT_EQ(shown("[arXiv:1706.03762](https://arxiv.org/abs/1706.03762), 3.2\n"), "arXiv:1706.03762, 3.2\n");
}

TEST(LessonView, TablesHaveColumns) {
    EXPECT_EQ(shown("| a | b |\n|---|---|\n| 100 | `x | y` $\\sqrt{d}$ |\n"),
              "  a    b\n"
              "  ───────────────\n"
              "  100  `x | y` √d\n");
}

TEST(LessonView, WideTablesAreWrappedAndNotCut) {
    const std::string word = "attention ";
    const std::string cell = word + word + word + word + word + "end";
    const std::string text =
        shown("| letter | meaning | where |\n|---|---|---|\n| B | " + cell + " | " + cell + " |\n");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(safe_line({{line}}, Alphabet::unicode)), 80U);
    EXPECT_EQ(text.find("…"), std::string::npos);
    EXPECT_NE(text.find("end"), text.rfind("end"));
}

TEST(LessonView, DiagramsAreLinesOfArrows) {
    EXPECT_EQ(
        shown(
            "```mermaid\nflowchart LR\n  x[\"x<br/>(T, D)\"] -->|\"· w_q\"| q\n  q --> s[scores] -- \"softmax\" --> w\n"
            "  q[\"queries\"]\n```\n"),
        "    x, (T, D) → queries   [· w_q]\n"
        "    queries → scores\n"
        "    scores → w   [softmax]\n");
}

TEST(LessonView, CodeThatIsTooWideMovesToTheLeftAndIsNeverCut) {
    const std::string wide(78, 'x');
    EXPECT_EQ(shown("```cpp\nif (a)\n    b();\n" + wide + "\n```\n"), "  if (a)\n      b();\n  " + wide + "\n");
    const std::string text = shown("```cpp\n" + wide + " " + wide + " end\n```\n");
    EXPECT_NE(text.find("end"), std::string::npos);
    EXPECT_EQ(text.find("…"), std::string::npos);
}

TEST(LessonView, ListsKeepTheirMarksAndHang) {
    EXPECT_EQ(shown("1. First.\n2. Second:\n   - within\n\nAfter.\n"),
              "1. First.\n2. Second:\n   - within\n\nAfter.\n");
}

TEST(LessonView, MarksOfTheGeneratorAreNotShown) {
    EXPECT_EQ(shown("It is <!-- computed: 01/x -->0.696<!-- end --> here.\n"), "It is 0.696 here.\n");
}

TEST(LessonView, AnswersWaitUntilTheyAreAskedFor) {
    const std::string lesson = "<details>\n<summary>Answer</summary>\n\nForty-two.\n\n</details>\n\nGo on.\n";
    EXPECT_EQ(shown(lesson), "▸ Answer\n  ./headway lesson 01 --answers shows it\n\nGo on.\n");
    EXPECT_EQ(shown(lesson, Answers::shown), "▸ Answer\n\nForty-two.\n\nGo on.\n");
}

TEST(LessonView, FiguresAreTold) {
    EXPECT_EQ(shown("![Four rows that look at each other](figures/a.svg)\n"),
              "[figure: Four rows that look at each other]\n");
    EXPECT_EQ(shown("<!-- computed: 01/picture-a -->\n![The 0.028, cat 0.955.](pictures/01-a.svg)\n<!-- end -->\n"),
              "[figure: The 0.028, cat 0.955.]\n");
}

}  // namespace
}  // namespace headway::report
