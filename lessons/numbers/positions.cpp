#include "format.hpp"
#include "lessons.hpp"

#include <positions.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

const double pi = std::acos(-1.0);

/// 0, 1, ..., T - 1, of one text.
Tensor first_positions(Index T) { return ex13::token_positions({0}, 0, T); }

Labels numbered(const std::string& name, Index count) {
    Labels names;
    for (Index i = 0; i < count; ++i) names.push_back(name + " " + std::to_string(i));
    return names;
}

void angles(Blocks& blocks) {
    const Tensor all = ex13::rotation_angles(first_positions(5), 4, 100);
    blocks.text("13/angles", matrix("angles", numbered("position", 5), {"pair 0", "pair 1"}, all[0], 1));
    constexpr Index d = 128;
    const double step = static_cast<double>(ex13::rotation_angles(Tensor::ones({1, 1}), d, 10'000)(0, 0, d / 2 - 1));
    blocks.number("13/longest", grouped(static_cast<Index>(2 * pi / step) / 1000 * 1000));
}

void circle(Blocks& blocks) {
    const Tensor quarters = first_positions(4).view({1, 4, 1}) * static_cast<float>(pi / 2);
    const Tensor arrows = Tensor::rows({{1, 0}}).expand({1, 1, 4, 2});
    const Tensor turned = ex13::rotate_pairs(arrows, quarters);
    std::vector<Labels> lines{{"(1, 0) after", "x", "y"}};
    for (Index t = 0; t < 4; ++t) {
        const auto whole = [&](Index i) { return std::to_string(std::lround(turned(0, 0, t, i))); };
        lines.push_back({std::to_string(t) + (t == 1 ? " quarter" : " quarters"), whole(0), whole(1)});
    }
    blocks.text("13/circle", grid(lines));
}

void scores(Blocks& blocks) {
    constexpr Index T = 5;
    const Tensor same = Tensor::rows({{1, 0, 1, 0}}).expand({1, 1, T, 4});
    const Tensor turned = ex13::rotate_pairs(same, ex13::rotation_angles(first_positions(T), 4, 100));
    const auto table = [&](const std::string& name, const Tensor& keys) {
        return matrix(name, numbered("query", T), numbered("key", T), matmul(turned, keys.transpose(-2, -1))[0][0], 2);
    };
    blocks.text("13/scores", table("q'·k'ᵀ", turned));
    blocks.text("13/queries-alone", table("q'·kᵀ", same));
}

void conventions(Blocks& blocks) {
    std::vector<Labels> lines{{"d = 6"}, {"neighbours: pair"}, {"halves: pair"}};
    // A turn of pair i alone moves the two features that belong to it.
    Tensor by_neighbours = Tensor::zeros({6}), by_halves = Tensor::zeros({6});
    for (Index i = 0; i < 3; ++i) {
        Tensor one = Tensor::zeros({1, 1, 3});
        one(0, 0, i) = 1;
        const Tensor x = Tensor::ones({1, 1, 1, 6});
        const Tensor neighbours = ex13::rotate_pairs(x, one), halves = ex13::rotate_halves(x, one);
        for (Index j = 0; j < 6; ++j) {
            if (neighbours(0, 0, 0, j) != 1) by_neighbours(j) = static_cast<float>(i);
            if (halves(0, 0, 0, j) != 1) by_halves(j) = static_cast<float>(i);
        }
    }
    for (Index j = 0; j < 6; ++j) {
        lines[0].push_back("f" + std::to_string(j));
        lines[1].push_back(fixed(by_neighbours(j), 0));
        lines[2].push_back(fixed(by_halves(j), 0));
    }
    blocks.text("13/conventions", grid(lines));
}

/// Columns as letters: 0 is a.
Labels letters(const std::string& name, const Tensor& columns) {
    Labels row{name};
    for (Index j = 0; j < columns.size(0); ++j) row.emplace_back(1, static_cast<char>('a' + std::lround(columns(j))));
    return row;
}

void columns(Blocks& blocks) {
    const Tensor w = Tensor::arange(6);
    const Tensor once = ex13::pairs_to_halves(w, 1);
    blocks.text("13/columns", grid({letters("columns", w), letters("pairs_to_halves", once),
                                    letters("once more", ex13::pairs_to_halves(once, 1)),
                                    letters("halves_to_pairs", ex13::halves_to_pairs(once, 1))}));
}

/// The key at position 2, one pair, when its token is new and when two more tokens have come.
void again(Blocks& blocks) {
    const Tensor key = Tensor::of({1, 1, 1, 2}, {1, 0});
    const Tensor two = ex13::rotation_angles(ex13::token_positions({0}, 2, 1), 2, 10'000);
    std::vector<Labels> lines{{"the key (1, 0) at position 2", "turned once", "turned with each call"}};
    Tensor each_time = key;
    const Tensor once = ex13::rotate_pairs(key, two);
    const auto shown = [](const Tensor& k) {
        return "(" + fixed(k(0, 0, 0, 0), 2) + ", " + fixed(k(0, 0, 0, 1), 2) + ")";
    };
    for (const char* when : {"when it is new", "one token later", "two tokens later"}) {
        each_time = ex13::rotate_pairs(each_time, two);
        lines.push_back({when, shown(once), shown(each_time)});
    }
    blocks.text("13/again", grid(lines));
}

void packed(Blocks& blocks) {
    constexpr Index D = 2, E = 4, E_kv = 2;  // H = 2, H_kv = 1, d = 2
    const auto weight = [](Index width, float first) {
        return (Tensor::arange(D * width) + first).view({width, D}).transpose(0, 1);
    };
    const ex13::Packed all = ex13::pack_in_projection(weight(E, 10), weight(E_kv, 50), weight(E_kv, 70), {}, {}, {});
    const Labels rows{"q, head 0", "q, head 0", "q, head 1", "q, head 1", "k", "k", "v", "v"};
    blocks.text("13/packed", beside({matrix("w_q", {"in 0", "in 1"}, {}, weight(E, 10)),
                                     matrix("in_proj_weight", rows, {"in 0", "in 1"}, all.weight)}));
}

void check(Blocks& blocks) {
    const double slowest = static_cast<double>(ex13::rotation_angles(Tensor::ones({1, 1}), 8, 10'000)(0, 0, 3));
    blocks.number("13/check-round", grouped(static_cast<Index>(2 * pi / slowest)));
    const auto zeros = [](Index width) { return Tensor::zeros({24, width}); };
    blocks.number("13/check-rows",
                  grouped(ex13::pack_in_projection(zeros(24), zeros(8), zeros(8), {}, {}, {}).weight.size(0)));
}

void positions(Blocks& blocks) {
    angles(blocks);
    circle(blocks);
    scores(blocks);
    conventions(blocks);
    columns(blocks);
    again(blocks);
    packed(blocks);
    check(blocks);
}

const Announced announced{&positions};

}  // namespace
}  // namespace headway::lessons
