#include "lessons.hpp"

#include "format.hpp"
#include "grader/suites/06_catch_the_bug/attentions/attend.hpp"
#include "grader/suites/06_catch_the_bug/attentions/roster.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace headway::lessons {
namespace {

using ex06::Inputs;

struct Sizes {
    Index B, H, T, S, d, D;
};

Inputs independent(const Sizes& n) {
    Random random(6);
    const Index E = n.H * n.d;
    Inputs in;
    in.query = random.normal({n.B, n.T, n.D});
    in.key = random.normal({n.B, n.S, n.D});
    in.value = random.normal({n.B, n.S, n.D});
    for (Tensor* w : {&in.w_q, &in.w_k, &in.w_v}) *w = random.normal({n.D, E}) * 0.5F;
    in.w_o = random.normal({E, n.D});
    for (Tensor* b : {&in.b_q, &in.b_k, &in.b_v}) *b = random.normal({E});
    in.b_o = random.normal({n.D});
    in.num_heads = n.H;
    return in;
}

/// What a first test tends to be: everything the same.
Inputs of_ones() {
    Inputs in;
    in.query = in.key = in.value = Tensor::ones({2, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    in.num_heads = 2;
    return in;
}

/// Random numbers, but one sequence, and query, key and value alike.
Inputs self_attention(Index B) {
    Inputs in = independent({B, 2, 4, 4, 2, 4});
    in.key = in.value = in.query;
    in.b_q = in.b_k = in.b_v = in.b_o = {};
    return in;
}

Inputs padded() {
    Inputs in = independent({2, 3, 4, 5, 2, 7});
    in.mask = Mask::of({2, 1, 1, 5}, {false, false, false, false, true, false, false, true, true, true});
    return in;
}

Inputs causal() {
    Inputs in = independent({2, 3, 4, 5, 2, 7});
    in.causal = true;
    return in;
}

Inputs blind_query() {
    Inputs in = independent({2, 3, 4, 5, 2, 7});
    in.mask = Mask::allow_all({4, 5});
    for (Index s = 0; s < 5; ++s) in.mask(1, s) = true;
    return in;
}

/// One feature, scores of -30000 and a blocked key.
Inputs far_below() {
    Inputs in;
    in.query = Tensor::ones({1, 1, 1});
    in.key = Tensor::of({1, 3, 1}, {-30000, -30000, 0});
    in.value = Tensor::of({1, 3, 1}, {4, 6, 100});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.mask = Mask::of({3}, {false, false, true});
    return in;
}

bool differ(const Tensor& a, const Tensor& b) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::abs(x.data()[i] - y.data()[i]) <= 1e-3F)) return true;
    return false;
}

/// The wrong attentions that answer otherwise than a right one.
std::set<std::string> visible(const Inputs& in) {
    const ex06::Attended right = attentions::attend(roster::reference, in);
    std::set<std::string> found;
    for (const roster::Entry& entry : roster::entries()) {
        if (entry.is_right()) continue;
        const ex06::Attended wrong = attentions::attend(entry.id, in);
        if (differ(wrong.output, right.output) || differ(wrong.weights, right.weights)) found.insert(entry.id);
    }
    return found;
}

void catch_the_bug(Blocks& blocks) {
    const std::vector<std::pair<std::string, Inputs>> all = {
        {"ones, identity weights", of_ones()},
        {"random x = query = key = value, one sequence", self_attention(1)},
        {"the same with two sequences", self_attention(2)},
        {"everything independent, all sizes different", independent({2, 3, 4, 5, 2, 7})},
        {"the same, padded, each sequence its own", padded()},
        {"the same, causal", causal()},
        {"the same, one query that sees nothing", blind_query()},
        {"scores far below zero, a blocked key", far_below()},
    };
    std::vector<Labels> lines{{"inputs", "wrong answers", "with those above"}};
    std::set<std::string> together;
    for (const auto& [name, in] : all) {
        const std::set<std::string> here = visible(in);
        together.insert(here.begin(), here.end());
        lines.push_back({name, std::to_string(here.size()), std::to_string(together.size())});
    }
    blocks.text("06/visible", grid(lines));
    const auto wrong = std::ranges::count_if(roster::entries(), [](const auto& entry) { return !entry.is_right(); });
    blocks.number("06/wrong", std::to_string(wrong));
    blocks.number("06/right", std::to_string(static_cast<std::ptrdiff_t>(roster::entries().size()) - wrong));
    blocks.number("06/first", std::to_string(visible(of_ones()).size()));

    // One head, two keys, d = 4 of D = 4 features: the scores of "Why divide" in lesson 01.
    const auto share = [](double score, double width) { return 1 / (1 + std::exp(-score / std::sqrt(width))); };
    blocks.text("06/scale", grid({{"score", "÷ √d, d = 4", "÷ √D, D = 12"},
                                  {"1", fixed(share(1, 4), 3), fixed(share(1, 12), 3)},
                                  {"4", fixed(share(4, 4), 3), fixed(share(4, 12), 3)},
                                  {"0", fixed(share(0, 4), 3), fixed(share(0, 12), 3)}}));
}

const Announced announced{&catch_the_bug};

}  // namespace
}  // namespace headway::lessons
