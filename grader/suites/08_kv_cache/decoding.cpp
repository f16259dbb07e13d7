// What diagnosis asks of decode.    B batch · n new tokens · D model width · H heads · d head_dim · C capacity
#include "suites/08_kv_cache/questions.hpp"

#include "suites/08_kv_cache/conversation.hpp"
#include "suites/08_kv_cache/new_tokens.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/softmax.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;
using judge::kv_cache::Contents;
using judge::kv_cache::Layer;

/// The weight of one of the four maps, (in, out).
Array weight(const wire::Record& state, const std::string& name) {
    return reference::transpose(reference::exact(judge::field<Tensor>(state, name + ".weight")), 0, 1);
}

Array bias(const wire::Record& state, const std::string& name) {
    return reference::exact(judge::field<Tensor>(state, name + ".bias"));
}

/// x (B, n, in) through that map.
Array projected(const wire::Record& state, const std::string& name, const Array& x, bool without_bias) {
    Array y = reference::matmul(x, weight(state, name));
    return without_bias ? y : reference::add(y, bias(state, name));
}

constexpr std::array<const char*, 3> input_maps{"q_proj", "k_proj", "v_proj"};
const Answer threw = Answer::without_value(Answer::Kind::threw);
constexpr const char* many_rows = "more rows are projected than 4·B·n";
constexpr const char* past_the_capacity = "it throws, and the tokens are cached by then";

/// Whether a chunk's padding, though not its tokens, would need positions that the cache does not have.
bool padding_needs_more(const Shape& lengths, Index n, Index capacity) {
    return std::ranges::max(lengths) + n > capacity;
}

/// The new tokens of a call and the maps that they go through, as somebody decides.
class NewTokens {
public:
    explicit NewTokens(const Arguments& arguments)
        : state_(std::get<wire::Record>(argument(arguments, "state"))),
          x_(tensor(arguments, "x")),
          counts_(std::get<Shape>(argument(arguments, "counts"))),
          num_heads_(tensor(arguments, "cache.k").size(1)),
          width_(num_heads_ * tensor(arguments, "cache.k").size(3)),
          w_o_(weight(state_, "out_proj")),
          b_o_(bias(state_, "out_proj")),
          w_v_(weight(state_, "v_proj")) {}

    const Tensor& x() const { return x_; }
    const Shape& counts() const { return counts_; }

    /// Queries, keys or values (role 0, 1, 2): (B, H, n, d).
    Array heads(std::size_t role, const Choices& c) const {
        const Array x = rows(c);
        const int map = c.projecting.weight[role];
        if (map < 0 && x.size(-1) != width_) throw Unpredictable{};  // who leaves the map out gets other widths
        const bool without = c.of<Caching>().projects_without_biases;
        return c.splitting.of(role)(
            map < 0 ? x : projected(state_, input_maps[static_cast<std::size_t>(map)], x, without), num_heads_);
    }

    /// (B, H, n, S)
    Array scores(const Array& q, const Array& k, const Choices& c) const {
        Widths widths;
        widths.B = q.size(0);
        widths.H = num_heads_;
        widths.T = q.size(2);
        widths.S = k.size(2);
        widths.d = widths.d_v = q.size(3);
        widths.D = x_.size(2);
        widths.default_d = widths.D / std::max<Index>(1, num_heads_);
        return reference::scale(c.scoring.product(q, k), c.scoring.factor(widths));
    }

    struct Output {
        Array y;                 ///< (B, n, D), what is padding 0
        bool blocked_take_part;  ///< keys that are blocked have a share
    };
    Output output(Array scores, const Array& v, const Blocked& blocked, const Choices& c) const {
        Blocked left = blocked;
        c.masking.block(scores, left);
        const bool take_part = left != blocked;
        Array weights = softmax(scores, std::move(left), c.softmaxing);
        c.masking.afterwards(weights, blocked);
        using AfterNone = Caching::AfterNone;
        const AfterNone after_none = c.of<Caching>().after_none;
        Array merged = c.merging.merge(reference::matmul(weights, v));
        if (after_none == AfterNone::zeros_before_the_projection)
            merged = up_to_a_count_of_zero(std::move(merged), counts_);
        const Array* const b_o = c.of<Caching>().projects_without_biases ? nullptr : &b_o_;
        Array y = real_rows(c.output.project({merged, w_o_, b_o, rows(c), &w_v_, num_heads_}), counts_);
        if (after_none == AfterNone::zeros) y = up_to_a_count_of_zero(std::move(y), counts_);
        return {std::move(y), take_part};
    }

private:
    Array rows(const Choices& c) const { return c.reading.tensor(x_, Argument::query); }

    wire::Record state_;
    Tensor x_;
    Shape counts_;
    Index num_heads_, width_;
    Array w_o_, b_o_, w_v_;
};

Predict decode(const Arguments& arguments) {
    const Held before = held_by(arguments);
    const NewTokens tokens(arguments);
    return [=](const Choices& c) {
        const Array q = tokens.heads(0, c), new_k = tokens.heads(1, c), new_v = tokens.heads(2, c);
        const Index n = q.size(2);
        Held held = before;
        if (c.of<Caching>().chunk_begins_anew && n > 1) held.lengths.assign(held.lengths.size(), 0);
        const Shape earlier = held.lengths;
        held.append(new_k, new_v, tokens.counts(), c.of<Caching>());
        if (held.refused) return Answer::without_value(Answer::Kind::refused);
        if (c.of<Caching>().keys_counted_with_padding && padding_needs_more(earlier, n, held.k.size(2)))
            return Answer{.parts = {{past_the_capacity, {}}}};
        const bool alone = c.of<Caching>().sees == Caching::Sees::chunk_alone;
        // Some look at the whole capacity, others at what is used, which may be past the end.
        const Index used = *std::max_element(held.lengths.begin(), held.lengths.end());
        if (!alone && used > held.k.size(2)) throw Unpredictable{};
        const Array k = alone ? new_k : found(held.k, used, c.of<Caching>());
        const Array scores = tokens.scores(q, k, c);
        const Index S = k.size(2);
        Blocked blocked(scores.value.size());
        std::vector<bool> open(as_size(q.size(0) * n));  // tokens whose output depends on that
        each(scores.shape, [&](Coordinate at, std::size_t i) {
            const auto hidden = [&](Index keys) {
                return is_hidden(c.of<Caching>(), earlier, held.lengths, as_size(at[0]), at[2], at[3], n, keys);
            };
            blocked[i] = hidden(S);
            const bool is_real = at[2] < tokens.counts()[as_size(at[0])];
            if (!alone && is_real && used < S && (at[3] < used ? hidden(used) != blocked[i] : !blocked[i]))
                open[as_size(at[0] * n + at[2])] = true;
        });
        const Array& of_values = c.of<Caching>().values_from_keys ? held.k : held.v;
        const Array v = alone ? new_v : found(of_values, used, c.of<Caching>());
        auto [y, blocked_take_part] = tokens.output(scores, v, blocked, c);
        // Who lets blocked keys take part sums over as many of them as it looks at.
        if (blocked_take_part && used < S) open.assign(open.size(), true);
        leave_open(y, c.merging.merge(marked(open, {q.size(0), q.size(1), n, v.size(-1)})));
        Answer answer{.parts = {{"y", std::move(y)},
                                {"lengths",
                                 lengths_array(c.of<Caching>().decode_moves_lengths ? held.lengths : before.lengths)}}};
        using Projects = Caching::Projects;
        const bool capacity = c.of<Caching>().projects == Projects::whole_capacity && held.k.size(2) > n;
        if (capacity || c.of<Caching>().projects == Projects::more_than_once) answer.parts.push_back({many_rows, {}});
        return answer;
    };
}

Answer decoded(const judge::Outcome& outcome, const Tensor& x, const Shape& counts, const Shape& lengths) {
    const auto* record = std::get_if<wire::Record>(&outcome.value);
    if (outcome.error || record == nullptr) return answer_of(outcome);
    const auto& y = judge::field<Tensor>(*record, "y");
    if (!y.defined()) return Answer{.parts = {{"y undefined", {}}}};
    const Array rows = reference::exact(y);
    const bool fits = rows.shape.size() == 3 && rows.shape[0] == x.size(0);
    Answer answer{.parts = {{"y", fits ? real_rows(rows, counts) : rows}, {"lengths", lengths_array(lengths)}}};
    if (judge::field<Index>(*record, "rows") > 4 * x.size(0) * x.size(1)) answer.parts.push_back({many_rows, {}});
    return answer;
}

/// What decode threw, or what it calls did, after append had made the cache grow to `grown`.
Answer answer_to_error(const judge::Outcome& outcome, const Shape& before, const Shape& grown, const Shape& counts,
                       Index n, Index capacity) {
    if (is_refusal(outcome) && is_too_late(before, grown, counts, n, capacity)) return threw;
    if (outcome.error->kind == wire::ErrorKind::out_of_range && grown != before &&
        padding_needs_more(before, n, capacity))
        return {.parts = {{past_the_capacity, {}}}};
    return answer_of(outcome);
}

AnswerAndChanges ask_decode(judge::Student& student, const Arguments& arguments) {
    const wire::Handle cache = cache_in(student, arguments);
    const wire::Handle projections = student.keep("projections", {{"state", argument(arguments, "state")}});
    const auto outcome = student.outcome("decode", {{"cache", cache},
                                                    {"projections", projections},
                                                    {"x", argument(arguments, "x")},
                                                    {"counts", argument(arguments, "counts")}});
    const Shape grown = judge::kv_cache::contents(student, cache).lengths;
    const auto before = std::get<Shape>(argument(arguments, "lengths"));
    const auto counts = std::get<Shape>(argument(arguments, "counts"));
    const Index n = tensor(arguments, "x").size(1), capacity = tensor(arguments, "cache.k").size(2);
    if (outcome.error) return {answer_to_error(outcome, before, grown, counts, n, capacity), outcome.changed_arguments};
    return {decoded(outcome, tensor(arguments, "x"), counts, grown), outcome.changed_arguments};
}

Questions decode_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    Questions questions;
    // Most often the longest sequence fills the cache: who looks at its whole capacity and who looks at what is used
    // see the same.
    const auto ask = [&](const Shape& lengths, const Shape& counts, Index n, const char* name = "", Index room = 0,
                         Index wider = 0) {
        const Index D = size.D() + wider;
        const Layer layer(random, D, size.D());
        Index C = 0;
        for (std::size_t b = 0; b < lengths.size(); ++b) C = std::max(C, lengths[b] + counts[b] + room);
        const Shape shape{size.B, size.H, C, size.d};
        questions.add({{"cache.k", zero_past(lengths, random_tensor(random, shape))},
                       {"cache.v", zero_past(lengths, random_tensor(random, shape))},
                       {"lengths", lengths},
                       {"state", layer.state},
                       {"x", random_tensor(random, {size.B, n, D})},
                       {"counts", counts}},
                      name);
    };
    const auto all = [&](Index count) { return Shape(as_size(size.B), count); };
    Shape different;
    for (Index b = 0; b < size.B; ++b) different.push_back(1 + b);
    Shape falling(different.rbegin(), different.rend());
    ask(all(0), all(1), 1, "each token is alone");  // the context is the token's own value
    ask(all(0), all(3), 3,
        "all new tokens are alike");  // the same, whatever a token sees, as long as heads are those of one token
    Tensor& tokens = std::get<Tensor>(questions.last()[4].value);
    tokens = tokens.slice(1, 0, 1).expand(tokens.shape());
    ask(all(3), all(1), 1, "one new token follows those in the cache");  // a token that sees everything there is
    ask(all(3), all(1), 1, "scores are in the thousands");  // the same, with scores in the thousands for one sequence
    questions.last()[0].value = louder_at_first(std::get<Tensor>(questions.last()[0].value));
    questions.last()[4].value = louder_at_first(std::get<Tensor>(questions.last()[4].value));
    for (const double score : {-160.0, -870.0, -5000.0}) {  // too far below 0 for exp, in float, and in double
        ask(all(0), all(1), 1, "scores are in the thousands");
        score_always(std::get<wire::Record>(questions.last()[3].value), score, size.d);
    }
    ask(all(1), all(3), 3);  // the same for a chunk, whose later tokens score higher than those that are seen
    for (const std::size_t which : {0U, 4U})
        questions.last()[which].value = louder_at_first(std::get<Tensor>(questions.last()[which].value));
    ask(all(3), different_counts(size.B, 1), 1, "some sequences get no new token");  // some sequences get nothing new
    ask(all(3), all(1), 1, "x is not as wide as all heads together", 0,
        size.H + 1);  // x need not be as wide as all heads together
    ask(all(0), all(3), 3);
    ask(all(3), all(1), 1, "", 2, size.H + 1);
    ask(all(2), all(3), 3);
    ask(different, all(1), 1);
    ask(falling, all(1), 1);
    Shape none_for_the_longest = all(1);
    none_for_the_longest.front() = 0;
    ask(falling, none_for_the_longest, 1);
    ask(falling, all(3), 3);
    ask(different, different_counts(size.B, size.T), size.T);
    ask(falling, different_counts(size.B, 3), 3);
    for (const Index length : {0, 2}) ask(all(length), all(2), 4);  // alike, and padding in every chunk
    // Padding alone: an answer is due even where no position is in use.
    ask(all(0), all(0), 1, "all tokens are padding", 2);
    ask(all(0), all(0), 3, "all tokens are padding", 4);
    ask(all(2), all(0), 1, "all tokens are padding", 2);
    Shape longer;
    for (Index b = 0; b < size.B; ++b) longer.push_back(36 - 15 * b);
    ask(longer, all(2), 2);          // more keys than a loop or a buffer of 8, 16 or 32 goes through
    ask(falling, all(3), 3, "", 2);  // with room to spare, a chunk shows what single tokens do not
    Tensor& last = std::get<Tensor>(questions.last()[4].value);
    last = last.transpose(0, 1).clone().transpose(0, 1);  // a view
    // Padding in every chunk and room for it: more tokens than positions in use is not more than there is room for.
    // What padding sees is open, and shows in nothing.
    ask(all(1), all(2), 4, "", 6);
    fill_parameter(std::get<wire::Record>(questions.last()[3].value), "out_proj.weight", 0.0F);
    return questions;
}

/// What follows from the student's own append and decoding_mask, if the rest is decided like this.
std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments, const Choices& c) {
    const NewTokens tokens(arguments);
    const Shape& counts = tokens.counts();
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const wire::Handle cache = cache_in(student, arguments);
    const auto appended = student.outcome("append", {{"cache", cache},
                                                     {"k", reference::to_tensor(tokens.heads(1, c))},
                                                     {"v", reference::to_tensor(tokens.heads(2, c))},
                                                     {"counts", counts}});
    const Contents held = judge::kv_cache::contents(student, cache);
    const Index B = tokens.x().size(0), n = tokens.x().size(1), capacity = tensor(arguments, "cache.k").size(2);
    if (appended.error) return answer_to_error(appended, lengths, held.lengths, counts, n, capacity);
    if (held.lengths.size() != counts.size()) return std::nullopt;
    Shape due = lengths;
    for (std::size_t b = 0; b < due.size(); ++b) due[b] += counts[b];
    if (held.lengths != due) {
        // It is open how far decode looks: up to these lengths, which may be past the end, or at all that there is
        // room for.
        if (std::ranges::max(held.lengths) > held.k.size(2)) return Answer::without_value(Answer::Kind::unpredicted);
        Array y = real_rows(reference::exact(tokens.x()), counts);
        std::fill(y.error.begin(), y.error.end(), anything);
        return Answer{.parts = {{"y", std::move(y)}, {"lengths", lengths_array(held.lengths)}}};
    }
    const Index S = *std::max_element(held.lengths.begin(), held.lengths.end());
    const auto asked = student.outcome("decoding_mask", {{"lengths", lengths}, {"n", n}, {"S", std::max<Index>(S, 1)}});
    if (S < 1)  // padding alone, for which few ask a mask
        return asked.error ? Answer::without_value(Answer::Kind::unpredicted)
                           : Answer{.parts = {{"y", real_rows(reference::exact(tokens.x()), counts)},
                                              {"lengths", lengths_array(held.lengths)}}};
    if (asked.error) return answer_to_error(asked, lengths, due, counts, n, capacity);
    const auto* mask = std::get_if<Mask>(&asked.value);
    if (mask == nullptr || held.k.shape() != tensor(arguments, "cache.k").shape() || held.k.shape() != held.v.shape() ||
        held.k.size(2) < S || mask->shape() != Shape{B, 1, n, S})
        return std::nullopt;
    const Array scores = tokens.scores(tokens.heads(0, c), judge::own(held.k.slice(2, 0, S)), c);
    Blocked blocked = c.masking.read(*mask, scores.shape);
    if (c.of<Caching>().sees == Caching::Sees::all_if_it_comes_alone && n == 1) blocked.assign(blocked.size(), false);
    return Answer{.parts = {{"y", tokens.output(scores, judge::own(held.v.slice(2, 0, S)), blocked, c).y},
                            {"lengths", lengths_array(held.lengths)}}};
}

}  // namespace

Function function_decode() {
    return {.name = "decode",
            .model = &decode,
            .questions = &decode_questions,
            .reads = &takes_weights_as_they_are,
            .given_own = &rightly<&from_own_parts>,
            .given_own_and = &from_own_parts,
            .ask = &ask_decode,
            .stage = Stage::mask,  // what is left when all of these are right
            .stages = {{Stage::output, "each token is alone"},
                       {Stage::split, "all new tokens are alike"},
                       {Stage::scores, "one new token follows those in the cache"},
                       {Stage::softmax, "scores are in the thousands"},
                       {Stage::output, "some sequences get no new token"},
                       {Stage::output, "x is not as wide as all heads together"},
                       {Stage::none, "all tokens are padding"}},
            .invariants = invariants_of_decode()};
}

}  // namespace headway::diagnosis
