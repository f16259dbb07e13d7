// The model of exercise 11 against attention that has kept every token, and how growth is judged.
#include "suites/11_long_texts/growth.hpp"
#include "suites/11_long_texts/ring.hpp"
#include "suites/11_long_texts/windows.hpp"

#include "reference/attention.hpp"
#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway::diagnosis {
namespace {

Array part(const Array& x, Index begin, Index end) {
    return reference::exact(reference::to_tensor(x).slice(2, begin, end));
}

Array of_tokens(Random& random, Index tokens, Index width) {
    return reference::exact(judge::random_tensor(random, {2, 3, tokens, width}));
}

TEST(Ring, IsSeenAsIfAllHadBeenKept) {
    constexpr Index w = 4, d = 3, d_v = 2;
    Random random(11);
    const Array q = of_tokens(random, 30, d), k = of_tokens(random, 30, d), v = of_tokens(random, 30, d_v);
    Ring ring{of_tokens(random, w, d), of_tokens(random, w, d_v), 0};
    Index next = 0;
    for (const Index n : {1, 2, 4, 9, 1, 3, 5}) {
        const RingSight sight = seen_in_ring(ring, part(k, next, next + n), part(v, next, next + n), Ringing::right());
        const Array by_ring = reference::attention(part(q, next, next + n), sight.k, sight.v, sight.blocked).context;
        const Array by_all = reference::attention(part(q, next, next + n), part(k, 0, next + n), part(v, 0, next + n),
                                                  window_mask(Windows::right(), n, next + n, w))
                                 .context;
        for (std::size_t i = 0; i < by_all.value.size(); ++i)
            EXPECT_NEAR(by_ring.value[i], by_all.value[i], 1e-6) << n << " from " << next;
        ring.append(part(k, next, next + n), part(v, next, next + n), Ringing::right());
        next += n;
    }
    EXPECT_EQ(ring.next, next);
}

TEST(Reach, OfWindowsIsAsManyTokensAsTheFormulaSays) {
    constexpr Index S = 20;
    for (const Index w : {1, 2, 4})
        for (const Index layers : {1, 2, 3, 5}) {
            const Mask reached = reach(Windows::right(), window_mask(Windows::right(), S, S, w), layers);
            Index count = 0;
            for (Index s = 0; s < S; ++s) count += reached(S - 1, s) ? 0 : 1;
            EXPECT_EQ(count, std::min(S, Windows::right().window_reach(w, layers))) << w << ", " << layers;
        }
}

TEST(Together, QueriesSeeWhatAnyOfTheirBlockSees) {
    constexpr Index T = 6, S = 8, w = 3;
    Windows choices = Windows::right();
    choices.together = {.count = 4, .see_later_keys = true, .see_earlier_keys = true};
    const Mask mask = long_mask(choices, T, S, w, {}, Mask{}), own = window_mask(Windows::right(), T, S, w);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            bool any_sees = false;
            for (Index other = t / 4 * 4; other < std::min(T, t / 4 * 4 + 4); ++other) any_sees |= !own(other, s);
            EXPECT_EQ(!mask(t, s), any_sees) << t << ", " << s;
        }
}

TEST(Together, KeysThatABlockHoldsCountAgainWhateverTheWindowOfAQueryIs) {
    constexpr Index T = 8, S = 10, w = 2;
    Windows choices = Windows::right();
    choices.together = {.count = 4};
    choices.counts_twice = Windows::CountsTwice::in_blocks;
    const Windows::Positions globals = {0, 2, 5};
    const auto copies = [&](Index t, Index s) { return choices.copies({t, s, T, S}, w, globals); };
    EXPECT_EQ(copies(2, 2), 2) << "before its window, and in that of the first query";
    EXPECT_EQ(copies(2, 0), 1) << "before all windows of the block";
    EXPECT_EQ(copies(6, 5), 2);
    EXPECT_EQ(copies(6, 2), 1) << "of another block";
    EXPECT_EQ(copies(2, 3), 1) << "not global";
    EXPECT_EQ(copies(3, 2), 1) << "the row of a global query is computed apart";
    choices.together.global_queries_too = true;
    EXPECT_EQ(copies(3, 2), 2);
    const Mask seen = long_mask(choices, T, S, w, globals, Mask{}),
               own = long_mask(Windows::right(), T, S, w, globals, Mask{});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) EXPECT_EQ(seen(t, s), own(t, s)) << "what is seen stays";
}

TEST(Together, AreAsManyAsAPartOfTheWindowOrOne) {
    EXPECT_EQ((Windows::Together{.times = 1, .parts = 8}.of(33)), 4);
    EXPECT_EQ((Windows::Together{.times = 1, .parts = 8}.of(7)), 1);
    EXPECT_EQ((Windows::Together{.times = 2}.of(5)), 10);
    EXPECT_EQ(Windows::Together{}.of(5), 0);
}

using judge::long_texts::Memory;
using judge::long_texts::Times;

TEST(Growth, FourTimesAsLongIsLinearAndSixteenTimesIsNot) {
    using Growth = Times::Growth;
    EXPECT_EQ((Times{{5, 6, 5}, {20, 25, 21}, 256}.growth()), Growth::linear);
    EXPECT_EQ((Times{{5, 6, 5}, {80, 90, 85}, 256}.growth()), Growth::quadratic);
    EXPECT_EQ((Times{{5, 5, 5}, {40, 40, 40}, 256}.growth()), Growth::unclear);
    // Medians that were delayed accuse nobody as long as the quickest calls do not, nor the other way about.
    EXPECT_EQ((Times{{5, 6, 5}, {20, 90, 85}, 256}.growth()), Growth::unclear);
    EXPECT_EQ((Times{{5, 20, 20}, {85, 85, 85}, 256}.growth()), Growth::unclear);
}

TEST(Growth, ALittleMemoryIsNeverMuch) {
    EXPECT_TRUE((Memory{0, 1'000'000, 0}.is_linear()));
    EXPECT_TRUE((Memory{1'000'000, 4'000'000, 0}.is_linear()));
    EXPECT_FALSE((Memory{1'000'000, 16'000'000, 0}.is_linear()));
    EXPECT_FALSE((Memory{0, 4'000'000, 0}.is_linear()));
}

}  // namespace
}  // namespace headway::diagnosis
