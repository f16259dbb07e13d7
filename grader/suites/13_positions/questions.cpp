#include "suites/13_positions/questions.hpp"

#include "suites/13_positions/inputs.hpp"

#include "diagnosis/small_sizes.hpp"
#include "reference/attention.hpp"

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;
using judge::positions::Decoding;
using judge::positions::heads;
using judge::positions::Inputs;
using judge::positions::random_angles;
using judge::positions::random_positions;

/// Three pairs: what becomes of them is told apart by the least.
constexpr Index d = 6;

judge::Sizes sizes_for(const SmallSizes& n, Index d_v) { return {n.B, n.H, n.T, n.S, d, d_v}; }

}  // namespace

std::vector<Arguments> ask_token_positions(Random& random) {
    const Index T = random.integer(5, 7);
    std::vector<Arguments> questions;
    const auto ask = [&](const std::vector<Index>& padding, Index first, Index tokens) {
        questions.push_back({{"padding", padding}, {"first", first}, {"T", tokens}});
    };
    ask({0, 0, 0}, 0, T);
    ask({2, 0, 3}, 0, T);
    ask({0, 1, 3, T + 2}, 0, T);
    ask({0, 0}, 3, T);
    ask({0, 1}, 1, T);
    ask({2, 0, 5}, 3, T);
    ask({1, 4}, 9, 1);
    ask({0, T}, 0, T);
    // Padding that goes on behind the first ones, and padding in a text's beginning, as often.
    ask({0, 4}, 2, T + 1);
    ask({1, 6}, 4, 3);
    ask({0, 3}, 0, T + 2);
    ask({5, 0}, 1, 2);
    return questions;
}

std::vector<Arguments> ask_rotation_angles(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& positions, Index width, double base) {
        questions.push_back({{"positions", positions}, {"d", width}, {"base", base}});
    };
    ask(random_positions(random, n.B, n.T, 20), 2, 10'000);
    ask(random_positions(random, n.B, n.T, 20), d, 10'000);
    ask(random_positions(random, n.B, n.T, 20), 10, 50);
    ask(random_positions(random, n.T, n.B, 20).transpose(0, 1), 8, 300);
    return questions;
}

std::vector<Arguments> ask_rotation(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& x, const Tensor& angles) {
        questions.push_back({{"x", x}, {"angles", angles}});
    };
    ask(random_tensor(random, {n.B, n.H, n.T, 2}), random_angles(random, n.B, n.T, 1));
    ask(random_tensor(random, {n.B, n.H, n.T, d}), random_angles(random, n.B, n.T, d / 2));
    ask(heads(random, n.B, n.H, n.T, 10), random_angles(random, n.B, n.T, 5));
    ask(heads(random, n.B, n.H, n.T, d), random_angles(random, n.T, n.B, d / 2).transpose(0, 1));
    return questions;
}

std::vector<Arguments> ask_conversion(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& w, Index H) { questions.push_back({{"w", w}, {"num_heads", H}}); };
    ask(random_tensor(random, {d}), 1);
    ask(random_tensor(random, {n.S, 3 * d}), 3);
    ask(random_tensor(random, {2 * d, d}), 1);
    ask(random_tensor(random, {2 * 10, n.S}).transpose(0, 1), 2);
    return questions;
}

Questions ask_attention_with_positions(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto inputs = [&](Index group, Index H_kv, Index d_v) {
        return Inputs(random, {group, H_kv}, sizes_for(n, d_v));
    };
    questions.add(inputs(1, 3, d).with(Mask{}), "H = H_kv");
    Inputs usual = inputs(1, 2, d);
    usual.base = 10'000;
    questions.add(usual.with(Mask{}));
    questions.add(inputs(3, 2, d).with(Mask{}), "H > H_kv");
    questions.add(inputs(2, 3, 5).with(Mask{}), "H > H_kv");
    questions.add(inputs(1, 3, d).with(reference::causal_mask(n.T, n.S)), "there is a mask");
    questions.add(inputs(2, 3, d).with(random_mask(random, {n.B, 6, n.T, n.S})));
    questions.add(inputs(3, 2, d).with(random_mask(random, {n.B, 1, 1, n.S})));
    // Of three axes, as many as there are sequences and other than that; and one query alone.
    questions.add(inputs(1, n.B, d).with(random_mask(random, {n.B, n.T, n.S})));
    questions.add(inputs(n.B + 1, 1, d).with(random_mask(random, {n.B + 1, n.T, n.S})));
    judge::Sizes of_one_query = sizes_for(n, d);
    of_one_query.T = 1;
    for (const Index group : {1, 2})
        questions.add(Inputs(random, {group, 3}, of_one_query).with(random_mask(random, {n.B, 1, 1, n.S})));
    for (const float level : {30.0F, -30.0F}) questions.add(inputs(1, 2, d).at_level(random, level).with(Mask{}));
    return questions;
}

Questions ask_decode(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto step = [&](Index group, Index H_kv, Index d_v, const std::vector<Index>& padding, Index T) {
        judge::Sizes sizes = sizes_for(n, d_v);
        sizes.B = static_cast<Index>(padding.size());
        sizes.T = T;
        return Decoding(random, {group, H_kv}, sizes, padding);
    };
    questions.add(step(1, 3, d, {0, 0}, n.T).from_the_beginning().arguments());
    questions.add(step(1, 3, d, {0, 0}, 1).arguments());
    questions.add(step(1, 2, d, {0, 2, 1}, n.T).from_the_beginning().arguments());
    questions.add(step(1, 2, d, {3, 0, 1}, 1).arguments());
    questions.add(step(1, 3, 5, {1, n.S - 1}, n.T).arguments());
    questions.add(step(3, 2, d, {0, 2}, n.T).arguments());
    questions.add(step(2, 3, d, {n.T + 1, 0}, n.T).from_the_beginning().arguments());
    questions.add(step(1, 2, d, {n.S + 1, 0}, n.T).arguments());  // padding goes on among the new tokens
    return questions;
}

std::vector<Arguments> ask_packing(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](Index E, Index E_kv, bool with_biases) {
        const judge::positions::Layer layer(random, n.S, E, E_kv);
        questions.push_back(with_biases ? layer.arguments() : layer.without_biases().arguments());
    };
    ask(6, 6, false);
    ask(6, 3, true);
    ask(6, 2, false);
    ask(n.T, n.T, true);
    return questions;
}

std::vector<Arguments> ask_unpacking(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](Index H, Index H_kv, Index width, bool with_bias) {
        const Index rows = (H + 2 * H_kv) * width;
        questions.push_back({{"weight", random_tensor(random, {rows, n.S})},
                             {"bias", with_bias ? random_tensor(random, {rows}) : Tensor{}},
                             {"num_heads", H},
                             {"num_kv_heads", H_kv}});
    };
    ask(3, 3, 2, false);
    ask(6, 3, 2, true);
    ask(6, 2, 3, true);
    ask(5, 1, 2, false);
    return questions;
}

}  // namespace headway::diagnosis
