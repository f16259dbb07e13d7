#include "suites/08_kv_cache/conversation.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace headway::judge::kv_cache {
namespace {

using reference::Array;
using reference::exact;
using reference::to_tensor;

const CheckedPart output_axes{"outputs", Stage::output, {"b", "new token", "feature"}};

std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

/// Axis 2 of (B, H, L, d): positions before `at` from `early`, the others from `late`.
Array joined(const Array& early, const Array& late, Index at) {
    Array both = late;
    const auto L = early.size(2);
    const auto d = early.size(3);
    for (Index i = 0; i < both.numel(); ++i) {
        if (i / d % L >= at) continue;
        both.value[as_size(i)] = early.value[as_size(i)];
        both.error[as_size(i)] = early.error[as_size(i)];
    }
    return both;
}

}  // namespace

Layer::Layer(Random& random, Index D, Index E) {
    const auto add = [&](const std::string& name, Index in, Index out) {
        const float size = 1.5F / std::sqrt(static_cast<float>(in));
        state.fields.push_back({name + ".weight", random_tensor(random, {out, in}) * size});
        state.fields.push_back({name + ".bias", random_tensor(random, {out})});
    };
    add("q_proj", D, E);
    add("k_proj", D, E);
    add("v_proj", D, E);
    add("out_proj", E, D);
}

Array Layer::apply(const std::string& name, const Array& x) const {
    const Tensor& weight = field<Tensor>(state, name + ".weight");
    const Tensor& bias = field<Tensor>(state, name + ".bias");
    return reference::add(reference::matmul(x, reference::transpose(exact(weight), 0, 1)), exact(bias));
}

Layer Layer::with_low_scores(Index num_heads) const {
    Layer low = *this;
    for (const char* bias : {"q_proj.bias", "k_proj.bias"}) Tensor(field<Tensor>(low.state, bias)).fill(0);
    bring_scores_to(low_score, num_heads, field<Tensor>(low.state, "q_proj.weight"),
                    field<Tensor>(low.state, "k_proj.weight"));
    return low;
}

Contents contents(Student& student, wire::Handle cache) {
    // The student did not ask for this.
    const wire::Record record = student.outside_story([&] { return student.record("contents", {{"cache", cache}}); });
    return {field<Tensor>(record, "k"), field<Tensor>(record, "v"), field<Shape>(record, "lengths")};
}

std::string wrong_lengths(const Shape& yours, const Shape& expected) {
    return "the lengths are " + headway::to_string(yours) + "; they should be " + headway::to_string(expected) +
           (yours.empty() ? " (reserve makes room and no elements: resize does)" : "");
}

namespace {

Tensor made_tokens(Random& random, const Sizes& sizes, Index total, const Conversation::Tokens& tokens) {
    Tensor x = random_tensor(random, {sizes.B, total, tokens.D > 0 ? tokens.D : sizes.D()}) * tokens.magnitude;
    if (tokens.low_scores) x.select(2, 0).fill(1);
    return x;
}

Layer made_layer(Random& random, Index D, const Sizes& sizes, const Conversation::Tokens& tokens) {
    const Layer layer(random, D, sizes.D());
    return tokens.low_scores ? layer.with_low_scores(sizes.H) : layer;
}

}  // namespace

Conversation::Conversation(Student& student, Random& random, const Sizes& sizes, Index total, Tokens tokens)
    : student_(student),
      random_(random),
      sizes_(sizes),
      total_(total),
      x_(made_tokens(random, sizes, total, tokens)),
      views_(tokens.views),
      rows_judged_elsewhere_(tokens.rows_judged_elsewhere),
      layers_{made_layer(random, x_.size(2), sizes, tokens)},
      lengths_(as_size(sizes.B)),
      cache_(student.keep("make_cache", {{"B", sizes.B}, {"H", sizes.H}, {"capacity", total + 2}, {"d", sizes.d}})),
      projections_(student.keep("projections", {{"state", layers_.back().state}})) {}

void Conversation::change_projections(Random& random) {
    layers_.emplace_back(random, x_.size(2), sizes_.D());
    rows_judged_elsewhere_ = rows_judged_elsewhere_ && some_rows_were_wrong_;
    changed_at_ = *std::max_element(lengths_.begin(), lengths_.end());
    projections_ = student_.keep("projections", {{"state", layers_.back().state}});
}

Tensor Conversation::next_tokens(Index n, const Shape& counts) {
    Tensor tokens = random_tensor(random_, {sizes_.B, n, x_.size(2)});
    for (Index b = 0; b < sizes_.B; ++b) {
        const Index begin = lengths_[as_size(b)];
        const Index count = counts[as_size(b)];
        tokens[b].slice(0, 0, count).copy_from(x_[b].slice(0, begin, begin + count));
    }
    return tokens;
}

Array Conversation::heads(const Layer& layer, const std::string& name, const Tensor& x) const {
    return reference::split_heads(layer.apply(name, exact(x)), sizes_.H);
}

/// Keys or values of all tokens, (B, H, total, d).
Array Conversation::keys(const std::string& name) const {
    return joined(heads(layers_.front(), name, x_), heads(layers_.back(), name, x_), changed_at_);
}

/// (B, total, D): every token as a query, at once.
Array Conversation::full_output() const {
    const auto attended = reference::attention(heads(layers_.back(), "q_proj", x_), keys("k_proj"), keys("v_proj"),
                                               reference::causal_mask(total_, total_));
    return layers_.back().apply("out_proj", reference::merge_heads(attended.context));
}

/// The rows of full recomputation that belong to the new tokens; zeros for padding.
Array Conversation::expected(const Chunk& chunk) const {
    const Array full = full_output();
    const Index n = chunk.x.size(1);
    const Index D = x_.size(2);
    Array rows = exact(Tensor::zeros({sizes_.B, n, D}));
    for (Index b = 0; b < sizes_.B; ++b)
        for (Index i = 0; i < chunk.counts[as_size(b)] * D; ++i) {
            const std::size_t from = as_size((b * total_ + lengths_[as_size(b)]) * D + i);
            rows.value[as_size(b * n * D + i)] = full.value[from];
            rows.error[as_size(b * n * D + i)] = full.error[from];
        }
    return rows;
}

Tensor Conversation::real_rows(const Tensor& rows, const Shape& counts) const {
    if (rows.rank() != 3 || rows.size(0) != sizes_.B) return rows;  // the comparison will say so
    Tensor real = Tensor::zeros(rows.shape());
    for (Index b = 0; b < sizes_.B; ++b) {
        const Index count = std::min(counts[as_size(b)], rows.size(1));
        real[b].slice(0, 0, count).copy_from(rows[b].slice(0, 0, count));
    }
    return real;
}

/// A cache into which the student's own append has written the first chunks of the history.
std::optional<wire::Handle> Conversation::replayed(std::size_t chunks, const ChangedNumbers& changed) {
    const Outcome made =
        student_.outcome("make_cache", {{"B", sizes_.B}, {"H", sizes_.H}, {"capacity", total_ + 2}, {"d", sizes_.d}});
    const auto* cache = std::get_if<wire::Handle>(&made.value);
    if (cache == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < chunks; ++i)
        if (student_
                .outcome("append", {{"cache", *cache},
                                    {"k", changed(history_[i].k)},
                                    {"v", changed(history_[i].v)},
                                    {"counts", history_[i].counts}})
                .error)
            return std::nullopt;
    return *cache;
}

/// What the last chunk gets from the student's own cache through the student's own mask for S keys.
std::optional<Array> Conversation::from_own_parts(const Contents& held, const Shape& before, Index S) {
    const Chunk& chunk = history_.back();
    const Outcome asked = student_.outcome("decoding_mask", {{"lengths", before}, {"n", chunk.x.size(1)}, {"S", S}});
    const auto* mask = std::get_if<Mask>(&asked.value);
    if (mask == nullptr || mask->shape() != Shape{sizes_.B, 1, chunk.x.size(1), S} ||
        held.k.shape() != Shape{sizes_.B, sizes_.H, total_ + 2, sizes_.d} || held.v.shape() != held.k.shape() ||
        held.k.size(2) < S)
        return std::nullopt;
    const Array context = reference::attention(heads(layers_.back(), "q_proj", chunk.x), own(held.k.slice(2, 0, S)),
                                               own(held.v.slice(2, 0, S)), *mask)
                              .context;
    const Array rows = layers_.back().apply("out_proj", reference::merge_heads(context));
    return own(real_rows(to_tensor(rows), chunk.counts));
}

bool Conversation::follows_from_own_parts(const Tensor& yours) {
    const auto past = replayed(history_.size() - 1);
    const auto present = replayed(history_.size());
    if (!past || !present) return false;
    const Shape before = contents(student_, *past).lengths;
    const Contents held = contents(student_, *present);
    Index expected_longest = 0;
    for (std::size_t b = 0; b < lengths_.size(); ++b)
        expected_longest = std::max(expected_longest, lengths_[b] + history_.back().counts[b]);
    const Index own_longest = held.lengths.empty() ? 0 : *std::max_element(held.lengths.begin(), held.lengths.end());
    return std::ranges::any_of(std::array{own_longest, expected_longest, total_ + 2}, [&](Index S) {
        const auto rows = from_own_parts(held, before, S);
        return rows && !difference(output_axes, yours, *rows);
    });
}

/// From a cache that holds nothing follows the output bias, whatever the tokens are.
Evidence Conversation::computes_last_chunk() {
    const Chunk& chunk = history_.back();
    const Numbers decoded = [this, &chunk](const Arguments& given) -> std::vector<double> {
        const float past = std::get<Tensor>(given[1].value).data()[0];
        const auto cache = replayed(history_.size() - 1, [&](const Tensor& heads) { return heads * past; });
        if (!cache) return {};
        const Outcome outcome = student_.outcome(
            "decode",
            {{"cache", *cache}, {"projections", projections_}, {"x", given[0].value}, {"counts", chunk.counts}});
        const auto* record = std::get_if<wire::Record>(&outcome.value);
        const wire::Field* y = record == nullptr ? nullptr : record->find("y");
        const auto* rows = y == nullptr ? nullptr : std::get_if<Tensor>(&y->value);
        return rows == nullptr || !rows->defined() ? std::vector<double>{}
                                                   : exact(real_rows(*rows, chunk.counts)).value;
    };
    // An append that is wrong may hide the tokens before. The new ones ask, whatever they see.
    return computes(student_, "decode", decoded, {{"x", chunk.x}, {"past", Tensor::ones({1})}}, {.numbers = {"x"}});
}

Index Conversation::feed(Index n, const Shape& counts) {
    const Tensor x = next_tokens(n, counts);
    history_.push_back(
        {x, to_tensor(heads(layers_.back(), "k_proj", x)), to_tensor(heads(layers_.back(), "v_proj", x)), counts});
    const wire::Record decoded = student_.record(
        "decode",
        {{"cache", cache_}, {"projections", projections_}, {"x", views_ ? strided(x) : x}, {"counts", counts}});
    const Tensor y = field<Tensor>(decoded, "y");
    expect(y.defined(), Stage::output, "your decode returned an undefined tensor (Tensor{})");
    const Tensor yours = real_rows(y, counts);
    if (auto failure = what_is_wrong(student_, output_axes, yours, expected(history_.back()))) {
        const bool follows = student_.outside_story([&] { return follows_from_own_parts(yours); });
        if (!follows && !rows_judged_elsewhere_) fail(std::move(*failure));
        using Functions = std::vector<std::string>;
        pass_on_credit(student_, follows ? Functions{"make_cache", "append", "decoding_mask"} : Functions{"decode"},
                       std::move(*failure), expected(history_.back()), computes_last_chunk());
        some_rows_were_wrong_ = true;
        if (follows) shown(student_, "append");  // which wrote what this follows from
    }
    for (std::size_t b = 0; b < counts.size(); ++b) lengths_[b] += counts[b];
    return field<Index>(decoded, "rows");
}

void Conversation::expect_lengths_of_the_cache() {
    const Shape yours = contents(student_, cache_).lengths;
    if (yours == lengths_) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.message = wrong_lengths(yours, lengths_);
    const bool follows = student_.outside_story([&] {
        const auto own = replayed(history_.size());
        return own && contents(student_, *own).lengths == yours;
    });
    if (!follows) fail(std::move(failure));
    // What came of the tokens has shown that it computes.
    const auto has_shown = [&](const Array&) { return student_.test_record().shown.contains("decode"); };
    pass_on_credit(student_, {"make_cache", "append"}, std::move(failure), {}, has_shown);
}

}  // namespace headway::judge::kv_cache
