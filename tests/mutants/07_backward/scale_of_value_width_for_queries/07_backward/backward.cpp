#include "backward.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

// SUBROUTINE style: arrays are column-major work arrays with 1-based indices, all loops end at N inclusive.
namespace headway::ex07 {
namespace {

typedef Index INTEGER;
typedef double REAL8;

class ARRAY2 {
public:
    ARRAY2(INTEGER n, INTEGER m) : n_(n), a_(static_cast<std::size_t>(n * m), 0.0) {}
    REAL8& operator()(INTEGER i, INTEGER j) { return a_[static_cast<std::size_t>((i - 1) + (j - 1) * n_)]; }

private:
    INTEGER n_;
    std::vector<REAL8> a_;
};

ARRAY2 LOAD(const Tensor& X) {
    const INTEGER N = X.size(0), M = X.size(1);
    ARRAY2 A(N, M);
    for (INTEGER J = 1; J <= M; ++J)
        for (INTEGER I = 1; I <= N; ++I) A(I, J) = X(I - 1, J - 1);
    return A;
}

void STORE(ARRAY2& A, Tensor X) {
    for (INTEGER J = 1; J <= X.size(1); ++J)
        for (INTEGER I = 1; I <= X.size(0); ++I) X(I - 1, J - 1) = static_cast<float>(A(I, J));
}

void SMBACK(INTEGER N, INTEGER M, ARRAY2& W, ARRAY2& G, ARRAY2& OUT) {
    for (INTEGER I = 1; I <= N; ++I) {
        REAL8 DOT = 0.0;
        for (INTEGER J = 1; J <= M; ++J) DOT = DOT + W(I, J) * G(I, J);
        for (INTEGER J = 1; J <= M; ++J) OUT(I, J) = W(I, J) * (G(I, J) - DOT);
    }
}

void STOPIF(bool WRONG) {
    if (WRONG) throw std::invalid_argument("STOP: ARRAY DIMENSIONS DO NOT CONFORM");
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    STOPIF(weights.rank() != 4);
    STOPIF(grad_weights.shape() != weights.shape());
    Tensor result = Tensor::zeros(weights.shape());
    const INTEGER T = weights.size(2), S = weights.size(3);
    for (INTEGER B = 1; B <= weights.size(0); ++B)
        for (INTEGER H = 1; H <= weights.size(1); ++H) {
            ARRAY2 W = LOAD(weights[B - 1][H - 1]), G = LOAD(grad_weights[B - 1][H - 1]), OUT(T, S);
            SMBACK(T, S, W, G, OUT);
            STORE(OUT, result[B - 1][H - 1]);
        }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    STOPIF(q.rank() != 4 || k.rank() != 4 || v.rank() != 4);
    const INTEGER NB = q.size(0), NH = q.size(1), T = q.size(2), D = q.size(3), S = k.size(2), DV = v.size(3);
    STOPIF(k.shape() != Shape({NB, NH, S, D}));
    STOPIF(v.shape() != Shape({NB, NH, S, DV}));
    STOPIF(grad_context.shape() != Shape({NB, NH, T, DV}));
    if (mask.defined()) mask.expand({NB, NH, T, S});
    const Tensor weights = given::scaled_dot_product_attention(q, k, v, mask).weights;
    AttentionGradients R{Tensor::zeros({NB, NH, T, D}), Tensor::zeros({NB, NH, S, D}), Tensor::zeros({NB, NH, S, DV})};
    for (INTEGER B = 1; B <= NB; ++B)
        for (INTEGER H = 1; H <= NH; ++H) {
            ARRAY2 Q = LOAD(q[B - 1][H - 1]), K = LOAD(k[B - 1][H - 1]), V = LOAD(v[B - 1][H - 1]);
            ARRAY2 G = LOAD(grad_context[B - 1][H - 1]), W = LOAD(weights[B - 1][H - 1]);
            ARRAY2 GW(T, S), GS(T, S), GQ(T, D), GK(S, D), GV(S, DV);
            for (INTEGER J = 1; J <= S; ++J)
                for (INTEGER L = 1; L <= DV; ++L)
                    for (INTEGER I = 1; I <= T; ++I) {
                        GW(I, J) += G(I, L) * V(J, L);
                        GV(J, L) += W(I, J) * G(I, L);
                    }
            SMBACK(T, S, W, GW, GS);
            for (INTEGER L = 1; L <= D; ++L)
                for (INTEGER J = 1; J <= S; ++J)
                    for (INTEGER I = 1; I <= T; ++I) {
                        GQ(I, L) += GS(I, J) * K(J, L) / std::sqrt(static_cast<REAL8>(DV));
                        GK(J, L) += GS(I, J) * Q(I, L) / std::sqrt(static_cast<REAL8>(D));
                    }
            STORE(GQ, R.q[B - 1][H - 1]);
            STORE(GK, R.k[B - 1][H - 1]);
            STORE(GV, R.v[B - 1][H - 1]);
        }
    return R;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    STOPIF(x.rank() != 3 || weight.rank() != 2 || grad_y.rank() != 3);
    const INTEGER NB = x.size(0), NT = x.size(1), NIN = x.size(2), NOUT = weight.size(0);
    STOPIF(weight.size(1) != NIN);
    STOPIF(grad_y.shape() != Shape({NB, NT, NOUT}));
    STOPIF(grad_weight.shape() != Shape({NOUT, NIN}));
    STOPIF(grad_bias.shape() != Shape({NOUT}));
    ARRAY2 W = LOAD(weight), DW(NOUT, NIN), DB(NOUT, 1);
    Tensor result = Tensor::zeros({NB, NT, NIN});
    for (INTEGER B = 1; B <= NB; ++B) {
        ARRAY2 X = LOAD(x[B - 1]), DY = LOAD(grad_y[B - 1]), DX(NT, NIN);
        for (INTEGER O = 1; O <= NOUT; ++O)
            for (INTEGER T = 1; T <= NT; ++T) {
                DB(O, 1) = DB(O, 1) + DY(T, O);
                for (INTEGER I = 1; I <= NIN; ++I) {
                    DX(T, I) = DX(T, I) + DY(T, O) * W(O, I);
                    DW(O, I) = DW(O, I) + DY(T, O) * X(T, I);
                }
            }
        STORE(DX, result[B - 1]);
    }
    for (INTEGER O = 1; O <= NOUT; ++O) {
        for (INTEGER I = 1; I <= NIN; ++I) grad_weight(O - 1, I - 1) += static_cast<float>(DW(O, I));
        grad_bias(O - 1) += static_cast<float>(DB(O, 1));
    }
    return result;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    STOPIF(x.rank() != 3);
    STOPIF(num_heads <= 0);
    const INTEGER D = x.size(2), NH = num_heads;
    STOPIF(D - (D / NH) * NH != 0);
    STOPIF(grad_y.shape() != x.shape());
    const Tensor* WT[] = {&parameters.q_weight, &parameters.k_weight, &parameters.v_weight, &parameters.out_weight,
                          &grads.q_weight,      &grads.k_weight,      &grads.v_weight,      &grads.out_weight};
    const Tensor* BI[] = {&parameters.q_bias, &parameters.k_bias, &parameters.v_bias, &parameters.out_bias,
                          &grads.q_bias,      &grads.k_bias,      &grads.v_bias,      &grads.out_bias};
    for (int I = 1; I <= 8; ++I) {
        STOPIF(WT[I - 1]->shape() != Shape({D, D}));
        STOPIF(BI[I - 1]->shape() != Shape({D}));
    }
    if (mask.defined()) mask.expand({x.size(0), NH, x.size(1), x.size(1)});
    Tensor Y[3];
    for (int I = 1; I <= 3; ++I) Y[I - 1] = given::split_heads(matmul(x, WT[I - 1]->transpose(0, 1)) + *BI[I - 1], NH);
    const Tensor C = given::merge_heads(given::scaled_dot_product_attention(Y[0], Y[1], Y[2], mask).context);
    const Tensor GC = linear_backward(C, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients G = attention_backward(Y[0], Y[1], Y[2], mask, given::split_heads(GC, NH));
    Tensor GX = linear_backward(x, parameters.q_weight, given::merge_heads(G.q), grads.q_weight, grads.q_bias);
    GX += linear_backward(x, parameters.k_weight, given::merge_heads(G.k), grads.k_weight, grads.k_bias);
    GX += linear_backward(x, parameters.v_weight, given::merge_heads(G.v), grads.v_weight, grads.v_bias);
    return GX;
}

}  // namespace headway::ex07
