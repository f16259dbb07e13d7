#include "single_head.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex01 {
namespace {

struct Matrix {
    const float* p;
    Index rows, cols, rs, cs;
    explicit Matrix(const Tensor& t) {
        if (t.rank() != 2) throw std::invalid_argument("expected rank 2, got " + to_string(t.shape()));
        p = t.data();
        rows = t.size(0);
        cols = t.size(1);
        rs = t.strides()[0];
        cs = t.strides()[1];
    }
    Matrix flipped() const {
        Matrix m = *this;
        m.rows = cols;
        m.cols = rows;
        m.rs = cs;
        m.cs = rs;
        return m;
    }
};

// i-k-j order: the inner loop runs along a row of the result
Tensor gemm(const Matrix& a, const Matrix& b, float alpha) {
    if (a.cols != b.rows) throw std::invalid_argument("shapes do not fit");
    Tensor out = Tensor::zeros({a.rows, b.cols});
    float* o = out.data();
    for (Index i = 0; i < a.rows; i++) {
        for (Index k = 0; k < a.cols; k++) {
            const float v = alpha * a.p[i * a.rs + k * a.cs];
            for (Index j = 0; j < b.cols; j++) o[i * b.cols + j] += v * b.p[k * b.rs + j * b.cs];
        }
    }
    return out;
}

}  // namespace

Tensor softmax_rows(const Tensor& scores) {
    const Matrix m(scores);
    Tensor out = Tensor::empty({m.rows, m.cols});
    for (Index i = 0; i < m.rows; i++) {
        const float* in = m.p + i * m.rs;
        float* o = out.data() + i * m.cols;
        float mx = in[0];
        for (Index j = 1; j < m.cols; j++) mx = std::fmax(mx, in[j * m.cs]);
        float sum = 0.f;
        for (Index j = 0; j < m.cols; j++) sum += o[j] = std::exp(in[j * m.cs] - mx);
        const float inv = 1.f / sum;
        for (Index j = 0; j < m.cols; j++) o[j] *= inv;
    }
    return out;
}

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    const Matrix mq(q), mk(k);
    return softmax_rows(gemm(mq, mk.flipped(), 1.f / std::sqrt(float(mq.cols))));
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    const Matrix mx(x);
    const Tensor q = gemm(mx, Matrix(w_q), 1.f);
    const Tensor k = gemm(mx, Matrix(w_k), 1.f);
    const Tensor v = gemm(mx, Matrix(w_v), 1.f);
    return gemm(Matrix(attention_weights(q, k)), Matrix(v), 1.f);
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    const Matrix a(x), b(attended);
    if (a.rows != b.rows || a.cols != b.cols) throw std::invalid_argument("residual: shapes differ");
    Tensor out = Tensor::empty({a.rows, a.cols});
    float* o = out.data();
    for (Index i = 0; i < a.rows; i++)
        for (Index j = 0; j < a.cols; j++) *o++ = a.p[i * a.rs + j * a.cs] + b.p[i * b.rs + j * b.cs];
    return out;
}

}  // namespace headway::ex01
