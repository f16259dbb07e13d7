#include "suites/11_long_texts/inputs.hpp"

#include "reference/attention.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headway::judge::long_texts {
namespace {

Tensor tensor(const Arguments& asked, std::size_t i) { return std::get<Tensor>(asked.at(i).value); }

/// The same mask in a storage with gaps.
Mask with_gaps(const Mask& mask) {
    const Index B = mask.size(0), S = mask.size(3);
    Mask wide = Mask::block_all({B, 1, 1, 2 * S});
    Mask view = wide.as_strided({B, 1, 1, S}, {2 * S, 2 * S, 2 * S, 2}, 0);
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s) view(b, 0, 0, s) = mask(b, 0, 0, s);
    return view;
}

bool is_padding(Random& random, Padded padded, Index s, Index S, Index count) {
    switch (padded) {
        case Padded::nowhere:
            return false;
        case Padded::left:
            return s < count;
        case Padded::right:
            return s >= S - count;
        case Padded::both:
            return s < count / 2 || s >= S - (count + 1) / 2;
        case Padded::between:
            return random.uniform() < 0.4F;
    }
    return false;
}

}  // namespace

Tensor heads(Random& random, Index B, Index H, Index length, Index width) {
    return random_tensor(random, {B, length, H, width}).transpose(1, 2);
}

Sizes long_sizes(Random& random) {
    Sizes n = random_sizes(random);
    if (n.T > n.S) std::swap(n.T, n.S);
    return n;
}

Positions random_globals(Random& random, Index S) {
    Positions all;
    for (const Index position : {S - 1, S / 2, Index{0}})
        if (random.integer(0, 1) == 1) all.push_back(position);
    if (!all.empty()) all.push_back(all.front());
    return all;
}

Mask random_padding(Random& random, Index B, Index S, Padded padded) {
    if (padded == Padded::nowhere) return Mask{};
    Mask mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b) {
        const Index count = b == 0 ? std::min<Index>(2, S - 1) : random.integer(0, S);
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = is_padding(random, padded, s, S, count);
    }
    return B == 1 ? mask : with_gaps(mask);
}

Looks random_looks(Random& random, const Sizes& n, Index w) {
    const Padded padded = all_paddings[random.integer(0, 4)];
    Positions globals = random_globals(random, n.S);
    return {w, std::move(globals), random_padding(random, n.B, n.S, padded)};
}

Inputs::Inputs(Random& random, const Sizes& n, Looks all)
    : q(heads(random, n.B, n.H, n.T, n.d)),
      k(heads(random, n.B, n.H, n.S, n.d)),
      v(heads(random, n.B, n.H, n.S, n.d_v)),
      looks(std::move(all)) {}

Inputs::Inputs(const Arguments& asked)
    : q(tensor(asked, 0)),
      k(tensor(asked, 1)),
      v(tensor(asked, 2)),
      looks{std::get<Index>(asked.at(3).value), std::get<Shape>(asked.at(4).value), std::get<Mask>(asked.at(5).value)} {
}

Arguments Inputs::arguments() const {
    return {{"q", q}, {"k", k}, {"v", v}, {"w", looks.w}, {"globals", looks.globals}, {"padding", looks.padding}};
}

Mask Inputs::mask(const Windows& choices) const {
    return diagnosis::long_mask(choices, q.size(2), k.size(2), looks.w, looks.globals, looks.padding);
}

Array Inputs::expected(const Mask& mask) const {
    return reference::attention(exact(q), exact(k), exact(v), mask).context;
}

Inputs Inputs::at_level(float level) const {
    Inputs other = *this;
    other.q = q.contiguous().clone();
    other.k = k.contiguous().clone();
    other.q.select(3, 0).fill(std::sqrt(std::abs(level)));
    other.k.select(3, 0).fill((level < 0 ? -1.0F : 1.0F) * std::sqrt(std::abs(level) * static_cast<float>(q.size(3))));
    return other;
}

Inputs Inputs::at_both_levels(float level) const {
    Inputs other = at_level(level);
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t)
                if ((b + h + t) % 2 == 1) other.q(b, h, t, 0) *= -1;
    return other;
}

Filled::Filled(Random& random, const Sizes& n, Index w, Index tokens)
    : k(random_tensor(random, {n.B, n.H, w, n.d})), v(random_tensor(random, {n.B, n.H, w, n.d_v})), next(tokens) {
    constexpr float stale = 50;
    for (Index slot = next; slot < w; ++slot) {
        k.select(2, slot) *= stale;
        v.select(2, slot) *= stale;
    }
}

Filled::Filled(const Arguments& asked)
    : k(tensor(asked, 0)), v(tensor(asked, 1)), next(std::get<Index>(asked.at(2).value)) {}

Filled Filled::with_slots_before_heads() const {
    const auto stored = [](const Tensor& x) { return x.transpose(1, 2).contiguous().transpose(1, 2); };
    Filled other = *this;
    other.k = stored(k);
    other.v = stored(v);
    return other;
}

wire::Handle Filled::in(Student& student) const { return student.keep("ring", {{"k", k}, {"v", v}, {"next", next}}); }

NewTokens::NewTokens(Random& random, const Sizes& n, Index tokens)
    : q(heads(random, n.B, n.H, tokens, n.d)),
      k(heads(random, n.B, n.H, tokens, n.d)),
      v(heads(random, n.B, n.H, tokens, n.d_v)) {}

Contents contents(Student& student, const wire::Value& cache) {
    // The student did not ask for this.
    const wire::Record record = student.outside_story([&] { return student.record("contents", {{"cache", cache}}); });
    return {field<Tensor>(record, "k"), field<Tensor>(record, "v"), field<Index>(record, "next"),
            field<Index>(record, "stored")};
}

Array decoded(const diagnosis::Ring& ring, const Tensor& q, const Tensor& k, const Tensor& v) {
    const diagnosis::RingSight sight = diagnosis::seen_in_ring(ring, exact(k), exact(v), Ringing::right());
    return reference::attention(exact(q), sight.k, sight.v, sight.blocked).context;
}

namespace {

/// Tokens of a ring in the order of their positions, then the new ones.
Tensor in_order(const Array& slots, Index next, const Tensor& fresh) {
    const Tensor ring = reference::to_tensor(slots);
    const Index w = ring.size(2), held = std::min(next, w);
    std::vector<Tensor> parts;
    for (Index position = next - held; position < next; ++position)
        parts.push_back(ring.slice(2, position % w, position % w + 1));
    parts.push_back(fresh);
    return cat(parts, 2);
}

}  // namespace

std::optional<Array> decoded_by_own(Student& student, const diagnosis::Ring& ring, const Tensor& q, const Tensor& k,
                                    const Tensor& v) {
    const Outcome outcome = student.outcome("window_attention", {{"q", q},
                                                                 {"k", in_order(ring.k, ring.next, k)},
                                                                 {"v", in_order(ring.v, ring.next, v)},
                                                                 {"w", ring.w()},
                                                                 {"globals", Positions{}},
                                                                 {"padding", Mask{}}});
    const auto* context = std::get_if<Tensor>(&outcome.value);
    if (context == nullptr || context->shape() != Shape{q.size(0), q.size(1), q.size(2), v.size(3)})
        return std::nullopt;
    return exact(*context);
}

}  // namespace headway::judge::long_texts
