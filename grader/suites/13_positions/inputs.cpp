#include "suites/13_positions/inputs.hpp"

#include "diagnosis/grouping.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headway::judge::positions {
namespace {

Array shared(const Array& kv, Index H) { return diagnosis::shared_heads(kv, H, &diagnosis::head_of_group); }

/// Queries of which every other is large; beside their NaN, what the others are answered tells one mistake from
/// another.
Tensor queries_at_level(Random& random, const Shape& shape, float level) {
    Tensor q = random_tensor(random, shape) * 0.05F;
    for (Index t = 0; t < shape[2]; t += 2) q.select(2, t) += level;
    return q;
}

/// All nearly the same.
Tensor level_tensor(Random& random, const Shape& shape, float level) {
    return random_tensor(random, shape) * 0.05F + Tensor::full(shape, level);
}

}  // namespace

Tensor heads(Random& random, Index B, Index H, Index length, Index width) {
    return random_tensor(random, {B, length, H, width}).transpose(1, 2);
}

Index even_width(Random& random) { return random.integer(0, 1) == 0 ? 6 : 10; }

Sizes with_even_width(Sizes n, Random& random) {
    n.d = even_width(random);
    return n;
}

double random_base(Random& random) { return static_cast<double>(random.integer(30, 900)); }

Tensor random_positions(Random& random, Index B, Index T, Index largest) {
    Tensor positions = Tensor::empty({B, T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) positions(b, t) = static_cast<float>(random.integer(0, largest));
    return positions;
}

Tensor random_angles(Random& random, Index B, Index T, Index pairs) {
    return random_tensor(random, {B, T, pairs}) * 3.0F;
}

Tensor with_some_zeros(const Tensor& angles) {
    Tensor some = angles.clone();
    some.select(1, 0).fill(0);
    some(some.size(0) - 1, some.size(1) - 1, 0) = 0;
    return some;
}

Array rotated(const Tensor& x, const Tensor& positions, double base) {
    return diagnosis::turned_in_attention(Rotary::right(), exact(x), exact(positions), base, 1);
}

Inputs::Inputs(Random& random, const Grouping& groups, const Sizes& n)
    : grouping(groups),
      q(heads(random, n.B, groups.H(), n.T, n.d)),
      k(heads(random, n.B, groups.H_kv, n.S, n.d)),
      v(heads(random, n.B, groups.H_kv, n.S, n.d_v)),
      q_positions(random_positions(random, n.B, n.T, 40)),
      k_positions(random_positions(random, n.B, n.S, 40)),
      base(random_base(random)) {}

Inputs Inputs::moved(const std::vector<Index>& shifts) const {
    Inputs other = *this;
    for (Tensor* positions : {&other.q_positions, &other.k_positions}) {
        *positions = positions->clone();
        for (std::size_t b = 0; b < shifts.size(); ++b)
            positions->select(0, static_cast<Index>(b)) += static_cast<float>(shifts[b]);
    }
    return other;
}

Inputs Inputs::at_level(Random& random, float level) const {
    Inputs other = *this;
    other.q = queries_at_level(random, q.shape(), std::abs(level));
    other.k = level_tensor(random, k.shape(), level);
    other.q_positions = Tensor::zeros(q_positions.shape());
    other.k_positions = Tensor::zeros(k_positions.shape());
    return other;
}

Inputs Inputs::with_low_scores() const {
    Inputs low = *this;
    bring_scores_to(low_score, low.q, low.k);
    low.q_positions = Tensor::zeros(q_positions.shape());
    low.k_positions = Tensor::zeros(k_positions.shape());
    return low;
}

Arguments Inputs::with(const Mask& mask) const {
    return {{"q", q},       {"k", k},      {"v", v}, {"q_positions", q_positions}, {"k_positions", k_positions},
            {"base", base}, {"mask", mask}};
}

Array Inputs::expected(const Mask& mask) const {
    return expected(rotated(q, q_positions, base), rotated(k, k_positions, base), mask);
}

Array Inputs::expected(const Array& turned_q, const Array& turned_k, const Mask& mask) const {
    const Index H = grouping.H();
    return reference::attention(turned_q, shared(turned_k, H), shared(exact(v), H), mask).context;
}

Decoding::Decoding(Random& random, const Grouping& groups, const Sizes& n, std::vector<Index> padding_of_each)
    : grouping(groups),
      cached_k(heads(random, n.B, groups.H_kv, n.S, n.d)),
      cached_v(heads(random, n.B, groups.H_kv, n.S, n.d_v)),
      q(heads(random, n.B, groups.H(), n.T, n.d)),
      k(heads(random, n.B, groups.H_kv, n.T, n.d)),
      v(heads(random, n.B, groups.H_kv, n.T, n.d_v)),
      padding(std::move(padding_of_each)),
      base(random_base(random)) {}

Decoding::Decoding(const Arguments& asked)
    : cached_k(std::get<Tensor>(asked.at(0).value)),
      cached_v(std::get<Tensor>(asked.at(1).value)),
      q(std::get<Tensor>(asked.at(2).value)),
      k(std::get<Tensor>(asked.at(3).value)),
      v(std::get<Tensor>(asked.at(4).value)),
      padding(std::get<Shape>(asked.at(5).value)),
      base(std::get<double>(asked.at(6).value)) {
    grouping = {q.size(1) / k.size(1), k.size(1)};
}

Decoding Decoding::from_the_beginning() const {
    Decoding other = *this;
    other.cached_k = other.cached_v = Tensor{};
    return other;
}

Decoding Decoding::at_level(Random& random, float level) const {
    Decoding other = *this;
    other.q = queries_at_level(random, q.shape(), std::abs(level));
    other.k = level_tensor(random, k.shape(), level);
    return other;
}

Arguments Decoding::arguments() const {
    return {{"cache_k", cached_k}, {"cache_v", cached_v}, {"q", q}, {"k", k}, {"v", v},
            {"padding", padding},  {"base", base}};
}

Decoding::Expected Decoding::expected() const {
    const Tensor positions = reference::to_tensor(diagnosis::token_positions(Rotary::right(), padding, P(), q.size(2)));
    return expected(rotated(q, positions, base), rotated(k, positions, base));
}

Decoding::Expected Decoding::expected(const Array& turned_q, const Array& turned_k) const {
    Expected all;
    all.k = diagnosis::joined(exact(cached_k), turned_k);
    all.v = diagnosis::joined(exact(cached_v), exact(v));
    all.context = context(turned_q, all.k, mask());
    return all;
}

Array Decoding::context(const Array& turned_q, const Array& all_keys, const Mask& mask) const {
    const Index H = grouping.H();
    const Array values = diagnosis::joined(exact(cached_v), exact(v));
    return reference::attention(turned_q, shared(all_keys, H), shared(values, H), mask).context;
}

Mask Decoding::mask() const { return diagnosis::decoding_mask(Rotary::right(), padding, P(), q.size(2)); }

std::vector<Index> random_padding(Random& random, Index B, Index most) {
    std::vector<Index> padding;
    for (Index b = 0; b < B; ++b) padding.push_back(random.integer(0, most));
    // Not the same for all, and none for one of them, wherever that one is.
    padding[static_cast<std::size_t>(random.integer(0, B - 1))] = 0;
    if (B > 1 && std::all_of(padding.begin(), padding.end(), [](Index count) { return count == 0; }))
        padding[static_cast<std::size_t>(random.integer(0, B - 1))] = most;
    return padding;
}

std::optional<Array> turned_by_own(Student& student, const Tensor& x, const Tensor& positions, double base) {
    const Outcome angles =
        student.outcome("rotation_angles", {{"positions", positions}, {"d", x.size(3)}, {"base", base}});
    const auto* own_angles = std::get_if<Tensor>(&angles.value);
    if (own_angles == nullptr || own_angles->shape() != Shape{x.size(0), x.size(2), x.size(3) / 2}) return std::nullopt;
    const Outcome turned = student.outcome("rotate_pairs", {{"x", x}, {"angles", *own_angles}});
    const auto* own_turned = std::get_if<Tensor>(&turned.value);
    if (own_turned == nullptr || own_turned->shape() != x.shape()) return std::nullopt;
    return own(*own_turned);
}

std::optional<Tensor> own_positions(Student& student, const std::vector<Index>& padding, Index first, Index T) {
    const Outcome positions = student.outcome("token_positions", {{"padding", padding}, {"first", first}, {"T", T}});
    const auto* own = std::get_if<Tensor>(&positions.value);
    if (own == nullptr || own->shape() != Shape{static_cast<Index>(padding.size()), T}) return std::nullopt;
    return *own;
}

namespace {

/// New queries and keys as the student's own functions turn them.
struct Turned {
    Array q, k;
};

std::optional<Turned> new_ones_turned_by_own(Student& student, const Decoding& in) {
    const auto positions = own_positions(student, in.padding, in.P(), in.q.size(2));
    if (!positions) return std::nullopt;
    auto q = turned_by_own(student, in.q, *positions, in.base);
    auto k = turned_by_own(student, in.k, *positions, in.base);
    if (!q || !k) return std::nullopt;
    return Turned{*std::move(q), *std::move(k)};
}

}  // namespace

std::optional<Decoding::Expected> from_own(Student& student, const Decoding& in) {
    const auto turned = new_ones_turned_by_own(student, in);
    return turned ? std::optional(in.expected(turned->q, turned->k)) : std::nullopt;
}

std::optional<Decoding::Expected> from_own_attention(Student& student, const Decoding& in, const Mask& mask) {
    const auto turned = new_ones_turned_by_own(student, in);
    if (!turned) return std::nullopt;
    Decoding::Expected all = in.expected(turned->q, turned->k);
    const Tensor keys = reference::to_tensor(all.k);
    const auto again = turned_by_own(student, keys, Tensor::zeros({keys.size(0), keys.size(2)}), in.base);
    if (!again) return std::nullopt;
    all.context = in.context(turned->q, *again, mask);
    return all;
}

}  // namespace headway::judge::positions
