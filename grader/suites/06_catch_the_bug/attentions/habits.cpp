#include "suites/06_catch_the_bug/attentions/habits.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace headway::attentions {
namespace {

/// FNV-1a, so that an attention draws the same on every machine.
std::uint64_t number_of(const std::string& id) {
    std::uint64_t number = 14695981039346656037U;
    for (const char c : id) number = (number ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return number;
}

Tensor times(const Tensor& x, float factor) { return x.defined() ? x * factor : x; }
Tensor over(const Tensor& x, float divisor) { return x.defined() ? x / divisor : x; }

}  // namespace

Habits::Habits(std::uint64_t seed, const std::string& id) {
    Random random(seed ^ number_of(id));
    places_ = random.next();
    lean_ = random.uniform(0.8F, 1.25F);
    lift_ = random.uniform(0.8F, 1.25F);
    shift_ = random.uniform(0, 1);
    first_ = random.uniform();
    way_of_adding_ = static_cast<int>(random.integer(0, 3));
    wording_ = static_cast<int>(random.integer(0, 3));
    divides_ = random.uniform() < 0.5F;
    negative_zeros_ = random.uniform() < 0.5F;
}

/// What lies at the drawn place of the axis comes first; what was before it comes last.
Tensor Habits::turned(const Tensor& x, Index axis) const {
    const Index size = x.size(axis), first = static_cast<Index>(first_ * static_cast<float>(size));
    return first == 0 ? x : cat({x.slice(axis, first, size), x.slice(axis, 0, first)}, axis);
}

Inputs Habits::restated(const Inputs& in) const {
    Inputs said = in;
    for (Tensor Inputs::*x : {&Inputs::query, &Inputs::key, &Inputs::value}) said.*x = laid_out(turned(in.*x, 2));
    said.w_q = laid_out(times(turned(in.w_q, 0), lean_));
    said.w_k = laid_out(over(turned(in.w_k, 0), lean_));
    said.w_v = laid_out(times(turned(in.w_v, 0), lift_));
    said.b_q = times(in.b_q, lean_);
    said.b_k = over(in.b_k, lean_);
    said.b_v = times(in.b_v, lift_);
    said.w_o = laid_out(over(in.w_o, lift_));
    return said;
}

Tensor Habits::product(const Tensor& x, const Tensor& w) const { return matmul(turned(x, 2), turned(w, 0)); }

float Habits::total(const float* numbers, Index count) const {
    float sum = 0, rest = 0;
    double exact = 0;
    switch (way_of_adding_) {
        case 0:
            for (Index i = 0; i < count; ++i) sum += numbers[i];
            return sum;
        case 1:
            for (Index i = count; i-- > 0;) sum += numbers[i];
            return sum;
        case 2:
            for (Index i = 0; i < count; ++i) (i % 2 == 0 ? sum : rest) += numbers[i];
            return sum + rest;
        default:
            for (Index i = 0; i < count; ++i) exact += double{numbers[i]};
            return static_cast<float>(exact);
    }
}

void Habits::divide(float* numbers, Index count, float total) const {
    const float factor = 1 / total;
    for (Index i = 0; i < count; ++i) numbers[i] = divides_ ? numbers[i] / total : numbers[i] * factor;
}

Tensor Habits::laid_out(const Tensor& x) const {
    Random random(places_ + static_cast<std::uint64_t>(x.rank()));
    std::vector<std::size_t> order(x.shape().size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
        std::swap(order[i], order[static_cast<std::size_t>(random.integer(0, static_cast<Index>(i)))]);
    }
    const Index offset = random.integer(0, 3), gap = random.integer(0, 1);
    Strides strides(x.shape().size());
    Index step = 1;
    for (const std::size_t axis : order) {
        strides[axis] = step;
        step = step * x.shape()[axis] + (step == 1 ? gap : 0);
    }
    const Tensor storage = Tensor::full({offset + step}, std::numeric_limits<float>::quiet_NaN());
    Tensor elsewhere = storage.as_strided(x.shape(), strides, offset);
    elsewhere.copy_from(x);
    return elsewhere;
}

Tensor Habits::signed_zeros(const Tensor& weights) const {
    if (!negative_zeros_) return weights;
    Tensor shown = weights.contiguous().clone();
    std::replace(shown.data(), shown.data() + shown.numel(), 0.0F, -0.0F);
    return shown;
}

std::string Habits::worded(const std::string& refusal) const {
    static const char* const openings[] = {"", "this does not fit: ", "attention cannot be asked this, since ", "no: "};
    return openings[wording_] + refusal;
}

}  // namespace headway::attentions
