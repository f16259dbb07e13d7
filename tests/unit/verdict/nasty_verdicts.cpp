#include <limits>

#include "verdict/sample_verdicts.hpp"

namespace headway::samples {

using namespace verdict;

namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += text;
    return result;
}

/// `text` wherever a submission, or a path of its author's choice, can put it.
Verdict everywhere(const std::string& text) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Failure failure = wrong_scale();
    failure.function = text;
    failure.message = text;
    failure.story = {text, text, text};
    failure.worst = Worst{{text, text}, {std::numeric_limits<std::int64_t>::max(), 0}, -1e300, nan, 5e-324};
    failure.sanitizer = SanitizerReport{text, text, 2147483647, {text, text}};
    failure.at = SourceLine{text, 2147483647, text};
    failure.through = failure.at;
    failure.advice = text;
    failure.pattern = text;
    Test test = failed(text, text, 1, failure);
    test.output = text + "\n" + text;
    Test unwritten = not_written(text, text, 1, text);
    Test unjudged = failed(text, text, 1, failure);
    unjudged.state = TestState::unavailable;
    Exercise with_tests =
        exercise("03", text, State::partial, {passed(text, text, 1), test, test, unwritten, unjudged});
    Exercise unbuilt = does_not_compile();
    unbuilt.title = text;
    unbuilt.build.file = text;
    unbuilt.build.message = text;
    unbuilt.build.diagnostics = "error: " + text + "\n" + text;
    const CompilerMessage message{text, SourceLine{text, 2147483647, text}, 2147483647, text, text, {text}};
    unbuilt.build.errors = {message, message};
    Exercise ungraded = unavailable();
    ungraded.problem = text;
    with_tests.build.warnings = {message, message};
    Verdict verdict = verdict_of({with_tests, unbuilt, ungraded});
    verdict.submission = text;
    verdict.toolchain[text] = text;
    verdict.protections["network"] = "absent: " + text;
    return verdict;
}

/// `text` in what was said of a build before errors had lines of their own.
Verdict unbuilt_as_before(const std::string& text) {
    Exercise unbuilt = does_not_compile();
    unbuilt.build.errors.reset();
    unbuilt.build.file = text;
    unbuilt.build.message = text;
    unbuilt.build.diagnostics = "error: " + text + "\n" + text;
    return verdict_of({unbuilt});
}

/// `text` in what is told first of a function that gives no answer.
Verdict loudly(const std::string& text) {
    Failure failure = crashes();
    failure.kind = FailureKind::exception;
    failure.function = text;
    failure.message = text;
    failure.story = {text};
    failure.at = SourceLine{text, 2147483647, text};
    failure.through = failure.at;
    failure.advice = text;
    Exercise thrown = exercise("03", text, State::failed, {failed(text, text, 1, failure)});
    FunctionDiagnosis function;
    function.function = text;
    function.at = failure.at;
    thrown.diagnosis.emplace().functions = {function, function};
    return verdict_of({thrown});
}

/// Tensors that contradict themselves, and numbers of every size.
Verdict strange_numbers() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Failure failure = wrong_scale();
    failure.expected = Numbers{{std::numeric_limits<std::int64_t>::max(), 4}, {1, 2}};
    failure.yours = Numbers{{6, 6}, std::vector<double>(36, -1.2345678e-200)};
    Failure other = wrong_mask();
    other.message = "";
    other.expected = Numbers{{6, 6}, std::vector<double>(36, -inf)};
    other.yours = Numbers{{6, 6}, std::vector<double>(36, -1.2345678e+200)};
    other.worst = Worst{{}, {1, 2, 3}, 1, 1, -0.0};
    Failure scalar = wrong_shape();
    scalar.expected = Numbers{{}, {1}};
    scalar.yours = Numbers{{0, 3}, {}};
    Test nothing_known = failed("D", "d", 1, {});
    nothing_known.failure.reset();
    return verdict_of({exercise(
        "03", "scaled scores", State::failed,
        {failed("A", "a", 1, failure), failed("B", "b", 1, other), failed("C", "c", 1, scalar), nothing_known})});
}

}  // namespace

std::vector<Verdict> nasty() {
    std::vector<Verdict> verdicts;
    for (const std::string& text :
         {repeated("x", 10'000), repeated("word ", 300), repeated("漢字", 200), repeated("🧠 ", 100),
          repeated("e\u0301\u0302\u0303\u0304\u0305", 100), repeated("line\r\n\n", 200), repeated("\t", 300),
          std::string("\x1b[2J\x1b]0;title\x07\x1b[31mred \x9b 1;31m \u009b2J"),
          std::string("nul \0 bell \a bs \b", 18),
          std::string("\u202eright to left\u2066 \u200b\ufeff\U000E0041 \u2028"),
          std::string("\xff\xfe\xc3\x28\xf0\x9f"), std::string("\u0301leading mark"), std::string(" "),
          std::string("")}) {
        verdicts.push_back(everywhere(text));
        verdicts.push_back(loudly(text));
        verdicts.push_back(unbuilt_as_before(text));
    }
    verdicts.push_back(strange_numbers());
    verdicts.push_back(with_everything());
    return verdicts;
}

}  // namespace headway::samples
