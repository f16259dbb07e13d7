#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

void dims(const Tensor& x, const char* name) {
    if (x.rank() != 4) throw std::invalid_argument(std::string(name) + " has shape " + to_string(x.shape()));
}

/// Where the matrix of head n = b·H + h starts.
const float* head(const Tensor& x, Index n) {
    return x.data() + (n / x.size(1)) * x.strides()[0] + (n % x.size(1)) * x.strides()[1];
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    dims(q, "q");
    dims(k, "k");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q " + to_string(q.shape()) + " and k " + to_string(k.shape()) + " do not fit");
    const Index T = q.size(2), S = k.size(2), d = q.size(3);
    Tensor out = Tensor::empty({q.size(0), q.size(1), T, S});
    const float scale = 1.0f / sqrtf(static_cast<float>(d));
    float* o = out.data();
    for (Index n = 0; n < q.size(0) * q.size(1); ++n) {
        const float* qn = head(q, n);
        const float* kn = head(k, n);
        for (Index t = 0; t < T; ++t) {
            for (Index s = 0; s < S; ++s) {
                float acc = 0.0f;
                for (Index i = 0; i < d; ++i)
                    acc += qn[t * q.strides()[2] + i * q.strides()[3]] * kn[s * k.strides()[2] + i * k.strides()[3]];
                *o++ = acc * scale;
            }
        }
    }
    return out;
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    bool* p = m.data();
    for (Index i = 0; i < T * S; ++i) p[i] = i % S - i / S > S - T;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask m = Mask::allow_all({(Index)lengths.size(), 1, 1, S});
    bool* p = m.data();
    for (Index length : lengths)
        for (Index s = 0; s < S; ++s) *p++ = s >= length;
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    dims(scores, "scores");
    const Index H = scores.size(1), T = scores.size(2), S = scores.size(3);
    const Mask m = (mask.defined() ? mask : Mask::allow_all({1})).expand(scores.shape());
    const Strides& ms = m.strides();
    Tensor out = Tensor::empty(scores.shape());
    float* o = out.data();
    for (Index n = 0; n < scores.size(0) * H; ++n) {
        for (Index t = 0; t < T; ++t, o += S) {
            const float* row = head(scores, n) + t * scores.strides()[2];
            const bool* blocked = m.data() + (n / H) * ms[0] + (n % H) * ms[1] + t * ms[2];
            float top = -INFINITY;
            for (Index s = 0; s < S; ++s)
                if (!blocked[s * ms[3]]) top = fmaxf(top, row[s * scores.strides()[3]]);
            float total = 0.0f;
            for (Index s = 0; s < S; ++s) {
                o[s] = blocked[s * ms[3]] ? 0.0f : expf(row[s * scores.strides()[3]] - top);
                total += o[s];
            }
            if (total > 0.0f)
                for (Index s = 0; s < S; ++s) o[s] /= total;
        }
    }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    dims(v, "v");
    dims(k, "k");
    if (v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("v " + to_string(v.shape()) + " does not fit k " + to_string(k.shape()));
    Tensor w = masked_softmax(attention_scores(q, k), mask);
    const Index T = w.size(2), S = w.size(3), e = v.size(3);
    Tensor context = Tensor::zeros({w.size(0), w.size(1), T, e});
    for (Index n = 0; n < w.size(0) * w.size(1); ++n) {
        float* c = context.data() + n * T * e;
        const float* vn = head(v, n);
        const float* wn = head(w, n);
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s)
                for (Index i = 0; i < e; ++i)
                    c[t * e + i] += wn[t * S + s] * vn[s * v.strides()[2] + i * v.strides()[3]];
    }
    return Attended{context, w};
}

}  // namespace headway::ex03
