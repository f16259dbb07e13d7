#include "backward.hpp"

#include <cmath>
#include <stdexcept>

// Indices from 1, as Fortran counts.
#define DO(I, FIRST, LAST) for (Index I = (FIRST); I <= (LAST); ++I)
#define STOP(WHY) throw std::invalid_argument(WHY)

namespace headway::ex07 {
namespace {

typedef double REAL8;

inline REAL8 AT4(const Tensor& A, Index I, Index J, Index K, Index L) { return A(I - 1, J - 1, K - 1, L - 1); }
inline REAL8 AT3(const Tensor& A, Index I, Index J, Index K) { return A(I - 1, J - 1, K - 1); }

// SUBROUTINE DENSE: Y = X * W**T + B
void DENSE(const Tensor& X, const Tensor& W, const Tensor& B, Tensor& Y) {
    const Index NB = X.size(0), NT = X.size(1), ND = X.size(2);
    DO(IB, 1, NB) DO(IT, 1, NT) DO(IO, 1, ND) {
        REAL8 ACC = B(IO - 1);
        DO(II, 1, ND) ACC = ACC + AT3(X, IB, IT, II) * W(IO - 1, II - 1);
        Y(IB - 1, IT - 1, IO - 1) = static_cast<float>(ACC);
    }
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.rank() != 4) STOP("WEIGHTS: RANK");
    if (grad_weights.shape() != weights.shape()) STOP("GRAD_WEIGHTS: SHAPE");
    Tensor RESULT = Tensor::zeros(weights.shape());
    const Index NB = weights.size(0), NH = weights.size(1), NT = weights.size(2), NS = weights.size(3);
    DO(IB, 1, NB) DO(IH, 1, NH) DO(IT, 1, NT) {
        REAL8 DOT = 0.0;
        DO(IS, 1, NS) DOT = DOT + AT4(weights, IB, IH, IT, IS) * AT4(grad_weights, IB, IH, IT, IS);
        DO(IS, 1, NS)
        RESULT(IB - 1, IH - 1, IT - 1, IS - 1) =
            static_cast<float>(AT4(weights, IB, IH, IT, IS) * (AT4(grad_weights, IB, IH, IT, IS) - DOT));
    }
    return RESULT;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || grad_context.rank() != 4) STOP("ATTENTION: RANK");
    const Index NB = q.size(0), NH = q.size(1), NT = q.size(2), ND = q.size(3), NS = k.size(2), NE = v.size(3);
    if (k.shape() != Shape{NB, NH, NS, ND}) STOP("ATTENTION: K");
    if (v.shape() != Shape{NB, NH, NS, NE}) STOP("ATTENTION: V");
    if (grad_context.shape() != Shape{NB, NH, NT, NE}) STOP("ATTENTION: GRAD_CONTEXT");
    if (mask.defined()) mask.expand({NB, NH, NT, NS});  // REFUSES WHAT DOES NOT BROADCAST
    const Tensor W = given::scaled_dot_product_attention(q, k, v, mask).weights;

    Tensor GW = Tensor::zeros({NB, NH, NT, NS});
    DO(IB, 1, NB) DO(IH, 1, NH) DO(IT, 1, NT) DO(IS, 1, NS) {
        REAL8 ACC = 0.0;
        DO(IE, 1, NE) ACC = ACC + AT4(grad_context, IB, IH, IT, IE) * AT4(v, IB, IH, IS, IE);
        GW(IB - 1, IH - 1, IT - 1, IS - 1) = static_cast<float>(ACC);
    }
    const Tensor GS = softmax_backward(W, GW);
    const REAL8 SCALE = 1.0 / std::sqrt(static_cast<REAL8>(ND));

    AttentionGradients G{Tensor::zeros(q.shape()), Tensor::zeros(k.shape()), Tensor::zeros(v.shape())};
    DO(IB, 1, NB) DO(IH, 1, NH) {
        DO(IT, 1, NT) DO(ID, 1, ND) {
            REAL8 ACC = 0.0;
            DO(IS, 1, NS) ACC = ACC + AT4(GS, IB, IH, IT, IS) * AT4(k, IB, IH, IS, ID);
            G.q(IB - 1, IH - 1, IT - 1, ID - 1) = static_cast<float>(ACC);
        }
        DO(IS, 1, NS) DO(ID, 1, ND) {
            REAL8 ACC = 0.0;
            DO(IT, 1, NT) ACC = ACC + AT4(GS, IB, IH, IT, IS) * AT4(q, IB, IH, IT, ID);
            G.k(IB - 1, IH - 1, IS - 1, ID - 1) = static_cast<float>(SCALE * ACC);
        }
        DO(IS, 1, NS) DO(IE, 1, NE) {
            REAL8 ACC = 0.0;
            DO(IT, 1, NT) ACC = ACC + AT4(W, IB, IH, IT, IS) * AT4(grad_context, IB, IH, IT, IE);
            G.v(IB - 1, IH - 1, IS - 1, IE - 1) = static_cast<float>(ACC);
        }
    }
    return G;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    if (x.rank() != 3 || weight.rank() != 2) STOP("LINEAR: RANK");
    const Index NB = x.size(0), NT = x.size(1), NI = x.size(2), NO = weight.size(0);
    if (weight.size(1) != NI) STOP("LINEAR: WEIGHT");
    if (grad_y.shape() != Shape{NB, NT, NO}) STOP("LINEAR: GRAD_Y");
    if (grad_weight.shape() != Shape{NO, NI}) STOP("LINEAR: GRAD_WEIGHT");
    if (grad_bias.shape() != Shape{NO}) STOP("LINEAR: GRAD_BIAS");
    Tensor GX = Tensor::zeros({NB, NT, NI});
    DO(IB, 1, NB) DO(IT, 1, NT) DO(IO, 1, NO) {
        const float GY = static_cast<float>(AT3(grad_y, IB, IT, IO));
        grad_bias(IO - 1) = GY;
        DO(II, 1, NI) {
            grad_weight(IO - 1, II - 1) += GY * x(IB - 1, IT - 1, II - 1);
            GX(IB - 1, IT - 1, II - 1) += GY * weight(IO - 1, II - 1);
        }
    }
    return GX;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    if (x.rank() != 3) STOP("MHA: X");
    if (grad_y.shape() != x.shape()) STOP("MHA: GRAD_Y");
    const Index ND = x.size(2);
    if (num_heads < 1) STOP("MHA: NUM_HEADS");
    if (ND % num_heads != 0) STOP("MHA: NUM_HEADS DOES NOT DIVIDE D");
    const Shape DD{ND, ND}, D1{ND};
    const Parameters* BOTH[2] = {&parameters, &grads};
    DO(I, 1, 2) {
        const Parameters& P = *BOTH[I - 1];
        if (P.q_weight.shape() != DD || P.k_weight.shape() != DD) STOP("MHA: Q OR K WEIGHT");
        if (P.v_weight.shape() != DD || P.out_weight.shape() != DD) STOP("MHA: V OR OUT WEIGHT");
        if (P.q_bias.shape() != D1 || P.k_bias.shape() != D1) STOP("MHA: Q OR K BIAS");
        if (P.v_bias.shape() != D1 || P.out_bias.shape() != D1) STOP("MHA: V OR OUT BIAS");
    }
    if (mask.defined()) mask.expand({x.size(0), num_heads, x.size(1), x.size(1)});
    Tensor Q = Tensor::zeros(x.shape()), K = Tensor::zeros(x.shape()), V = Tensor::zeros(x.shape());
    DENSE(x, parameters.q_weight, parameters.q_bias, Q);
    DENSE(x, parameters.k_weight, parameters.k_bias, K);
    DENSE(x, parameters.v_weight, parameters.v_bias, V);
    const Tensor QH = given::split_heads(Q, num_heads);
    const Tensor KH = given::split_heads(K, num_heads);
    const Tensor VH = given::split_heads(V, num_heads);
    const Tensor M = given::merge_heads(given::scaled_dot_product_context(QH, KH, VH, mask));
    const Tensor GM = linear_backward(M, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients G = attention_backward(QH, KH, VH, mask, given::split_heads(GM, num_heads));
    Tensor GX = linear_backward(x, parameters.q_weight, given::merge_heads(G.q), grads.q_weight, grads.q_bias);
    GX += linear_backward(x, parameters.k_weight, given::merge_heads(G.k), grads.k_weight, grads.k_bias);
    GX += linear_backward(x, parameters.v_weight, given::merge_heads(G.v), grads.v_weight, grads.v_bias);
    return GX;
}

}  // namespace headway::ex07
