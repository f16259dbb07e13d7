#include "lessons.hpp"

#include "charts.hpp"
#include "grader/suites/06_catch_the_bug/attentions/attend.hpp"
#include "grader/suites/06_catch_the_bug/attentions/roster.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>
#include <map>
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

/// Random numbers, but query, key and value are alike, and sizes equal.
Inputs self_attention() {
    Inputs in = independent({2, 2, 4, 4, 2, 4});
    in.key = in.value = in.query;
    in.b_q = in.b_k = in.b_v = in.b_o = {};
    return in;
}

Inputs padded() {
    Inputs in = independent({2, 3, 4, 5, 6, 7});
    in.mask = Mask::of({2, 1, 1, 5}, {false, false, false, false, true, false, false, true, true, true});
    return in;
}

Inputs causal() {
    Inputs in = independent({2, 3, 4, 5, 6, 7});
    in.causal = true;
    return in;
}

Inputs blind_query() {
    Inputs in = independent({2, 3, 4, 5, 6, 7});
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

/// Infinite if one of them is not a number.
float largest_difference(const Tensor& a, const Tensor& b) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    float largest = 0;
    for (Index i = 0; i < x.numel(); ++i) {
        const float difference = std::abs(x.data()[i] - y.data()[i]);
        largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
    return largest;
}

bool differ(const Tensor& a, const Tensor& b) { return largest_difference(a, b) > 1e-3F; }

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

/// Inputs, and the wrong attentions that they show.
struct Shown {
    std::string inputs;
    std::set<std::string> wrong;
};

/// A row for each kind of inputs, a column for each wrong attention, in the order in which they are first seen.
void draw_visible(Blocks& blocks, const std::vector<Shown>& rows, Index wrong) {
    constexpr double side = 20.4, pitch = 50;
    std::map<std::string, Index> column;
    Picture picture(480, 58 + pitch * static_cast<double>(rows.size()) + 34);
    picture.label({16, 24}, std::to_string(wrong) + " wrong attentions, a column each", {.type = Type::strong});
    std::string words = "A table of " + std::to_string(wrong) + " wrong attentions against kinds of inputs.";
    double y = 48;
    for (const Shown& row : rows) {
        std::set<Index> lit;
        for (const std::string& id : row.wrong)
            lit.insert(column.emplace(id, static_cast<Index>(column.size())).first->second);
        picture.label({16, y + 8}, row.inputs + ": " + std::to_string(row.wrong.size()), {.type = Type::small});
        for (Index i = 0; i < wrong; ++i)
            picture.cell({15 + side * static_cast<double>(i), y + 18, side, side}, Tone::orange,
                         lit.contains(i) ? 1 : 0);
        words += " " + row.inputs + ": " + std::to_string(row.wrong.size()) + ".";
        y += pitch;
    }
    const std::string never = std::to_string(wrong - static_cast<Index>(column.size()));
    picture.label({16, y + 12}, "Coloured: the answer differs. Never: " + never + ", on the right.",
                  {Tone::faint, Anchor::start, Type::small});
    blocks.picture("06/visible", picture, words + " Never seen by any of them: " + never + ".");
}

/// Weights of a right attention and a wrong one, on inputs with and without symmetry.
void draw_symmetry(Blocks& blocks) {
    const std::vector<std::pair<std::string, Inputs>> both{{"ones: ", of_ones()},
                                                           {"independent: ", independent({2, 3, 4, 5, 6, 7})}};
    Picture picture(480, 366);
    std::string words = "Heat maps of the weights of a right attention and of one whose scores are divided by √D.";
    double y = 10;
    for (const auto& [name, in] : both) {
        double x = 8;
        std::vector<Tensor> maps;
        for (const std::string& id : {std::string(roster::reference), std::string("scaled_by_model_width")}) {
            const Tensor weights = attentions::attend(id, in).weights[0][0];
            const bool is_right = maps.empty();
            Labels queries, keys;
            for (Index t = 0; t < weights.size(0); ++t) queries.push_back("q" + std::to_string(t));
            for (Index s = 0; s < weights.size(1); ++s) keys.push_back("k" + std::to_string(s));
            draw_heatmap(picture, {x, y},
                         {name + (is_right ? "right" : "wrong"),
                          queries,
                          keys,
                          weights,
                          is_right ? Tone::blue : Tone::orange,
                          30,
                          {.width = 39, .height = 30}});
            maps.push_back(weights);
            x += 236;
        }
        const float apart = largest_difference(maps[0], maps[1]);
        words += " On " + name + "they differ by at most " + (apart < 1e-5F ? "0" : fixed(apart, 2)) + ".";
        y += 166;
    }
    blocks.picture("06/symmetry", picture, words);
}

void catch_the_bug(Blocks& blocks) {
    const std::vector<std::pair<std::string, Inputs>> all = {
        {"ones, identity weights", of_ones()},
        {"random x = query = key = value, two sequences", self_attention()},
        {"everything independent, all sizes different", independent({2, 3, 4, 5, 6, 7})},
        {"the same, as many queries as keys", independent({2, 3, 5, 5, 6, 7})},
        {"sizes different, padded, each sequence its own", padded()},
        {"sizes different, causal", causal()},
        {"sizes different, one query that sees nothing", blind_query()},
        {"scores far below zero, a blocked key", far_below()},
    };
    std::vector<Labels> lines{{"inputs", "wrong answers", "so far"}};
    std::set<std::string> together;
    std::vector<Shown> shown;
    for (const auto& [name, in] : all) {
        const std::set<std::string> here = visible(in);
        together.insert(here.begin(), here.end());
        lines.push_back({name, std::to_string(here.size()), std::to_string(together.size())});
        shown.push_back({name, here});
    }
    blocks.text("06/visible", grid(lines));
    const auto wrong = std::ranges::count_if(roster::entries(), [](const auto& entry) { return !entry.is_right(); });
    draw_visible(blocks, shown, wrong);
    draw_symmetry(blocks);
    blocks.number("06/wrong", std::to_string(wrong));
    blocks.number("06/wrong-again", std::to_string(wrong));
    blocks.number("06/right", std::to_string(static_cast<std::ptrdiff_t>(roster::entries().size()) - wrong));
    blocks.number("06/first", std::to_string(visible(of_ones()).size()));

    // A wrong divisor, and weights that make up for it.
    const Sizes n{2, 3, 4, 5, 6, 7};
    const Inputs in = independent(n);
    Inputs bent = in;
    const float factor = std::sqrt(static_cast<float>(n.D) / static_cast<float>(n.d));
    bent.w_q = in.w_q * factor;
    bent.b_q = in.b_q * factor;
    const Tensor right = attentions::attend(roster::reference, in).output;
    const auto apart = [&](const Inputs& asked) {
        const float largest = largest_difference(attentions::attend("scaled_by_model_width", asked).output, right);
        return largest < 1e-5F ? std::string("below 0.00001") : fixed(largest, 3);
    };
    blocks.text("06/bent", grid({{"scores divided by √D instead of √d", "largest difference in the output"},
                                 {"with the weights of a right model", apart(in)},
                                 {"with w_q and b_q larger by √(D / d)", apart(bent)}}));

    // Who compares for equality: of many rows some do not sum to exactly 1, whatever the style.
    const Inputs many = independent({2, 3, 40, 50, 2, 7});
    const auto inexact = std::ranges::count_if(roster::entries(), [&](const roster::Entry& entry) {
        if (!entry.is_right()) return false;
        const Tensor totals = sum(attentions::attend(entry.id, many).weights, -1).contiguous();
        return std::any_of(totals.data(), totals.data() + totals.numel(), [](float total) { return total != 1; });
    });
    blocks.number("06/inexact", std::to_string(inexact));
}

const Announced announced{&catch_the_bug};

}  // namespace
}  // namespace headway::lessons
