#include "diagnosis/catalogue.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "suites/06_catch_the_bug/attentions/attend.hpp"
#include "suites/06_catch_the_bug/attentions/roster.hpp"
#include "suites/06_catch_the_bug/what_shows.hpp"
#include "suites/06_catch_the_bug/wire_form.hpp"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::attentions {
namespace {

using ex06::Inputs;
using reference::Array;
using reference::exact;

Mask random_mask(Random& random, const Shape& shape) {
    Mask mask = Mask::allow_all(shape);
    for (Index i = 0; i < mask.numel(); ++i) mask.data()[i] = random.uniform() < 0.4F;
    return mask;
}

/// Any sizes, with and without everything that may be left out; now and then transposed in memory.
Inputs random_inputs(std::uint64_t seed) {
    Random random(seed);
    const auto size = [&] { return random.integer(1, 6); };
    const auto perhaps = [&] { return random.uniform() < 0.5F; };
    const Index B = size(), T = size(), S = perhaps() ? T : size(), H = size(), d = size(), D = size(), E = H * d;
    Inputs in;
    in.query = random.normal({T, B, D}).transpose(0, 1);
    in.key = random.normal({B, S, D});
    in.value = perhaps() ? in.key : random.normal({B, S, D});
    in.w_q = random.normal({D, E});
    in.w_k = random.normal({E, D}).transpose(0, 1);
    in.w_v = random.normal({D, E});
    in.w_o = random.normal({E, D});
    if (perhaps()) in.b_q = random.normal({E});
    if (perhaps()) in.b_k = random.normal({E});
    if (perhaps()) in.b_v = random.normal({E});
    if (perhaps()) in.b_o = random.normal({D});
    in.num_heads = H;
    in.causal = perhaps();
    const Shape masks[] = {{S}, {T, S}, {B, 1, 1, S}, {H, T, S}, {B, H, T, S}};
    if (perhaps()) in.mask = random_mask(random, masks[random.integer(0, 4)]);
    if (random.uniform() < 0.2F) in.w_q *= 60.0F;
    return in;
}

Array projected(const Tensor& x, const Tensor& w, const Tensor& b) {
    const Array product = reference::matmul(exact(x), exact(w));
    return b.defined() ? reference::add(product, exact(b)) : product;
}

struct Expected {
    Array output, weights;
};

/// By the judge's own reference, in double.
Expected expected(const Inputs& in) {
    Mask mask = in.mask;
    if (in.causal) mask = mask | reference::causal_mask(in.query.size(1), in.key.size(1));
    const reference::Attended attended =
        reference::attention(reference::split_heads(projected(in.query, in.w_q, in.b_q), in.num_heads),
                             reference::split_heads(projected(in.key, in.w_k, in.b_k), in.num_heads),
                             reference::split_heads(projected(in.value, in.w_v, in.b_v), in.num_heads), mask);
    const Array output = reference::matmul(reference::merge_heads(attended.context), exact(in.w_o));
    return {in.b_o.defined() ? reference::add(output, exact(in.b_o)) : output, attended.weights};
}

/// What is wrong with the answer of one of them; empty if nothing.
std::string complaint(const std::string& id, const Inputs& in, std::uint64_t seed = 0) {
    const ex06::Attended answer = attend(id, in, seed);
    const Expected right = expected(in);
    const auto output =
        judge::difference({"outputs", judge::Stage::none, {"b", "t", "i"}}, answer.output, right.output);
    const auto weights =
        judge::difference({"weights", judge::Stage::none, {"b", "h", "t", "s"}}, answer.weights, right.weights);
    return output ? output->message : weights ? weights->message : "";
}

TEST(Roster, CallsMistakesAsTheCatalogueDoes) {
    for (const roster::Entry& entry : roster::entries()) {
        if (entry.mistake.empty()) continue;
        const diagnosis::Mistake& mistake = diagnosis::mistake(entry.mistake);
        const std::string source = entry.project + ": " + entry.link;
        EXPECT_TRUE(mistake.shipped.empty() || std::ranges::find(mistake.shipped, source) != mistake.shipped.end())
            << entry.id << " tells of " << source << ", and the catalogue's " << entry.mistake << " does not";
    }
}

TEST(Attentions, RightOnesAreRight) {
    for (const roster::Entry& entry : roster::entries())
        for (std::uint64_t seed = 0; entry.is_right() && seed < 200; ++seed)
            ASSERT_EQ(complaint(entry.id, random_inputs(seed), seed), "") << entry.id << ", seed " << seed;
}

TEST(Attentions, RightOnesStandWhatTheHeaderPromises) {
    for (const float score : {1e4F, -1e4F, -3e4F, 200.0F}) {
        Inputs in;
        in.query = Tensor::ones({1, 1, 1});
        in.key = Tensor::of({1, 3, 1}, {score, score, score + 1e3F});
        in.value = Tensor::of({1, 3, 1}, {4, 6, 100});
        in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
        in.mask = Mask::of({3}, {false, false, true});
        for (const roster::Entry& entry : roster::entries())
            for (std::uint64_t seed = 0; entry.is_right() && seed < 50; ++seed) {
                const ex06::Attended answer = attend(entry.id, in, seed);
                EXPECT_NEAR(answer.weights(0, 0, 0, 0), 0.5, 1e-3) << entry.id << ", score " << score;
                EXPECT_EQ(answer.weights(0, 0, 0, 2), 0) << entry.id << ", score " << score;
                EXPECT_NEAR(answer.output(0, 0, 0), 5, 1e-2) << entry.id << ", score " << score;
            }
    }
}

/// Two keys of 64 features that differ in every one, and score nearly the same, near `score`.
Inputs close_keys(float score, std::uint64_t seed) {
    constexpr Index d = 64;
    Random random(seed);
    Inputs in;
    in.query = random.uniform({1, 1, d}, 0.5F, 1.5F);
    in.key = random.uniform({1, 2, d}, 0.5F, 1.5F);
    in.value = random.normal({1, 2, d});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(d);
    for (Index s = 0; s < 2; ++s) {
        double sum = 0;
        for (Index i = 0; i < d; ++i) sum += double{in.query(0, 0, i)} * double{in.key(0, s, i)};
        in.key.select(1, s) *= static_cast<float>((score + static_cast<float>(s)) * 8 / sum);
    }
    return in;
}

TEST(Attentions, RightOnesKeepTheirDigitsFarFromZero) {
    for (const roster::Entry& entry : roster::entries())
        for (std::uint64_t seed = 0; entry.is_right() && seed < 50; ++seed)
            for (const float score : {29900.0F, -29900.0F}) {
                const Inputs in = close_keys(score, seed);
                const ex06::Attended answer = attend(entry.id, in, seed);
                EXPECT_NEAR(answer.weights(0, 0, 0, 0), expected(in).weights.value[0], 0.01) << entry.id;
            }
}

/// A recorded answer is not that of a right attention the next time.
TEST(Attentions, AnswersDifferInTheirLastDigitsFromSeedToSeed) {
    const Inputs in = random_inputs(11);
    for (const roster::Entry& entry : roster::entries()) {
        int equal = 0, equal_strides = 0;
        const ex06::Attended first = attend(entry.id, in, 1);
        for (std::uint64_t seed = 2; seed < 22; ++seed) {
            const ex06::Attended other = attend(entry.id, in, seed);
            const Tensor a = first.output.contiguous(), b = other.output.contiguous();
            equal += std::equal(a.data(), a.data() + a.numel(), b.data()) ? 1 : 0;
            equal_strides += first.output.strides() == other.output.strides() ? 1 : 0;
        }
        EXPECT_EQ(equal, 0) << entry.id;
        EXPECT_LT(equal_strides, 15) << entry.id;
    }
}

TEST(Attentions, NoneChangesItsInputs) {
    const Inputs in = random_inputs(3);
    Inputs copy = in;
    for (Tensor* x : {&copy.query, &copy.key, &copy.value, &copy.w_q, &copy.w_k, &copy.w_v, &copy.w_o}) *x = x->clone();
    for (const roster::Entry& entry : roster::entries()) attend(entry.id, in);
    EXPECT_EQ(to_string(in.query), to_string(copy.query));
    EXPECT_EQ(to_string(in.key), to_string(copy.key));
    EXPECT_EQ(to_string(in.w_q), to_string(copy.w_q));
    EXPECT_EQ(to_string(in.w_o), to_string(copy.w_o));
}

/// What random numbers do not reach: scores far from zero.
Inputs far_scores(float score) {
    Inputs in;
    in.query = Tensor::ones({1, 1, 1});
    in.key = Tensor::of({1, 3, 1}, {score, score - 1, 0});
    in.value = Tensor::of({1, 3, 1}, {4, 6, 100});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.mask = Mask::of({3}, {false, false, true});
    return in;
}

TEST(Attentions, EachWrongOneIsWrongSomewhereAndRightSomewhere) {
    for (const roster::Entry& entry : roster::entries()) {
        if (entry.is_right()) continue;
        int wrong = 0, right = 0;
        const auto ask = [&](const Inputs& in) { (complaint(entry.id, in).empty() ? right : wrong) += 1; };
        for (std::uint64_t seed = 0; seed < 200; ++seed) ask(random_inputs(seed));
        for (const float score : {300.0F, -3000.0F, -30000.0F}) ask(far_scores(score));
        EXPECT_GT(wrong, 0) << entry.id;
        EXPECT_GT(right, 0) << entry.id << ": such a mistake would not have shipped";
    }
}

/// What shows depends on earlier questions.
bool remembers(const roster::Entry& entry) { return entry.id == "mask_of_an_earlier_call"; }

TEST(WhatShows, WithoutItNoMistakeShowsAndWithItMostQuestionsShowIt) {
    for (const roster::Entry& entry : roster::entries()) {
        if (entry.is_right() || remembers(entry)) continue;
        int has_all = 0, shown = 0;
        const auto ask = [&](const Inputs& in, const std::string& which) {
            const bool may_show = judge::WhatShows(entry.id).see(wire_form::to_record(in));
            const bool is_wrong = !complaint(entry.id, in).empty();
            EXPECT_TRUE(may_show || !is_wrong) << entry.id << ", " << which;
            has_all += may_show ? 1 : 0;
            shown += may_show && is_wrong ? 1 : 0;
        };
        for (std::uint64_t seed = 0; seed < 200; ++seed) ask(random_inputs(seed), "seed " + std::to_string(seed));
        for (const float score : {300.0F, -300.0F, -3000.0F, -30000.0F})
            ask(far_scores(score), "score " + std::to_string(score));
        EXPECT_GT(has_all, 0) << entry.id;
        EXPECT_GT(2 * shown, has_all) << entry.id;
    }
}

TEST(WhatShows, AMaskThatIsKeptShowsInTheNextCallOfItsSizes) {
    Inputs open = far_scores(1);
    open.key = Tensor::arange(9).view({1, 9, 1}) * 0.1F;  // sizes that no other test asks
    open.value = open.key;
    open.mask = Mask{};
    Inputs masked = open;
    masked.mask = Mask::allow_all({9});
    masked.mask(8) = true;
    judge::WhatShows shows("mask_of_an_earlier_call");
    for (const auto& [in, is_wrong] : {std::pair{open, false}, {open, false}, {masked, true}, {open, false}}) {
        EXPECT_EQ(shows.see(wire_form::to_record(in)), is_wrong);
        EXPECT_EQ(!complaint("mask_of_an_earlier_call", in).empty(), is_wrong);
    }
}

/// What is said of these questions and a wrong attention.
std::string missing(const std::string& id, const std::vector<Inputs>& questions) {
    judge::WhatShows shows(id);
    for (const Inputs& in : questions) shows.see(wire_form::to_record(in));
    return shows.missing();
}

TEST(WhatShows, SaysWhatNoQuestionHas) {
    Inputs in = far_scores(1);
    in.query = in.key;
    in.mask = Mask{};
    Inputs causal = in, decoding = in, view = in;
    causal.causal = decoding.causal = true;
    decoding.query = in.query.slice(1, 0, 1);
    view.query = Tensor::ones({1, 3, 2}).slice(2, 0, 1);
    EXPECT_EQ(missing("causal_from_top_left", {in, in}), " None of your 2 questions is causal.");
    EXPECT_EQ(missing("causal_from_top_left", {in, causal, in}),
              " 1 of your 3 questions is causal; none of these has T ≠ S.");
    EXPECT_EQ(missing("causal_from_top_left", {causal, causal}),
              " All of your 2 questions are causal; none of these has T ≠ S.");
    EXPECT_EQ(missing("causal_from_top_left", {causal, decoding}), "");
    EXPECT_EQ(missing("rows_read_in_turn", {in, causal}),
              " None of your 2 questions has a query, a key, a value or a weight that is not contiguous.");
    EXPECT_EQ(missing("rows_read_in_turn", {in, view}), "");
    EXPECT_EQ(missing("no_maximum", {in, causal}),
              " None of your 2 questions lets a query see a score above 70, or nothing but scores below -70.");
    EXPECT_EQ(missing("empty_row_is_nan", {in}), "") << "of a single question it is plain";
}

TEST(WhatShows, LargeScoresAreThoseOfOpenKeys) {
    const auto largest = [](const Inputs& in) { return judge::largest_size_of_a_score(wire_form::to_record(in)); };
    EXPECT_GT(largest(far_scores(12)), 10);
    EXPECT_GT(largest(far_scores(-9.5F)), 10) << "the second is -10.5";
    EXPECT_LT(largest(far_scores(9)), 10);
    Inputs blocked = far_scores(12);
    blocked.mask = Mask::block_all({3});
    EXPECT_EQ(largest(blocked), 0);
}

TEST(WhatShows, IsSaidOfAQuestionThatHasAll) {
    EXPECT_EQ(judge::WhatShows("causal_from_top_left").words(), "is causal and has T ≠ S");
}

TEST(WhatShows, IsDeclaredForEachWrongOne) {
    for (const roster::Entry& entry : roster::entries()) {
        if (entry.is_right()) continue;
        EXPECT_NO_THROW(judge::WhatShows{entry.id}) << entry.id;
    }
}

TEST(Attentions, AllRefuseTheSame) {
    Inputs in = random_inputs(1);
    in.num_heads = in.w_q.size(1) + 1;
    for (const roster::Entry& entry : roster::entries()) EXPECT_THROW(attend(entry.id, in), std::invalid_argument);
    EXPECT_THROW(attend(roster::reference, Inputs{}), std::invalid_argument);
}

TEST(Roster, EachWrongOneSaysWhereItShipped) {
    std::set<std::string> ids;
    for (const roster::Entry& entry : roster::entries()) {
        EXPECT_TRUE(ids.insert(entry.id).second) << entry.id;
        EXPECT_EQ(entry.is_right(), entry.link.empty()) << entry.id;
        EXPECT_EQ(entry.is_right(), entry.project.empty()) << entry.id;
    }
}

}  // namespace
}  // namespace headway::attentions
