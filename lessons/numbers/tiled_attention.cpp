#include "lessons.hpp"
#include "sentence.hpp"

#include <headway/random.hpp>
#include <scaled_scores.hpp>
#include <tiled_attention.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::lessons {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index cat = 1, here = 3;

std::string score_text(float score) { return score == -infinity ? "-inf" : fixed(score, 3); }

/// The row of "here" in head 0, tile by tile.
void by_hand(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor scores = (two.raw_scores() / std::sqrt(3.0F)).slice(1, 0, 1).slice(2, here, here + 1);  // (1, 1, 1, 4)
    const Tensor v = two.split(two.w_v).slice(1, 0, 1);                                                  // (1, 1, 4, 3)
    blocks.text("10/scores", matrix("here, head 0", {"score"}, tokens, scores[0][0]));
    ex10::Running running = ex10::nothing_seen(1, 1, 1, 3);
    std::vector<Labels> lines{{"after", "largest", "total", "gathered", "", "", "gathered / total"}};
    const auto add = [&](const std::string& name) {
        Labels line{name, score_text(running.largest(0, 0, 0, 0)), fixed(running.total(0, 0, 0, 0), 3)};
        for (Index i = 0; i < 3; ++i) line.push_back(fixed(running.gathered(0, 0, 0, i), 3));
        const Tensor mean = ex10::context(running);
        std::string text;
        for (Index i = 0; i < 3; ++i) text += (i == 0 ? "" : "  ") + fixed(mean(0, 0, 0, i), 3);
        line.push_back(text);
        lines.push_back(line);
    };
    add("nothing");
    for (Index s = 0; s < 4; ++s) {
        ex10::absorb(running, scores.slice(3, s, s + 1), v.slice(2, s, s + 1));
        add(tokens[static_cast<std::size_t>(s)]);
    }
    blocks.text("10/by-hand", grid(lines));
    blocks.number("10/shrink", fixed(std::exp(scores(0, 0, 0, 0) - scores(0, 0, 0, cat)), 3));
    const ex03::Attended attended =
        ex03::scaled_dot_product_attention(two.split(two.w_q), two.split(two.w_k), two.split(two.w_v), {});
    blocks.text("10/context", matrix("context, head 0", {"here"}, {}, attended.context[0][0].slice(0, here, here + 1)));
}

/// The three numbers of a row if something is forgotten.
void forgotten(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor row = (two.raw_scores() / std::sqrt(3.0F))[0][0][here];
    double right = 0, unshrunk = 0, last = 0, largest = -std::numeric_limits<double>::infinity();
    for (Index s = 0; s < 4; ++s) {
        const double now = std::max(largest, static_cast<double>(row(s)));
        const double shrink = std::exp(largest - now);
        right = right * shrink + std::exp(row(s) - now);
        unshrunk = unshrunk + std::exp(row(s) - now);
        last = last + std::exp(row(s) - row(s));
        largest = now;
    }
    blocks.text("10/forgotten", grid({{"total of the row", ""},
                                      {"shrunk at each larger score", fixed(right, 3)},
                                      {"never shrunk", fixed(unshrunk, 3)},
                                      {"each key compared with itself only", fixed(last, 3)}}));
}

/// Scores below a finite "minus infinity".
void finite(Blocks& blocks) {
    const Tensor scores = Tensor::of({1, 1, 1, 2}, {-6000, -6001});
    const Tensor v = Tensor::of({1, 1, 2, 1}, {10, 20});
    ex10::Running running = ex10::nothing_seen(1, 1, 1, 1);
    ex10::absorb(running, scores, v);
    ex10::Running from_finite = ex10::nothing_seen(1, 1, 1, 1);
    from_finite.largest.fill(-5000);
    ex10::absorb(from_finite, scores, v);
    blocks.text(
        "10/finite",
        grid({{"largest begins at", "total", "context"},
              {"-inf", fixed(running.total(0, 0, 0, 0), 3), fixed(ex10::context(running)(0, 0, 0, 0), 3)},
              {"-5000", fixed(from_finite.total(0, 0, 0, 0), 3), fixed(ex10::context(from_finite)(0, 0, 0, 0), 3)}}));
}

/// Numbers that exist at once: H = 8, a tile of 64 x 64 scores.
void memory(Blocks& blocks) {
    constexpr Index H = 8, tile = 64;
    std::vector<Labels> lines{{"T = S", "all scores", "one tile of scores", "all / tile"}};
    for (const Index T : {256, 1024, 4096, 16384}) {
        const Index all = H * T * T;
        const Index one = H * tile * tile;
        lines.push_back({grouped(T), grouped(all), grouped(one), grouped(all / one)});
    }
    blocks.text("10/memory", grid(lines));
    blocks.number("10/result", fixed(4.0 * H * 4096 * 64 / 1e6, 0));
    blocks.number("10/long-text", fixed(4.0 * 16384 * 16384 / 1e9, 1));
    blocks.number("10/four-thousand", fixed(4.0 * H * 4096 * 4096 / 1e6, 0));
}

/// Which tiles are computed under a causal mask.
void skipped(Blocks& blocks) {
    constexpr Index T = 8, tile = 2;
    const auto cell = [](Index t, Index s) {
        if (s * tile > t * tile + tile - 1) return "skipped";
        return s == t ? "masked" : "whole";
    };
    std::vector<Labels> lines{{"T = S = 8, tile 2", "k 0-1", "k 2-3", "k 4-5", "k 6-7"}};
    Index computed = 0;
    for (Index t = 0; t < T / tile; ++t) {
        Labels line{"q " + std::to_string(t * tile) + "-" + std::to_string(t * tile + tile - 1)};
        for (Index s = 0; s < T / tile; ++s) {
            line.emplace_back(cell(t, s));
            computed += line.back() != "skipped" ? 1 : 0;
        }
        lines.push_back(line);
    }
    blocks.text("10/skipped", grid(lines));
    blocks.number("10/computed", std::to_string(computed));
    constexpr Index many = 64;
    blocks.number("10/share", fixed(100.0 * (many * (many + 1) / 2) / (many * many), 1));
}

/// How far apart tiled and whole attention are.
void rounding(Blocks& blocks) {
    Random random(4);
    const Tensor q = random.normal({1, 2, 50, 8}), k = random.normal({1, 2, 70, 8}), v = random.normal({1, 2, 70, 8});
    const Tensor whole = ex03::scaled_dot_product_attention(q, k, v, {}).context;
    std::vector<Labels> lines{{"tile", "largest difference to attention at once"}};
    for (const Index tile : {1, 16, 64}) {
        const Tensor apart = ex10::tiled_attention(q, k, v, {}, ex10::Causal::no, tile) - whole;
        float largest = 0;
        for (Index i = 0; i < apart.numel(); ++i) largest = std::max(largest, std::abs(apart.data()[i]));
        lines.push_back({std::to_string(tile), largest < 1e-6F ? "below 0.000001" : fixed(largest, 6)});
    }
    blocks.text("10/rounding", grid(lines));
}

void tiled_attention(Blocks& blocks) {
    by_hand(blocks);
    forgotten(blocks);
    finite(blocks);
    memory(blocks);
    skipped(blocks);
    rounding(blocks);
}

const Announced announced{&tiled_attention};

}  // namespace
}  // namespace headway::lessons
