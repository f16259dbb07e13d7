#include "verdict/sample_verdicts.hpp"

#include <limits>

namespace headway::samples {

using namespace verdict;

Test passed(const std::string& name, const std::string& property, int points) {
    return {.name = name,
            .property = property,
            .points = points,
            .max_points = points,
            .state = TestState::passed,
            .build = FailedIn::neither,
            .failure = std::nullopt,
            .output = "",
            .seconds = 0.01};
}

Test failed(const std::string& name, const std::string& property, int points, Failure failure) {
    Test test = passed(name, property, points);
    test.points = 0;
    test.state = TestState::failed;
    test.build = FailedIn::both;
    test.failure = std::move(failure);
    return test;
}

Test not_written(const std::string& name, const std::string& property, int points, const std::string& function) {
    Failure failure;
    failure.kind = FailureKind::exception;
    failure.function = function;
    failure.message = function + " is not written yet.";
    Test test = failed(name, property, points, failure);
    test.state = TestState::not_implemented;
    return test;
}

Exercise exercise(const std::string& number, const std::string& title, State state, std::vector<Test> tests) {
    Exercise exercise;
    exercise.number = number;
    exercise.title = title;
    exercise.name = number + "_" + title;
    for (char& letter : exercise.name) letter = letter == ' ' ? '_' : letter;
    exercise.state = state;
    exercise.max_points = 0;
    for (const Test& test : tests) {
        exercise.points += test.points;
        exercise.max_points += test.max_points;
    }
    exercise.tests = std::move(tests);
    exercise.seconds = 0.8;
    return exercise;
}

Verdict verdict_of(std::vector<Exercise> exercises) {
    Verdict verdict;
    verdict.submission = "exercises";
    verdict.seed = 20240501;
    verdict.toolchain = {{"compiler", "g++ 12.2.0"}};
    verdict.protections = {{"separate process", "enforced"}};
    verdict.started = "2024-05-01T12:00:00Z";
    verdict.seconds = 1.25;
    verdict.exercises = std::move(exercises);
    return verdict;
}

Failure wrong_scale() {
    Failure failure;
    failure.kind = FailureKind::wrong_value;
    failure.function = "attention_scores";
    failure.stage = Stage::scale;
    failure.message = "The scores are not q·kᵀ / √head_dim.";
    failure.story = {"q random (2, 3, 5, 7), k random (2, 3, 9, 7)", "attention_scores(q, k) gave (2, 3, 5, 9)"};
    failure.worst = Worst{{"b", "h", "query", "key"}, {1, 2, 3, 0}, 0.3121, 0.2874, 2e-6};
    failure.wrong_elements = 270;
    failure.all_elements = 270;
    failure.window = Window{{"b", "h", "query", "key"},
                            {2, 3, 5, 9},
                            {1, 2, 2, 0},
                            {{3, 4}, {0.5, 0.25, 0.125, 0.125, 0.3121, 0.2, 0.4, 0.0879, 0, 0, 0, 1}},
                            {{3, 4}, {0.4, 0.25, 0.2, 0.15, 0.2874, 0.22, 0.35, 0.1426, 0, 0, 0.25, 0.75}},
                            {0, 2, 3, 4, 5, 6, 7, 10, 11}};
    return failure;
}

Failure wrong_mask() {
    Failure failure;
    failure.kind = FailureKind::wrong_value;
    failure.function = "causal_mask";
    failure.stage = Stage::mask;
    failure.message = "The last query must see every key.";
    failure.story = {"causal_mask(T=2, S=4)"};
    failure.worst = Worst{{"query", "key"}, {0, 1}, 0, 1, 0};
    failure.wrong_elements = 4;
    failure.all_elements = 8;
    failure.expected = Numbers{{2, 4}, {0, 0, 0, 1, 0, 0, 0, 0}};
    failure.yours = Numbers{{2, 4}, {0, 1, 1, 1, 0, 0, 1, 1}};
    return failure;
}

Failure gives_nan() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    Failure failure;
    failure.kind = FailureKind::wrong_value;
    failure.function = "masked_softmax";
    failure.stage = Stage::softmax;
    failure.message = "A fully masked row must be all zero.";
    failure.story = {"scores (1, 1, 2, 3), every key of query 1 masked"};
    failure.worst = Worst{{"b", "h", "query", "key"}, {0, 0, 1, 0}, 0, nan, 1e-6};
    failure.wrong_elements = 3;
    failure.all_elements = 6;
    failure.expected = Numbers{{1, 1, 2, 3}, {0.2, 0.3, 0.5, 0, 0, 0}};
    failure.yours = Numbers{{1, 1, 2, 3}, {0.2, 0.3, 0.5, nan, -inf, inf}};
    return failure;
}

Failure wrong_shape() {
    Failure failure;
    failure.kind = FailureKind::wrong_shape;
    failure.function = "attention_scores";
    failure.message = "attention_scores gave shape (2, 3), expected (3, 2).";
    failure.story = {"q (1, 1, 3, 4), k (1, 1, 2, 4)"};
    failure.expected = Numbers{{3, 2}, {1, 2, 3, 4, 5, 6.5}};
    failure.yours = Numbers{{2, 3}, {1, 3, 5, 2, 4, 6.5}};
    return failure;
}

Failure reads_out_of_bounds() {
    Failure failure;
    failure.kind = FailureKind::sanitizer;
    failure.function = "split_heads";
    failure.message = "split_heads read 4 bytes behind the end of its memory.";
    failure.story = {"split_heads(x (2, 3, 8), num_heads=4)"};
    failure.sanitizer = SanitizerReport{
        "heap-buffer-overflow",
        "head_splitting.cpp",
        41,
        {"READ of size 4 at 0x602000000030 thread T0", "  #0 headway::ex02::split_heads head_splitting.cpp:41",
         "0x602000000030 is located 0 bytes after 192-byte region"}};
    return failure;
}

Failure crashes() {
    Failure failure;
    failure.kind = FailureKind::crash;
    failure.function = "split_heads";
    failure.message = "Your split_heads crashed: SIGSEGV reading index 48 of 48.";
    return failure;
}

Exercise all_right() {
    return exercise("01", "single head", State::passed,
                    {passed("RowsSumToOne", "each row of weights sums to 1", 4),
                     passed("WeightsAreDividedBySqrtD", "weights are divided by √d", 3),
                     passed("ResidualAdds", "the residual adds, it does not replace", 3)});
}

Exercise untouched() {
    return exercise("04", "merge heads", State::not_started,
                    {not_written("MergesFeatures", "head h fills features [h·d, (h+1)·d)", 5, "merge_heads"),
                     not_written("BiasIsOptional", "the bias is optional", 5, "project_output")});
}

Exercise half_written() {
    Test broken = failed("IsAView", "split_heads shares storage with its input", 3, crashes());
    broken.output = "entering split_heads\nx is (2, 3, 8)\n";
    return exercise("02", "head splitting", State::partial,
                    {passed("StridesOfRowMajor", "strides are those of row-major order", 2), std::move(broken),
                     failed("ReadsInside", "split_heads stays inside its memory", 2, reads_out_of_bounds()),
                     not_written("CopiesOnce", "contiguous copies once", 2, "contiguous"),
                     not_written("KeepsContiguous", "contiguous copies only if needed", 1, "contiguous")});
}

Exercise wrong() {
    return exercise("03", "scaled scores", State::failed,
                    {passed("SoftmaxIsOverKeys", "softmax is over keys", 1),
                     passed("PaddingIsOverKeys", "padding blocks keys, not queries", 1),
                     passed("MasksBroadcast", "masks broadcast over batch and heads", 1),
                     failed("ScoresAreDividedBySqrtHeadDim", "scores are divided by √head_dim", 3, wrong_scale()),
                     failed("LastQuerySeesAll", "the causal mask lets the last query see every key", 2, wrong_mask()),
                     failed("MaskedRowsAreZero", "a fully masked row gives zeros, never NaN", 1, gives_nan()),
                     failed("ScaleForWideHeads", "scores are scaled for any head_dim", 1, wrong_scale())});
}

Exercise does_not_compile() {
    Exercise broken = exercise("05", "module", State::failed, {});
    broken.max_points = 10;
    broken.build.problem = BuildProblem::compile_error;
    broken.build.message =
        "exercises/05_module/module.cpp does not compile (line 14). Fix it and run ./headway grade 05 again.";
    broken.build.file = "module.cpp";
    broken.build.line = 14;
    broken.build.column = 12;
    broken.build.diagnostics =
        "In file included from module.cpp:1:\n"
        "module.cpp: In function ‘headway::Tensor f(headway::Tensor)’:\n"
        "module.cpp:14:12: error: no matching function for call to ‘matmul(headway::Tensor&)’\n"
        "   14 |     return matmul(x);\n"
        "      |            ~~~~~~^~~\n"
        "tensor.hpp:90:8: note: candidate: ‘headway::Tensor matmul(const Tensor&, const Tensor&)’\n"
        "   90 | Tensor matmul(const Tensor& a, const Tensor& b);\n"
        "module.cpp:20:1: error: no return statement\n";
    broken.build.errors = {{.text = "no matching function for call to 'matmul(Tensor&)'",
                            .at = {"module.cpp", 14, "return matmul(x);"},
                            .column = 12,
                            .marks = "       ~~~~~~^~~",
                            .advice = "Compare the arguments one by one.",
                            .notes = {"candidate: 'Tensor matmul(const Tensor&, const Tensor&)'"}},
                           {.text = "no return statement",
                            .at = {"module.cpp", 20, "}"},
                            .column = 1,
                            .marks = "^",
                            .advice = "",
                            .notes = {}}};
    return broken;
}

Exercise unavailable() {
    Exercise missing = exercise("02", "head splitting", State::unavailable, {});
    missing.max_points = 10;
    missing.problem = "The disk is full. Free some space and run ./headway grade 02 again.";
    return missing;
}

Exercise never_graded() {
    Exercise missing = exercise("02", "head splitting", State::unavailable, {});
    missing.max_points = 10;
    return missing;
}

Verdict with_everything() {
    Verdict verdict = verdict_of({wrong(), half_written(), does_not_compile(), unavailable()});
    verdict.digest = std::string(64, 'a');
    verdict.seed = std::numeric_limits<std::uint64_t>::max();
    verdict.protections = {{"network", "absent: no user namespaces"},
                           {"separate process", "enforced"},
                           {"memory", "degraded: measured, not limited"}};
    verdict.seconds = 0.1 + 0.2;
    Exercise& first = verdict.exercises.front();
    first.digest = std::string(64, 'b');
    first.reused = true;
    first.judge_seconds = 1e-300;
    first.places = {{"attention_scores", {"scaled_scores.cpp", 5, "Tensor attention_scores("}}};
    first.coverage = {{"scaled_scores.cpp", 7, 8, {{12, "    throw 1;"}}}};
    first.tests.front().output = "printed\n\t\"quoted\" \\ √ 漢字 \x1b[31m";
    first.tests.front().output_truncated = true;
    first.build.compile_seconds = 0.41;
    first.build.link_seconds = 0.05;
    Failure broken = wrong_scale();
    for (const FailureKind kind :
         {FailureKind::wrong_behaviour, FailureKind::exception, FailureKind::exit, FailureKind::timeout,
          FailureKind::memory, FailureKind::output_flood, FailureKind::protocol}) {
        broken.kind = kind;
        broken.message = to_string(kind);
        broken.at = SourceLine{"scaled_scores.cpp", 12, "throw \"√\";"};
        broken.advice = "Throw something else.";
        broken.pattern = "of 16 questions with other sizes it is wrong where T = S, and only there";
        first.tests.push_back(failed("Fails", "a property", 1, broken));
    }
    first.tests.back().build = FailedIn::sanitized;
    first.tests.back().depends_on = "attention_scores";
    first.tests.back().also_wrong = {{"masked_softmax"}};
    verdict.exercises[1].tests.front().given = "contiguous_strides";
    verdict.exercises[1].tests.front().function = "view";
    verdict.exercises[1].tests.front().states = {{"split"}};
    first.max_points += 7;
    return verdict;
}

std::vector<Named> all() {
    Exercise reused = all_right();
    reused.reused = true;
    return {{"all passed",
             verdict_of({all_right(), exercise("02", "head splitting", State::passed, {passed("A", "b", 10)})})},
            {"one passed, reused", verdict_of({reused})},
            {"not started", verdict_of({untouched(), exercise("05", "module", State::not_started, {})})},
            {"partial", verdict_of({half_written()})},
            {"failed", verdict_of({wrong()})},
            {"build error", verdict_of({does_not_compile()})},
            {"unavailable", verdict_of({unavailable()})},
            {"everything", with_everything()}};
}

}  // namespace headway::samples
