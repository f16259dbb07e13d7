// What a question must have to show each mistake.   B batch · H heads · T queries · S keys · D embed_dim · d head_dim
#include "suites/06_catch_the_bug/what_shows.hpp"

#include "reference/attention.hpp"
#include "student/record_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headway::judge {

using reference::Array;
using reference::exact;

/// Its inputs, and what they block.
struct AskedInputs {
    const wire::Record& inputs;
    Index B = 0, H = 0, T = 0, S = 0, D = 0, d = 0;
    Mask blocked;                                            ///< (B, H, T, S), row-major
    bool has_known_sizes = false, blocks_otherwise = false;  ///< than the first question of the same sizes

    explicit AskedInputs(const wire::Record& of) : inputs(of) {
        const Shape query = tensor("query").shape();
        B = query[0];
        T = query[1];
        D = query[2];
        S = tensor("key").size(1);
        H = field<Index>(inputs, "num_heads");
        d = tensor("w_q").size(1) / H;
        Mask all = field<Mask>(inputs, "mask");
        if (is_causal()) all = all | reference::causal_mask(T, S);
        const Shape scores{B, H, T, S};
        blocked = all.defined() ? all.expand(scores).clone() : Mask::allow_all(scores);
    }

    const Tensor& tensor(const char* name) const { return field<Tensor>(inputs, name); }
    bool is_causal() const { return field<bool>(inputs, "causal"); }
    bool sees(Index b, Index h, Index t, Index s) const { return !blocked.data()[((b * H + h) * T + t) * S + s]; }
};

namespace {

/// Whether `holds(b, h, t, seen)` for some row, of which `seen` keys are open.
template <class Holds>
bool some_row(const AskedInputs& q, Holds holds) {
    for (Index b = 0; b < q.B; ++b)
        for (Index h = 0; h < q.H; ++h)
            for (Index t = 0; t < q.T; ++t) {
                Index seen = 0;
                for (Index s = 0; s < q.S; ++s) seen += q.sees(b, h, t, s) ? 1 : 0;
                if (holds(b, h, t, seen)) return true;
            }
    return false;
}

bool some_row_sees(const AskedInputs& q, bool (*enough)(Index seen, Index keys)) {
    return some_row(q, [&](Index, Index, Index, Index seen) { return enough(seen, q.S); });
}

bool sees_a_key(const AskedInputs& q) {
    return some_row_sees(q, [](Index seen, Index) { return seen > 0; });
}
bool sees_two_keys(const AskedInputs& q) {
    return some_row_sees(q, [](Index seen, Index) { return seen > 1; });
}
bool sees_nothing(const AskedInputs& q) {
    return some_row_sees(q, [](Index seen, Index) { return seen == 0; });
}
bool sees_some(const AskedInputs& q) {
    return some_row_sees(q, [](Index seen, Index keys) { return seen > 0 && seen < keys; });
}

/// Whether some open key of a row is open in a row beside it, too.
bool seen_twice(const AskedInputs& q, bool (*beside)(const AskedInputs&, Index b, Index h, Index t, Index s)) {
    return some_row(q, [&](Index b, Index h, Index t, Index) {
        for (Index s = 0; s < q.S; ++s)
            if (q.sees(b, h, t, s) && beside(q, b, h, t, s)) return true;
        return false;
    });
}

bool two_queries_see_one_key(const AskedInputs& q) {
    return seen_twice(q, [](const AskedInputs& of, Index b, Index h, Index t, Index s) {
        for (Index other = t + 1; other < of.T; ++other)
            if (of.sees(b, h, other, s)) return true;
        return false;
    });
}

bool two_heads_see_one_key(const AskedInputs& q) {
    return seen_twice(q, [](const AskedInputs& of, Index b, Index h, Index t, Index s) {
        for (Index other = h + 1; other < of.H; ++other)
            if (of.sees(b, other, t, s)) return true;
        return false;
    });
}

enum class Among { sequences, heads };

/// Whether some key is blocked in one of them and not in the first.
bool block_otherwise(Among which, const AskedInputs& q) {
    const bool of_sequences = which == Among::sequences;
    return some_row(q, [&](Index b, Index h, Index t, Index) {
        for (Index s = 0; s < q.S; ++s)
            if (q.sees(b, h, t, s) != q.sees(of_sequences ? 0 : b, of_sequences ? h : 0, t, s)) return true;
        return false;
    });
}

bool same_numbers(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && exact(a).value == exact(b).value;
}

/// Whether a bias whose numbers differ is added to as many tokens or more.
bool has_uneven_bias(const AskedInputs& q, Index tokens) {
    const std::pair<const char*, Index> biases[] = {{"b_q", q.T}, {"b_k", q.S}, {"b_v", q.S}};
    return std::ranges::any_of(biases, [&](const auto& one) {
        const Tensor& bias = q.tensor(one.first);
        if (!bias.defined() || one.second < tokens) return false;
        const std::vector<double> numbers = exact(bias).value;
        return std::ranges::any_of(numbers, [&](double number) { return number != numbers.front(); });
    });
}

bool has_view(const AskedInputs& q) {
    const char* const names[] = {"query", "key", "value", "w_q", "w_k", "w_v", "w_o"};
    return std::ranges::any_of(names, [&](const char* name) { return !q.tensor(name).is_contiguous(); });
}

Array projected(const AskedInputs& q, const char* input, const char* weight, const char* bias) {
    const Array product = reference::matmul(exact(q.tensor(input)), exact(q.tensor(weight)));
    const Tensor& b = q.tensor(bias);
    return reference::split_heads(b.defined() ? reference::add(product, exact(b)) : product, q.H);
}

enum class Rows { all, partly_blocked };

bool takes_long(const AskedInputs& q) {
    constexpr Index most_work = Index{1} << 22;
    return q.B * q.H * q.d * ((q.T + q.S) * q.D + q.T * q.S) > most_work;
}

Array scores_of(const AskedInputs& q) {
    return reference::scores(projected(q, "query", "w_q", "b_q"), projected(q, "key", "w_k", "b_k"));
}

/// Whether the largest score that a query sees is above the one or below the other; or that would take long to say.
bool largest_score_is(const AskedInputs& q, double above, double below, Rows rows = Rows::all) {
    if (takes_long(q)) return true;
    const Array scores = scores_of(q);
    return some_row(q, [&](Index b, Index h, Index t, Index seen) {
        if (seen == 0 || (rows == Rows::partly_blocked && seen == q.S)) return false;
        const auto row = static_cast<std::size_t>(((b * q.H + h) * q.T + t) * q.S);
        bool some_above = false, all_below = true;  // what is no number counts as both
        for (Index s = 0; s < q.S; ++s) {
            if (!q.sees(b, h, t, s)) continue;
            const double score = scores.value[row + static_cast<std::size_t>(s)];
            some_above |= !(score <= above);
            all_below &= !(score >= below);
        }
        return some_above || all_below;
    });
}

constexpr double no_limit = std::numeric_limits<double>::infinity();

constexpr Need is_causal{"is causal", [](const AskedInputs& q) { return q.is_causal(); }};
constexpr Need has_heads{"has more than one head", [](const AskedInputs& q) { return q.H > 1; }};
constexpr Need has_queries{"has more than one query", [](const AskedInputs& q) { return q.T > 1; }};
constexpr Need shows_a_key{"lets a query see a key", &sees_a_key};
constexpr Need shows_two_keys{"lets a query see two keys", &sees_two_keys};
constexpr Need blocks_some{"blocks some keys of a query, and not all", &sees_some};

/// By the names of the roster. A mistake may stay hidden where all of it is there, and never shows without.
const std::map<std::string, std::vector<Need>>& needs() {
    static const std::map<std::string, std::vector<Need>> all{
        {"scaled_by_model_width",
         {{"has embed_dim ≠ head_dim", [](const AskedInputs& q) { return q.D != q.d; }}, shows_two_keys}},
        {"scaled_by_head_dim", {{"has head_dim > 1", [](const AskedInputs& q) { return q.d > 1; }}, shows_two_keys}},
        {"split_by_view",
         {has_heads, {"has more than one key", [](const AskedInputs& q) { return q.S > 1; }}, shows_a_key}},
        {"merged_by_view", {has_heads, has_queries, shows_a_key}},
        {"softmax_over_queries",
         {{"lets a query see two keys, or two queries the same key",
           [](const AskedInputs& q) { return sees_two_keys(q) || two_queries_see_one_key(q); }}}},
        {"softmax_over_heads",
         {{"lets a query see two keys, or two heads the same key",
           [](const AskedInputs& q) { return sees_two_keys(q) || two_heads_see_one_key(q); }}}},
        // Above 88 exp overflows; this far from it no sum of 2^20 such numbers does.
        {"no_maximum",
         {{"lets a query see a score above 70, or nothing but scores below -70",
           [](const AskedInputs& q) { return largest_score_is(q, 70, -70); }}}},
        {"maximum_from_minus_thousand",
         {{"lets a query see nothing but scores below -1000",
           [](const AskedInputs& q) { return largest_score_is(q, no_limit, -999); }}}},
        {"masked_after_softmax", {blocks_some}},
        {"blocked_by_ten_thousand",
         {blocks_some,
          {"leaves a query nothing but scores below -9000",
           [](const AskedInputs& q) { return largest_score_is(q, no_limit, -8999, Rows::partly_blocked); }}}},
        {"mask_of_an_earlier_call",
         {{"has the sizes B, H, T and S of an earlier one", [](const AskedInputs& q) { return q.has_known_sizes; }},
          {"blocks other keys than the first of its sizes", [](const AskedInputs& q) { return q.blocks_otherwise; }}}},
        {"mask_of_first_sequence",
         {{"has more than one sequence", [](const AskedInputs& q) { return q.B > 1; }},
          {"blocks other keys in one sequence than in another",
           [](const AskedInputs& q) { return block_otherwise(Among::sequences, q); }}}},
        {"causal_from_top_left", {is_causal, {"has T ≠ S", [](const AskedInputs& q) { return q.T != q.S; }}}},
        {"causal_only_with_a_mask",
         {is_causal,
          {"has no mask", [](const AskedInputs& q) { return !field<Mask>(q.inputs, "mask").defined(); }},
          has_queries}},
        {"empty_row_is_nan", {{"lets a query see no key", &sees_nothing}}},
        {"empty_row_is_uniform", {{"lets a query see no key", &sees_nothing}}},
        {"values_from_keys",
         {{"has w_v ≠ w_k", [](const AskedInputs& q) { return !same_numbers(q.tensor("w_v"), q.tensor("w_k")); }},
          shows_a_key}},
        {"everything_from_query",
         {{"has T = S", [](const AskedInputs& q) { return q.T == q.S; }},
          {"has keys or values other than the queries",
           [](const AskedInputs& q) {
               return !same_numbers(q.tensor("key"), q.tensor("query")) ||
                      !same_numbers(q.tensor("value"), q.tensor("query"));
           }},
          shows_a_key}},
        {"bias_at_wrong_index",
         {{"has a b_q, b_k or b_v whose numbers differ", [](const AskedInputs& q) { return has_uneven_bias(q, 1); }},
          {"adds it to more than one token", [](const AskedInputs& q) { return has_uneven_bias(q, 2); }}}},
        {"rows_read_in_turn", {{"has a query, a key, a value or a weight that is not contiguous", &has_view}}},
        {"weights_keys_first",
         {{"has more than one query or key", [](const AskedInputs& q) { return q.T > 1 || q.S > 1; }}}},
        {"weights_averaged",
         {has_heads,
          {"lets a query see two keys, or other keys in one head than in another",
           [](const AskedInputs& q) { return sees_two_keys(q) || block_otherwise(Among::heads, q); }}}},
    };
    return all;
}

/// "is causal" -> "are causal", "lets a query see a key" -> "let a query see a key"
std::string of_several(const std::string& words) {
    const std::size_t end = words.find(' ');
    const std::string verb = words.substr(0, end), rest = words.substr(end);
    if (verb == "is") return "are" + rest;
    if (verb == "has") return "have" + rest;
    return verb.substr(0, verb.size() - 1) + rest;
}

/// FNV-1a of what is blocked.
std::uint64_t digest_of(const Mask& blocked) {
    std::uint64_t number = 14695981039346656037U;
    for (Index i = 0; i < blocked.numel(); ++i) number = (number ^ (blocked.data()[i] ? 1U : 0U)) * 1099511628211U;
    return number;
}

}  // namespace

double largest_size_of_a_score(const wire::Value& inputs) {
    const AskedInputs q(std::get<wire::Record>(inputs));
    double largest = 0;
    if (takes_long(q)) return largest;
    const Array scores = scores_of(q);
    some_row(q, [&](Index b, Index h, Index t, Index) {
        const auto row = static_cast<std::size_t>(((b * q.H + h) * q.T + t) * q.S);
        for (Index s = 0; s < q.S; ++s)
            if (q.sees(b, h, t, s))
                largest = std::max(largest, std::abs(scores.value[row + static_cast<std::size_t>(s)]));
        return false;
    });
    return largest;
}

WhatShows::WhatShows(const std::string& id) : needs_(&needs().at(id)), have_(needs_->size(), 0) {}

bool WhatShows::see(const wire::Value& inputs) {
    AskedInputs question(std::get<wire::Record>(inputs));
    const std::uint64_t digest = digest_of(question.blocked);
    const auto [first, is_first] = blocked_first_.emplace(question.blocked.shape(), digest);
    question.has_known_sizes = !is_first;
    question.blocks_otherwise = first->second != digest;
    ++questions_;
    for (std::size_t i = 0; i < needs_->size(); ++i) {
        if (!(*needs_)[i].holds(question)) return false;
        ++have_[i];
    }
    return true;
}

std::string WhatShows::words() const {
    std::vector<std::string> all;
    for (const Need& need : *needs_) all.emplace_back(need.words);
    return fmt::format("{}", fmt::join(all, " and "));
}

std::string WhatShows::missing() const {
    const auto lacking = static_cast<std::size_t>(std::ranges::find(have_, 0) - have_.begin());
    if (lacking == have_.size() || questions_ < 2) return "";
    const std::string asked = fmt::format("{} questions{}", questions_, refused_ > 0 ? " that are not refused" : "");
    const char* const lacks = (*needs_)[lacking].words;
    if (lacking == 0) return fmt::format(" None of your {} {}.", asked, lacks);
    const int some = have_[lacking - 1];
    std::vector<std::string> had;
    for (std::size_t i = 0; i < lacking; ++i)
        had.push_back(some == 1 ? (*needs_)[i].words : of_several((*needs_)[i].words));
    return fmt::format(" {} of your {} {}; none of these {}.", some == questions_ ? "All" : std::to_string(some), asked,
                       fmt::join(had, " and "), lacks);
}

}  // namespace headway::judge
