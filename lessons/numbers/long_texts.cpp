#include "format.hpp"
#include "lessons.hpp"

#include <long_texts.hpp>

#include <headway/random.hpp>

#include <algorithm>

namespace headway::lessons {
namespace {

/// Pairs of a query and a key that it sees, in a causal text of T tokens.
Index pairs(Index T, Index w) {
    Index count = 0;
    for (Index t = 0; t < T; ++t) count += std::min(t + 1, w);
    return count;
}

void cost(Blocks& blocks) {
    constexpr Index w = 256;
    blocks.number("11/all-pairs", grouped(pairs(4096, 4096)));
    blocks.number("11/window-pairs", grouped(pairs(4096, w)));
    std::vector<Labels> lines{{"tokens", "causal", "window of 256", "ratio"}};
    for (const Index T : {256, 1024, 4096, 16'384, 131'072}) {
        const Index all = pairs(T, T), near = pairs(T, w);
        lines.push_back(
            {grouped(T), grouped(all), grouped(near), fixed(static_cast<double>(all) / static_cast<double>(near), 1)});
    }
    blocks.text("11/pairs", grid(lines));
}

Labels numbered(const std::string& letter, Index count, Index first = 0) {
    Labels names;
    for (Index i = 0; i < count; ++i) names.push_back(letter + std::to_string(first + i));
    return names;
}

void masks(Blocks& blocks) {
    const Labels queries = numbered("q", 6), keys = numbered("k", 6);
    blocks.text("11/masks", beside({mask_picture("window of 2", queries, keys, ex11::window_mask(6, 6, 2)),
                                    mask_picture("global 0, 3", queries, keys, ex11::global_mask(6, 6, {0, 3}))}) +
                                '\n' +
                                mask_picture("joined, cut", queries, keys, ex11::long_mask(6, 6, 2, {0, 3}, Mask{})));
    blocks.text("11/last-two", mask_picture("window of 3", numbered("q", 2), keys, ex11::window_mask(2, 6, 3)));
}

/// The position of the token in each slot, as the numbers that are kept tell it.
Labels slots(const ex11::RingCache& ring) {
    Labels row;
    for (Index slot = 0; slot < ring.k.size(2); ++slot)
        row.push_back(slot < ring.next ? fixed(static_cast<double>(ring.k(0, 0, slot, 0)), 0) : "-");
    return row;
}

void rings(Blocks& blocks) {
    constexpr Index w = 4;
    ex11::RingCache ring = ex11::make_ring(1, 1, w, 1, 1);
    std::vector<Labels> lines{{"new tokens", "next", "slot 0", "slot 1", "slot 2", "slot 3"}};
    Index next = 0;
    for (const Index n : {1, 2, 2, 1, 6}) {
        const Tensor positions = (Tensor::arange(n) + static_cast<float>(next)).view({1, 1, n, 1});
        ex11::ring_append(ring, positions, positions);
        const std::string first = std::to_string(next), last = std::to_string(next + n - 1);
        Labels line{n == 1 ? first : first + " to " + last, std::to_string(ring.next)};
        const Labels held = slots(ring);
        line.insert(line.end(), held.begin(), held.end());
        lines.push_back(line);
        next += n;
    }
    blocks.text("11/ring", grid(lines));
    constexpr Index of_a_token = Index{2} * 32 * 8 * 128 * 2;  // keys and values, layers, heads, head_dim, bytes
    blocks.number("11/cache-all", fixed(static_cast<double>(of_a_token * 32'768) / 1e9, 1));
    blocks.number("11/cache-window", fixed(static_cast<double>(of_a_token * 4096) / 1e9, 1));
}

void layers(Blocks& blocks) {
    const Labels queries = numbered("q", 6), keys = numbered("k", 6);
    const Mask one = ex11::window_mask(6, 6, 2);
    blocks.text("11/reach", beside({mask_picture("1 layer", queries, keys, ex11::reach(one, 1)),
                                    mask_picture("2 layers", queries, keys, ex11::reach(one, 2))}) +
                                '\n' + mask_picture("3 layers", queries, keys, ex11::reach(one, 3)));
    blocks.number("11/mistral", grouped(ex11::window_reach(4096, 32)));
    blocks.number("11/mistral-report", grouped(ex11::window_reach(4096 + 1, 32)));
    std::vector<Labels> lines{{"layers", "window of 128", "window of 1,024", "window of 4,096"}};
    for (const Index L : {1, 2, 12, 32}) {
        Labels line{std::to_string(L)};
        for (const Index w : {128, 1024, 4096}) line.push_back(grouped(ex11::window_reach(w, L)));
        lines.push_back(line);
    }
    blocks.text("11/layers", grid(lines));
}

// ---- what is lost ------------------------------------------------------------------------------------------------

constexpr Index letters = 16, head_dim = 16;

/// A text whose first token says a letter, and whose last asks for it. Every other token says some letter as well, but
/// only the first has the feature that the query looks for.
struct Recall {
    Tensor q, k, v;
    Index letter;

    Recall(Random& random, Index T)
        : q(Tensor::zeros({1, 1, 1, head_dim})),
          k(random.normal({1, 1, T, head_dim})),
          v(Tensor::zeros({1, 1, T, letters})),
          letter(random.integer(0, letters - 1)) {
        constexpr float looked_for = 9;
        q(0, 0, 0, 0) = 4;
        k(0, 0, 0, 0) += looked_for;
        v(0, 0, 0, letter) = 1;
        for (Index t = 1; t < T; ++t) v(0, 0, t, random.integer(0, letters - 1)) = 1;
    }

    bool is_answered(Index w, const std::vector<Index>& globals) const {
        const Tensor context = ex11::window_attention(q, k, v, w, globals, Mask{});
        Index said = 0;
        for (Index i = 1; i < letters; ++i)
            if (context(0, 0, 0, i) > context(0, 0, 0, said)) said = i;
        return said == letter;
    }
};

void what_is_lost(Blocks& blocks) {
    constexpr Index texts = 200, w = 32;
    std::vector<Labels> lines{{"tokens", "all keys", "window of 32", "window, token 0 global"}};
    for (const Index T : {16, 32, 33, 64, 256}) {
        Random random(11);
        Index by_all = 0, by_window = 0, by_global = 0;
        for (Index text = 0; text < texts; ++text) {
            const Recall recall(random, T);
            by_all += recall.is_answered(T, {}) ? 1 : 0;
            by_window += recall.is_answered(w, {}) ? 1 : 0;
            by_global += recall.is_answered(w, {0}) ? 1 : 0;
        }
        const auto percent = [](Index count) { return fixed(100.0 * static_cast<double>(count) / texts, 1) + " %"; };
        lines.push_back({std::to_string(T), percent(by_all), percent(by_window), percent(by_global)});
    }
    blocks.text("11/recall", grid(lines));
}

void long_texts(Blocks& blocks) {
    cost(blocks);
    masks(blocks);
    rings(blocks);
    layers(blocks);
    what_is_lost(blocks);
}

const Announced announced{&long_texts};

}  // namespace
}  // namespace headway::lessons
