// What the explorer shows is what the grader's model computes, and, without a mistake, what the solutions compute.
#include <as_json.hpp>
#include <diagnosis/attention.hpp>
#include <diagnosis/catalogue.hpp>
#include <trace.hpp>

#include <headway/given.hpp>
#include <merge_heads.hpp>
#include <scaled_scores.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace headway::explorer {
namespace {

using reference::Array;

const Question lesson{.tokens = {"The", "cat", "sat", "here"}};

Question drawn(Blocking blocking, std::vector<std::string> mistakes = {}) {
    return {.tokens = {"a", "dog", "saw", "a", "cat"},
            .D = 6,
            .H = 3,
            .numbers = Numbers::random,
            .blocking = blocking,
            .mistakes = std::move(mistakes)};
}

const Array* stage(const Trace& trace, const std::string& id) {
    const auto found =
        std::find_if(trace.stages.begin(), trace.stages.end(), [&](const auto& s) { return s.id == id; });
    return found == trace.stages.end() ? nullptr : &found->numbers;
}

void expect_close(const Array* shown, const Tensor& expected, const std::string& what) {
    ASSERT_NE(shown, nullptr) << what;
    ASSERT_EQ(shown->shape, expected.shape()) << what;
    const Tensor dense = expected.contiguous();
    for (std::size_t i = 0; i < shown->value.size(); ++i)
        EXPECT_NEAR(shown->value[i], static_cast<double>(dense.data()[i]), 1e-5) << what << " " << i;
}

void expect_solutions(const Question& question) {
    const Trace shown = trace(question);
    const Inputs in = inputs_of(question);
    const Mask mask = mask_of(question, diagnosis::right());
    const auto heads = [&](const Tensor& w) { return given::split_heads(matmul(in.x, w), question.H); };
    const ex03::Attended attended =
        ex03::scaled_dot_product_attention(heads(in.w_q), heads(in.w_k), heads(in.w_v), mask);
    const Tensor output = ex04::multi_head_attention(in.x, in.w_q, in.w_k, in.w_v, in.w_o, question.H, mask);

    EXPECT_EQ(shown.stopped_at, "");
    expect_close(stage(shown, "q_heads"), heads(in.w_q), "q_heads");
    expect_close(stage(shown, "scaled"), ex03::attention_scores(heads(in.w_q), heads(in.w_k)), "scaled");
    expect_close(stage(shown, "weights"), attended.weights, "weights");
    expect_close(stage(shown, "context"), attended.context, "context");
    expect_close(stage(shown, "merged"), ex04::merge_heads(attended.context), "merged");
    expect_close(stage(shown, "output"), output, "output");
    expect_close(stage(shown, "y"), in.x + output, "y");
}

TEST(Explorer, ShowsWhatTheSolutionsCompute) {
    expect_solutions(lesson);
    for (const Blocking blocking : {Blocking::nothing, Blocking::future, Blocking::last_token})
        expect_solutions(drawn(blocking));
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const Array* shown, const Array& modelled, const std::string& what) {
    ASSERT_NE(shown, nullptr) << what;
    ASSERT_EQ(shown->shape, modelled.shape) << what;
    EXPECT_TRUE(std::ranges::equal(shown->value, modelled.value, same)) << what;
}

/// The grader's model, asked the same.
void expect_model(const Question& question) {
    const Trace shown = trace(question);
    const diagnosis::Choices choices = choices_of(question);
    const Inputs in = inputs_of(question);
    diagnosis::Given given;
    given.input = {in.x, in.x, in.x};
    given.weight = {in.w_q, in.w_k, in.w_v};
    given.w_o = in.w_o;
    given.H = question.H;
    given.D = question.D;
    given.mask = mask_of(question, choices);
    diagnosis::Attention model(given);
    const std::string what = question.mistakes.empty() ? "right" : question.mistakes.front();
    try {
        const Array& output = model.output(choices);
        // An output of another shape, such as one row for all tokens, cannot be added to x.
        ASSERT_TRUE(shown.because.empty() || shown.stopped_at == "y") << what << ": " << shown.because;
        expect_same(stage(shown, "output"), output, what);
        expect_same(stage(shown, "scaled"), model.scores(choices), what);
        expect_same(stage(shown, "weights"), model.weights(choices), what);
        expect_same(stage(shown, "context"), model.context_and_weights(choices).context, what);
    } catch (const diagnosis::Unpredictable&) {
        EXPECT_NE(shown.stopped_at, "") << what;
    } catch (const std::exception&) {
        EXPECT_NE(shown.stopped_at, "") << what;
    }
}

TEST(Explorer, MakesMistakesAsTheGraderModelsThem) {
    for (const Blocking blocking : {Blocking::nothing, Blocking::future, Blocking::last_token})
        for (const diagnosis::Mistake& mistake : diagnosis::mistakes())
            if (mistake.make != nullptr) expect_model(drawn(blocking, {std::string(mistake.id)}));
}

TEST(Explorer, OffersMistakesThatItsModelHas) {
    std::ifstream file(EXPLORER "/mistakes.ts");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::regex lists(R"(ids: \[([^\]]*)\])"), quoted("'([^']*)'");
    std::size_t offered = 0;
    for (std::sregex_iterator list(text.begin(), text.end(), lists), end; list != end; ++list) {
        const std::string ids = (*list)[1];
        for (std::sregex_iterator id(ids.begin(), ids.end(), quoted); id != end; ++id, ++offered)
            EXPECT_NO_THROW(EXPECT_NE(diagnosis::mistake((*id)[1].str()).make, nullptr)) << (*id)[1];
    }
    EXPECT_GE(offered, 20U);
}

std::vector<std::string> words(const std::string& list) {
    std::vector<std::string> found;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) found.push_back(word);
    return found;
}

/// The links of the lessons that set it: explorer.md#mistakes=a,b&mask=future&show=x,y
TEST(Explorer, ShowsInEachLessonWhatTheMistakeChanges) {
    const std::regex link(R"(\]\(explorer\.md#mistakes=([a-z_,]+)(?:&mask=([a-z_]+))?&show=([a-z_,]+)\))");
    std::set<std::string> lessons_with_it;
    std::size_t links = 0;
    for (const auto& file : std::filesystem::directory_iterator(EXPLORER "/../../lessons")) {
        if (file.path().extension() != ".md") continue;
        std::ifstream in(file.path());
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (std::size_t at = text.find("(explorer.md#"); at != std::string::npos;
             at = text.find("(explorer.md#", at + 1))
            ++links;
        for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found, --links) {
            Question question = lesson;
            question.blocking = (*found)[2] == "future" ? Blocking::future : Blocking::nothing;
            const Trace right = trace(question);
            for (const std::string& mistake : words((*found)[1])) {
                question.mistakes = {mistake};
                const Trace wrong = trace(question);
                const std::vector<std::string> show = words((*found)[3]);
                EXPECT_TRUE(std::ranges::all_of(show, [&](const auto& id) { return stage(right, id) != nullptr; }));
                EXPECT_TRUE(std::ranges::any_of(show,
                                                [&](const auto& id) {
                                                    const Array* is = stage(wrong, id);
                                                    return is == nullptr || is->value != stage(right, id)->value;
                                                }))
                    << file.path() << ": " << mistake;
            }
            lessons_with_it.insert(file.path().stem().string().substr(0, 2));
        }
    }
    EXPECT_EQ(links, 0U) << "links that are not written as above";
    EXPECT_EQ(lessons_with_it, (std::set<std::string>{"02", "03", "04"}));
}

TEST(Explorer, StopsWhereShapesNoLongerFit) {
    const Trace shown = trace(drawn(Blocking::future, {"split_missing_transpose"}));  // scores among 3 heads, 5 tokens
    EXPECT_EQ(shown.stopped_at, "masked");
    EXPECT_NE(shown.because, "");
    EXPECT_NE(stage(shown, "scaled"), nullptr);
    EXPECT_EQ(stage(shown, "weights"), nullptr);
}

TEST(Explorer, GivesEqualWordsEqualRows) {
    const Tensor x = inputs_of(drawn(Blocking::nothing)).x;
    std::set<std::vector<float>> rows;
    for (Index t = 0; t < x.size(1); ++t) rows.insert({x[0][t].data(), x[0][t].data() + x.size(2)});
    EXPECT_EQ(rows.size(), 4U);  // "a" stands there twice
}

Question lesson_with(const std::string& mistake, Blocking blocking = Blocking::nothing) {
    Question question = lesson;
    question.blocking = blocking;
    question.mistakes = {mistake};
    return question;
}

// What site/explorer/experiments.ts promises.
TEST(Explorer, KeepsWhatItsExperimentsPromise) {
    const Trace right = trace(lesson);
    const std::vector<double>& q = stage(right, "q")->value;
    const std::vector<double> viewed = stage(trace(lesson_with("split_by_view")), "q_heads")->value;
    EXPECT_TRUE(std::equal(viewed.begin(), viewed.begin() + 6, q.begin()));  // rows 0 and 1 of head 0: all of "The"

    const std::vector<double>& sharp = stage(right, "weights")->value;
    const std::vector<double> flat = stage(trace(lesson_with("scale_sqrt_model_width")), "weights")->value;
    for (std::ptrdiff_t row = 0; row < 32; row += 4) {
        const auto favourite = std::max_element(sharp.begin() + row, sharp.begin() + row + 4);
        const auto flatter = std::max_element(flat.begin() + row, flat.begin() + row + 4);
        EXPECT_EQ(favourite - sharp.begin(), flatter - flat.begin());
        EXPECT_LT(*flatter, *favourite);
    }

    const std::vector<double> inverted = stage(trace(lesson_with("mask_inverted", Blocking::future)), "weights")->value;
    EXPECT_EQ(std::vector<double>(inverted.begin() + 12, inverted.begin() + 16), std::vector<double>(4, 0.0));

    const Trace among_heads = trace(lesson_with("split_missing_transpose"));
    EXPECT_EQ(stage(among_heads, "scores")->shape, (Shape{1, 4, 2, 2}));
    EXPECT_EQ(stage(among_heads, "y")->shape, (Shape{1, 4, 6}));

    for (const Blocking blocking : {Blocking::nothing, Blocking::future}) {
        const Trace traced = trace(drawn(blocking));
        const std::vector<double>& y = stage(traced, "y")->value;  // "a" is token 0 and token 3
        EXPECT_EQ(std::equal(y.begin(), y.begin() + 6, y.begin() + 18), blocking == Blocking::nothing);
    }
}

std::string refusal(const std::string& question) {
    const auto answered = nlohmann::json::parse(answer(question));
    return answered.contains("refused") ? answered["refused"].get<std::string>() : "";
}

TEST(Explorer, RefusesInASentence) {
    const auto asked = [](const std::string& D, const std::string& numbers, const std::string& mistake) {
        return R"({"tokens": ["a", "b"], "H": 2, "blocking": "nothing", "D": )" + D + R"(, "numbers": ")" + numbers +
               R"(", "mistakes": [)" + mistake + "]}";
    };
    EXPECT_EQ(refusal(asked("4", "random", "")), "");
    EXPECT_EQ(refusal(asked("5", "random", "")),
              "D = 5 cannot be split into 2 equal heads. Choose an H that divides D.");
    EXPECT_NE(refusal(asked("4000", "random", "")), "");
    EXPECT_NE(refusal(asked("4", "lesson", "")), "");
    EXPECT_NE(refusal(asked("4", "others", "")), "");
    EXPECT_NE(refusal(asked("4", "random", R"("no_such_mistake")")), "");
    EXPECT_NE(refusal("{"), "");
    EXPECT_NE(refusal("{}"), "");
}

}  // namespace
}  // namespace headway::explorer
