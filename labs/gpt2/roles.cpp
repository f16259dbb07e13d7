#include "labs/gpt2/roles.hpp"

#include <headway/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace headway::lab {
namespace {

/// Below this a head has no name; evenness has a bar of its own, since most rows are not far from even.
constexpr double stands_out = 0.4, nearly_even = 0.95;

/// The mean of what `of` says of each row t from `begin` on; 0 if there are none.
double mean_over_rows(Index begin, Index end, const std::function<double(Index)>& of) {
    double sum = 0;
    for (Index t = begin; t < end; ++t) sum += of(t);
    return end > begin ? sum / static_cast<double>(end - begin) : 0;
}

/// Of the row of query t, which sees t + 1 keys.
double evenness(const float* row, Index t) {
    double entropy = 0;
    for (Index s = 0; s <= t; ++s)
        if (row[s] > 0) entropy -= static_cast<double>(row[s]) * std::log(static_cast<double>(row[s]));
    return entropy / std::log(static_cast<double>(t + 1));
}

std::pair<double, const char*> strongest(const HeadRole& role) {
    return std::max({std::pair{role.induction, "induction"}, std::pair{role.previous, "previous token"},
                     std::pair{role.first, "first token"}});
}

}  // namespace

std::string HeadRole::name() const {
    const auto most = strongest(*this);
    if (most.first >= stands_out) return most.second;
    return even >= nearly_even ? "near-uniform" : "nothing that stands out";
}

std::string HeadRole::in_words() const {
    const auto most = strongest(*this);
    if (most.first >= stands_out) return fmt::format("{} {:.2f}", name(), most.first);
    return even >= nearly_even ? fmt::format("{} {:.2f}", name(), even) : name();
}

std::vector<Index> said_twice(const std::vector<Index>& tokens, Index places, Index count, std::uint64_t seed) {
    if (tokens.empty()) throw std::runtime_error("every vector of wte.weight is zero: the model knows no token");
    Random random(seed);
    std::vector<Index> text(static_cast<std::size_t>(std::clamp<Index>(count, 1, std::max<Index>(1, places / 2))));
    for (Index& token : text) token = tokens[static_cast<std::size_t>(random.next() % tokens.size())];
    text.reserve(2 * text.size());
    text.insert(text.end(), text.begin(), text.end());
    return text;
}

std::vector<HeadRole> roles_of(const std::vector<Gpt2::LayerLook>& looks, const std::vector<Gpt2::LayerLook>& twice) {
    std::vector<HeadRole> roles;
    for (std::size_t layer = 0; layer < looks.size(); ++layer)
        for (Index head = 0; head < looks[layer].weights.size(0); ++head) {
            const Tensor weights = looks[layer].weights[head].contiguous(),
                         again = twice[layer].weights[head].contiguous();
            const Index T = weights.size(0), rounds = again.size(0) / 2;
            const auto row = [&](Index t) { return weights.data() + t * T; };
            HeadRole role{.layer = static_cast<Index>(layer), .head = head};
            role.previous = mean_over_rows(1, T, [&](Index t) { return row(t)[t - 1]; });
            role.first = mean_over_rows(2, T, [&](Index t) { return row(t)[0]; });
            role.even = mean_over_rows(1, T, [&](Index t) { return evenness(row(t), t); });
            role.induction = mean_over_rows(rounds, 2 * rounds,
                                            [&](Index t) { return again.data()[t * 2 * rounds + t - rounds + 1]; });
            roles.push_back(role);
        }
    return roles;
}

}  // namespace headway::lab
