#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

/// Kahan 1965: carries what the last addition has rounded away.
class Accumulator {
public:
    void add(float value) {
        const float y = value - carry_;
        const float t = total_ + y;
        carry_ = (t - total_) - y;
        total_ = t;
    }
    float total() const { return total_; }

private:
    float total_ = 0;
    float carry_ = 0;
};

void check(bool fits, const std::string& message) {
    if (!fits) throw std::invalid_argument(message);
}

Tensor multiply(const Tensor& a, const Tensor& b) {
    check(a.rank() == 2 && b.rank() == 2 && a.size(1) == b.size(0),
          "cannot multiply " + to_string(a.shape()) + " by " + to_string(b.shape()));
    Tensor c = Tensor::empty({a.size(0), b.size(1)});
    for (Index i = 0; i < c.size(0); ++i) {
        for (Index j = 0; j < c.size(1); ++j) {
            Accumulator dot;
            for (Index p = 0; p < a.size(1); ++p) dot.add(a(i, p) * b(p, j));
            c(i, j) = dot.total();
        }
    }
    return c;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    check(scores.rank() == 2, "softmax_rows takes a matrix");
    const Tensor top = max(scores, 1);
    Tensor out = Tensor::empty(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        Accumulator total;
        for (Index s = 0; s < scores.size(1); ++s) {
            out(t, s) = std::exp(scores(t, s) - top(t));
            total.add(out(t, s));
        }
        out[t] /= total.total();
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    check(q.rank() == 2 && k.rank() == 2, "attention_weights takes matrices");
    check(q.size(1) == k.size(1), "q and k differ in width");
    Tensor scores = multiply(q, k.transpose(0, 1));
    scores *= 1.0F / std::sqrt(static_cast<float>(q.size(1)));
    return softmax_rows(scores);
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return multiply(attention_weights(multiply(x, w_q), multiply(x, w_k)), multiply(x, w_v));
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    check(x.rank() == 2 && x.shape() == attended.shape(), "with_residual takes two matrices of one shape");
    return x + attended;
}

}  // namespace headway::ex01
