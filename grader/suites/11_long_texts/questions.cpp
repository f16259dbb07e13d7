#include "suites/11_long_texts/questions.hpp"

#include "suites/11_long_texts/inputs.hpp"

#include "diagnosis/small_sizes.hpp"

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::long_texts::Filled;
using judge::long_texts::Inputs;
using judge::long_texts::Looks;
using judge::long_texts::NewTokens;
using judge::long_texts::Padded;
using judge::long_texts::Positions;
using judge::long_texts::random_padding;

judge::Sizes sizes_of(Random& random) {
    const SmallSizes n = small_sizes(random);
    return {n.B, n.H, n.T, n.S, n.d, n.d_v};
}

/// What masks, and attention under them, differ in: window, global tokens, padding.
std::vector<Looks> all_looks(Random& random, const judge::Sizes& n) {
    const Index S = n.S;
    return {{S + 1, {}, Mask{}},
            {1, {}, Mask{}},
            {3, {}, Mask{}},
            {2, {S - 1}, Mask{}},
            {2, {0}, Mask{}},
            {2, {S - 2, 1, S - 2}, Mask{}},
            {3, {}, random_padding(random, n.B, S, Padded::left)},
            {2, {}, random_padding(random, n.B, S, Padded::right)},
            {2, {S - 2, 0}, random_padding(random, n.B, S, Padded::left)},
            {2, {0, S - 1}, random_padding(random, n.B, S, Padded::between)},
            {1, {0, S - 1, 0}, Mask{}},
            {2, {0, 0, S - 2}, Mask{}},
            {1, {S - n.T}, Mask{}},  // the first query
            {1, {}, random_padding(random, n.B, S, Padded::left)}};
}

/// Every second query has scores near a number. The others show that nothing else is wrong.
Inputs some_at_level(const Inputs& in, float level) {
    Inputs other = in.at_level(level);
    for (Index t = 1; t < other.q.size(2); t += 2) other.q.select(2, t).select(2, 0).fill(0);
    return other;
}

}  // namespace

std::vector<Arguments> ask_window_mask(Random& random) {
    const judge::Sizes n = sizes_of(random);
    std::vector<Arguments> questions;
    for (const Index w : {n.S + 1, Index{1}, Index{2}, Index{3}, n.T})
        for (const Index T : {n.S, n.T}) questions.push_back({{"T", T}, {"S", n.S}, {"w", w}});
    questions.push_back({{"T", n.T}, {"S", n.S}, {"w", past_an_int}});
    return questions;
}

std::vector<Arguments> ask_global_mask(Random& random) {
    const judge::Sizes n = sizes_of(random);
    std::vector<Arguments> questions;
    for (const Positions& positions : {Positions{}, Positions{0}, Positions{n.S - 1}, Positions{n.S - 2, 1, n.S - 2},
                                       Positions{n.S - 1, 0, 1}, Positions{0, 2, n.S - 1}})
        for (const Index T : {n.S, n.T}) questions.push_back({{"T", T}, {"S", n.S}, {"positions", positions}});
    return questions;
}

std::vector<Arguments> ask_long_mask(Random& random) {
    const judge::Sizes n = sizes_of(random);
    std::vector<Arguments> questions;
    for (const Index T : {n.S, n.T})
        for (const Looks& looks : all_looks(random, n))
            questions.push_back(
                {{"T", T}, {"S", n.S}, {"w", looks.w}, {"globals", looks.globals}, {"padding", looks.padding}});
    return questions;
}

Questions ask_window_attention(Random& random) {
    const judge::Sizes n = sizes_of(random);
    judge::Sizes square = n;
    square.T = square.S;
    Questions questions;
    for (const judge::Sizes& size : {square, n})
        for (const Looks& looks : all_looks(random, size)) questions.add(Inputs(random, size, looks).arguments());
    // Near -300: below a maximum that starts at 0 as float's exp sees it, and above one that starts at -1000; near -900
    // the same in double, and near 900 above what exp of a double can hold.
    questions.add(Inputs(random, n, {3, {0}, Mask{}}).at_both_levels(900).arguments());
    for (const float level : {30.0F, -300.0F, 900.0F, -900.0F})
        questions.add(some_at_level(Inputs(random, n, {3, {0}, Mask{}}), level).arguments());
    // Padding that has a number for its score is found among others as low.
    const Looks padded{4, {}, random_padding(random, n.B, n.S, Padded::left)};
    questions.add(some_at_level(Inputs(random, n, padded), -1e4F).arguments());
    Inputs sharp(random, n, {4, {}, Mask{}});
    sharp.q = sharp.q * 60.0F;
    questions.add(sharp.arguments());
    // Longer than most blocks of queries, and a window of which an eighth is several of them.
    questions.add(Inputs(random, {1, 1, 66, 66, 2, 1}, {32, {}, Mask{}}).arguments());
    // Which global tokens are among the keys of a block, but not in the window of each query, tells how large blocks
    // are.
    questions.add(Inputs(random, {1, 1, 66, 66, 2, 1}, {32, {0, 10, 40}, Mask{}}).arguments());
    return questions;
}

std::vector<Arguments> ask_make_ring(Random& random) {
    const judge::Sizes n = sizes_of(random);
    return {{{"B", n.B}, {"H", n.H}, {"w", n.S}, {"d", n.d}, {"d_v", n.d_v}},
            {{"B", n.B}, {"H", n.H}, {"w", Index{1}}, {"d", n.d_v}, {"d_v", n.d}}};
}

namespace {

/// Caches and new tokens, in the order of their arguments: where the ring stands, and how many tokens come.
std::vector<Arguments> ask_rings(Random& random, bool queries) {
    judge::Sizes n = sizes_of(random);
    constexpr Index w = 4;
    std::vector<Arguments> questions;
    bool are_views = false;
    const auto ask = [&](Index window, Index next, Index count) {
        const Filled filled(random, n, window, next);
        Arguments arguments = (are_views ? filled.with_slots_before_heads() : filled).arguments();
        const NewTokens some(random, n, count);
        if (queries) arguments.push_back({"q", some.q});
        arguments.push_back({"k", some.k});
        arguments.push_back({"v", some.v});
        questions.push_back(std::move(arguments));
    };
    for (const Index count : {1, 2, 4, 5, 7, 9})
        for (const Index next : {0, 2, 4, 5, 7, 8, 11}) ask(w, next, count);
    ask(1, 3, 1);
    ask(1, 5, 3);
    are_views = true;
    ask(w, 2, 1);
    ask(w, 7, 3);
    are_views = false;
    n.d_v = n.d;  // as wide as keys
    ask(w, 6, 2);
    ask(w, 3, 3);
    return questions;
}

}  // namespace

std::vector<Arguments> ask_ring_append(Random& random) { return ask_rings(random, false); }
std::vector<Arguments> ask_ring_decode(Random& random) { return ask_rings(random, true); }

std::vector<Arguments> ask_reach(Random& random) {
    const judge::Sizes n = sizes_of(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Mask& mask, Index layers) { questions.push_back({{"mask", mask}, {"layers", layers}}); };
    for (const Index layers : {1, 2, 3, 4, 5, 6}) {
        ask(window_mask(Windows::right(), n.S, n.S, 2), layers);
        Mask cycle = Mask::block_all({n.S, n.S});  // each sees the one before and none itself
        for (Index t = 0; t < n.S; ++t) cycle(t, (t + n.S - 1) % n.S) = false;
        ask(cycle, layers);
        ask(random_mask(random, {n.T, n.T}), layers);
        ask(random_mask(random, {n.T, n.T}).as_strided({n.T, n.T}, {1, n.T}, 0), layers);
    }
    ask(Mask::allow_all({4, 4}), too_many_layers);  // infinity meets no 0
    ask(two_texts(4, 2), too_many_layers);
    return questions;
}

Mask two_texts(Index of_first, Index of_second) {
    const Index S = of_first + of_second;
    Mask mask = Mask::allow_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = (t < of_first) != (s < of_first);
    return mask;
}

std::vector<Arguments> ask_window_reach(Random& random) {
    std::vector<Arguments> questions;
    const auto ask = [&](Index w, Index layers) { questions.push_back({{"w", w}, {"layers", layers}}); };
    ask(1, 1);
    ask(5, 1);
    ask(1, 4);
    ask(random.integer(3, 5), 2);
    ask(random.integer(6, 9), 4);
    return questions;
}

}  // namespace headway::diagnosis
