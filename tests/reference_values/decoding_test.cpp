// Decoding step by step beside what PyTorch computes of whole texts: exercises 08 and 13. 11 is in long_texts_test.cpp.
#include "cases.hpp"
#include "closeness.hpp"

#include "kv_cache.hpp"
#include "positions.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace headway::beside_pytorch {
namespace {

constexpr Index H = 3;
constexpr double rotary_base = 500;

/// How many tokens of each text come with one step.
using Counts = std::vector<Index>;

/// Decodes the texts of 08/decoding in these steps, each text from its first token on.
void expect_agreement(const std::vector<Counts>& steps) {
    const Case value("08/decoding");
    const Tensor x = value["x"], due = value["result"];
    const Index B = x.size(0), D = x.size(2);
    ex08::Projections projections(D, D, Random(8));
    nn::StateDict state;
    for (const auto& [name, parameter] : projections.named_parameters()) state.emplace_back(name, value[name]);
    projections.load_state_dict(state);
    ex08::Cache cache = ex08::make_cache(B, H, x.size(1), D / H);
    Counts begin(static_cast<std::size_t>(B), 0);
    for (const Counts& counts : steps) {
        const Index n = *std::max_element(counts.begin(), counts.end());
        Tensor fresh = Tensor::zeros({B, n, D});
        const auto rows_of = [&](const Tensor& all, Index b, Index from) {
            return all.slice(0, b, b + 1).slice(1, from, from + counts.at(static_cast<std::size_t>(b)));
        };
        for (Index b = 0; b < B; ++b)
            rows_of(fresh, b, 0).copy_from(rows_of(x, b, begin.at(static_cast<std::size_t>(b))));
        const Tensor ours = ex08::decode(cache, projections, fresh, counts);
        for (Index b = 0; b < B; ++b) {
            Index& from = begin.at(static_cast<std::size_t>(b));
            EXPECT_TRUE(close(rows_of(ours, b, 0), rows_of(due, b, from))) << "text " << b << " from " << from;
            from += counts.at(static_cast<std::size_t>(b));
        }
    }
    EXPECT_EQ(begin, Counts(static_cast<std::size_t>(B), x.size(1))) << "the steps are not the whole texts";
}

TEST(OfDecoding, TokenByTokenIsTheWhole) { expect_agreement(std::vector<Counts>(7, Counts{1, 1})); }
TEST(OfDecoding, TextsOfTheirOwnLengthsAreEachTheWhole) { expect_agreement({{3, 1}, {1, 2}, {2, 3}, {1, 1}}); }

TEST(OfDecoding, RotaryPositionsBehindPaddingAreTheWhole) {
    const Case value("13/decoding");
    const Tensor q = value["q"], k = value["k"], v = value["v"], due = value["context"];
    ex13::Cache cache;
    Index begin = 0;
    for (const Index n : {1, 3, 2, 1}) {
        const auto part = [&](const Tensor& all) { return all.slice(2, begin, begin + n); };
        const ex13::Decoded step = ex13::decode(cache, part(q), part(k), part(v), {2, 0}, rotary_base);
        EXPECT_TRUE(close(step.context, part(due))) << "from " << begin;
        cache = step.cache;
        begin += n;
    }
    EXPECT_TRUE(close(cache.k, value["turned_k"]));
    EXPECT_TRUE(close(cache.v, v));
}

}  // namespace
}  // namespace headway::beside_pytorch
