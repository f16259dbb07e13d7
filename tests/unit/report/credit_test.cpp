// The three things that are said of a property where a function that it builds on is wrong: in every view.
#include "report/gradescope.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using testing::HasSubstr;
using testing::Not;

verdict::Verdict three_forms() {
    verdict::Test given = samples::passed("Given", "weights are softmax of the scores", 2);
    given.given = "softmax_rows";
    verdict::Test wrong = samples::failed("Wrong", "each softmax row sums to 1", 1, samples::wrong_scale());
    verdict::Test open = samples::failed("Open", "each token gets its own sum", 3, samples::wrong_mask());
    open.depends_on = "softmax_rows";
    return samples::verdict_of({samples::exercise("01", "single head", verdict::State::failed, {given, wrong, open})});
}

TEST(Credit, StandsOnTheScreen) {
    const std::string text = render(three_forms(), {.width = 120});
    EXPECT_THAT(text, HasSubstr("✓ weights are softmax of the scores (right, given your softmax_rows)"));
    EXPECT_THAT(text, HasSubstr("✗ each softmax row sums to 1"));
    EXPECT_THAT(text, HasSubstr("? each token gets its own sum (not judged: depends on softmax_rows)"));
    EXPECT_THAT(text, Not(HasSubstr("✗ each token")));
}

TEST(Credit, IsNotCalledRightWhereItIsGivenToTheFunctionThatIsWrong) {
    verdict::Verdict verdict = three_forms();
    verdict.exercises[0].tests[0].function = "softmax_rows";
    const std::string text = render(verdict, {.width = 120});
    EXPECT_THAT(text, HasSubstr("✓ weights are softmax of the scores (what is wrong in your softmax_rows costs no"));
    EXPECT_THAT(text, Not(HasSubstr("right, given")));
    EXPECT_THAT(html(verdict), HasSubstr("(what is wrong in your softmax_rows costs no point here)"));
}

TEST(Credit, NamesAllThatIsWrongOfWhatItBuildsOn) {
    verdict::Verdict verdict = three_forms();
    verdict.exercises[0].tests[0].also_wrong = {{"attention_scores"}};
    verdict.exercises[0].tests[2].also_wrong = {{"attention_scores", "masked_softmax"}};
    const std::string text = render(verdict, {.width = 120});
    EXPECT_THAT(text, HasSubstr("(right, given your softmax_rows and attention_scores)"));
    const std::string open = "not judged: depends on softmax_rows, attention_scores and masked_softmax";
    EXPECT_THAT(text, HasSubstr("not judged: depends on softmax_rows, attention_scores and"));
    EXPECT_THAT(junit(verdict), HasSubstr(open));
    EXPECT_EQ(gradescope(verdict).at("tests").at(2).at("output"), open);
    const verdict::Verdict read = verdict::from_json(verdict::to_json(verdict));
    EXPECT_EQ(read.exercises[0].tests[0].also_wrong, (std::vector<std::string>{"attention_scores"}));
}

TEST(Credit, StandsInThePage) {
    const std::string page = html(three_forms());
    EXPECT_THAT(page, HasSubstr("weights are softmax of the scores (right, given your softmax_rows)"));
    EXPECT_THAT(page, HasSubstr("each token gets its own sum (not judged: depends on softmax_rows)"));
    EXPECT_THAT(page, HasSubstr("<span class=\"waiting\">?</span>"));
}

TEST(Credit, IsSkippedInJUnitWhereNothingIsJudged) {
    const std::string document = junit(three_forms());
    EXPECT_THAT(document, HasSubstr("tests=\"3\" failures=\"1\""));
    EXPECT_THAT(document, HasSubstr("<skipped message=\"not judged: depends on softmax_rows\"/>"));
}

TEST(Credit, IsToldToGradescope) {
    const nlohmann::json tests = gradescope(three_forms()).at("tests");
    EXPECT_THAT(tests.at(0).at("name").get<std::string>(), HasSubstr("right, given your softmax_rows"));
    EXPECT_EQ(tests.at(2).at("output"), "not judged: depends on softmax_rows");
    EXPECT_EQ(tests.at(2).at("score"), 0);
}

TEST(Credit, LastsInTheDocument) {
    verdict::Verdict verdict = three_forms();
    verdict.exercises[0].tests[0].function = "attention_weights";
    verdict.exercises[0].tests[0].states = {{"scale", "mask"}};
    const verdict::Verdict read = verdict::from_json(verdict::to_json(verdict));
    EXPECT_EQ(read.exercises[0].tests[0].given, "softmax_rows");
    EXPECT_EQ(read.exercises[0].tests[0].function, "attention_weights");
    EXPECT_EQ(read.exercises[0].tests[0].states, (std::vector<std::string>{"scale", "mask"}));
    EXPECT_EQ(read.exercises[0].tests[2].depends_on, "softmax_rows");
}

}  // namespace
}  // namespace headway::report
