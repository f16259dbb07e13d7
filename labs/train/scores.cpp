#include "labs/train/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace headway::lab {
namespace {

/// Below this, a head has no name.
constexpr double stands_out = 0.4;

class Mean {
public:
    void add(double value) {
        sum_ += value;
        ++count_;
    }
    double value() const { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }

private:
    double sum_ = 0;
    Index count_ = 0;
};

/// What `row`, the weights of query t, gives to the tokens that followed earlier occurrences of token t.
double after_the_same(const Batch& batch, Index b, Index t, const float* row) {
    double given = 0;
    for (Index s = 1; s <= t; ++s)
        if (batch.tokens[batch.at(b, s - 1)] == batch.tokens[batch.at(b, t)]) given += row[s];
    return given;
}

/// @param weights (B, T, T) of one head
HeadScore score(const Tensor& weights, const Batch& batch) {
    Mean previous, first, induction, agree, refer;
    const Index T = batch.T;
    for (Index b = 0; b < batch.B; ++b)
        for (Index t = 1; t < T; ++t) {
            const float* row = weights.data() + (b * T + t) * T;
            const std::size_t at = batch.at(b, t);
            first.add(row[0]);
            if (batch.relation[at] == Relation::copy) {
                const Index s = batch.source[at];
                previous.add(weights.data()[(b * T + s) * T + s - 1]);
                induction.add(after_the_same(batch, b, t, row));
            }
            if (batch.relation[at] == Relation::agree) agree.add(row[batch.source[at]]);
            if (batch.relation[at] == Relation::refer) refer.add(row[batch.source[at]]);
        }
    return {.previous = previous.value(),
            .first = first.value(),
            .induction = induction.value(),
            .agree = agree.value(),
            .refer = refer.value()};
}

}  // namespace

std::string HeadScore::in_words() const {
    std::pair<double, const char*> roles[] = {{previous, "previous token"},
                                              {induction, "induction"},
                                              {agree, "subject of verb"},
                                              {refer, "whom a pronoun means"},
                                              {first, "first token"}};
    std::stable_sort(std::begin(roles), std::end(roles),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string words;
    for (const auto& [value, name] : roles)
        if (value >= stands_out) words += fmt::format("{}{} {:.2f}", words.empty() ? "" : ", ", name, value);
    return words.empty() ? "nothing that stands out" : words;
}

std::string HeadScore::main_role() const {
    const std::string words = in_words();
    return words.substr(0, words.find(','));
}

std::vector<HeadScore> score_heads(LanguageModel& model, const Batch& batch) {
    std::vector<HeadScore> scores;
    const std::vector<Tensor> weights = model.weights(batch.tokens, batch.B);
    for (std::size_t block = 0; block < weights.size(); ++block)
        for (Index head = 0; head < model.sizes().H; ++head) {
            scores.push_back(score(weights[block].select(1, head).contiguous(), batch));
            scores.back().block = static_cast<Index>(block);
            scores.back().head = head;
        }
    return scores;
}

double accuracy(const Tensor& logits, const Batch& batch, Relation relation) {
    const Tensor dense = logits.contiguous();
    const Index V = dense.size(-1);
    Index right = 0, places = 0;
    for (std::size_t i = 0; i < batch.next.size(); ++i) {
        if (batch.relation[i] != relation) continue;
        const float* row = dense.data() + static_cast<Index>(i) * V;
        ++places;
        if (std::max_element(row, row + V) - row == batch.next[i]) ++right;
    }
    if (places == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(right) / static_cast<double>(places);
}

}  // namespace headway::lab
