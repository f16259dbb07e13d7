// Everything in double, on flat arrays. Slow but I can see every index.
#include "backward.hpp"

#include <cstddef>
#include <stdexcept>

namespace headway::ex07 {
namespace {

using Numbers = std::vector<double>;

void need(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

// row-major doubles, whatever the strides of the tensor are
Numbers read3(const Tensor& t) {
    Numbers out;
    for (Index a = 0; a < t.size(0); a++)
        for (Index b = 0; b < t.size(1); b++)
            for (Index c = 0; c < t.size(2); c++) out.push_back(t(a, b, c));
    return out;
}

Numbers read4(const Tensor& t) {
    Numbers out;
    for (Index a = 0; a < t.size(0); a++)
        for (Index b = 0; b < t.size(1); b++)
            for (Index c = 0; c < t.size(2); c++)
                for (Index d = 0; d < t.size(3); d++) out.push_back(t(a, b, c, d));
    return out;
}

Tensor pack(const Shape& shape, const Numbers& numbers) {
    std::vector<float> f(numbers.begin(), numbers.end());
    return Tensor::of(shape, f);
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    need(weights.rank() == 4, "weights must have 4 axes");
    need(weights.shape() == grad_weights.shape(), "weights and grad_weights differ in shape");
    const Numbers w = read4(weights), g = read4(grad_weights);
    Numbers out(w.size());
    const Index S = weights.size(3);
    const Index rows = weights.size(0) * weights.size(1) * weights.size(2);
    for (Index r = 0; r < rows; r++) {
        double mean = 0;
        for (Index s = 0; s < S; s++) mean += w[at(r * S + s)] * g[at(r * S + s)];
        for (Index s = 0; s < S; s++) {
            const double weight = w[at(r * S + s)];
            out[at(r * S + s)] = weight == 0 ? 0 : weight * (g[at(r * S + s)] - mean);
        }
    }
    return pack(weights.shape(), out);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && grad_context.rank() == 4, "four axes each, please");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    need(k.shape() == Shape{B, H, S, d}, "k does not fit q");
    need(v.shape() == Shape{B, H, S, dv}, "v does not fit k");
    need(grad_context.shape() == Shape{B, H, T, dv}, "grad_context does not fit q and v");
    Mask full = Mask::allow_all({B, H, T, S});
    if (mask.defined()) full = mask.expand({B, H, T, S});

    const Numbers qs = read4(q), ks = read4(k), vs = read4(v), gc = read4(grad_context);
    Numbers gq(qs.size(), 0.0), gk(ks.size(), 0.0), gv(vs.size(), 0.0);
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));

    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++) {
            const Index q0 = (b * H + h) * T * d;
            const Index k0 = (b * H + h) * S * d;
            const Index v0 = (b * H + h) * S * dv;
            const Index c0 = (b * H + h) * T * dv;
            for (Index t = 0; t < T; t++) {
                // forward again
                Numbers w(at(S), 0.0);
                double biggest = 0;
                bool any = false;
                for (Index s = 0; s < S; s++) {
                    if (full(b, h, t, s)) continue;
                    double score = 0;
                    for (Index i = 0; i < d; i++) score += qs[at(q0 + t * d + i)] * ks[at(k0 + s * d + i)];
                    w[at(s)] = score * scale;
                    if (!any || w[at(s)] > biggest) biggest = w[at(s)];
                    any = true;
                }
                if (!any) continue;
                double total = 0;
                for (Index s = 0; s < S; s++) {
                    w[at(s)] = full(b, h, t, s) ? 0.0 : std::exp(w[at(s)] - biggest);
                    total += w[at(s)];
                }
                for (double& weight : w) weight /= total;

                // backward
                Numbers gw(at(S), 0.0);
                double mean = 0;
                for (Index s = 0; s < S; s++) {
                    if (full(b, h, t, s)) continue;
                    for (Index j = 0; j < dv; j++) {
                        gv[at(v0 + s * dv + j)] += w[at(s)] * gc[at(c0 + t * dv + j)];
                        gw[at(s)] += gc[at(c0 + t * dv + j)] * vs[at(v0 + s * dv + j)];
                    }
                    mean += w[at(s)] * gw[at(s)];
                }
                for (Index s = 0; s < S; s++) {
                    if (full(b, h, t, s)) continue;
                    const double gs = w[at(s)] * (gw[at(s)] - mean) * scale;
                    for (Index i = 0; i < d; i++) {
                        gq[at(q0 + t * d + i)] += gs * ks[at(k0 + s * d + i)];
                        gk[at(k0 + s * d + i)] += gs * qs[at(q0 + t * d + i)];
                    }
                }
            }
        }
    return {pack(q.shape(), gq), pack(k.shape(), gk), pack(v.shape(), gv)};
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    need(x.rank() == 3, "x must be (B, T, in)");
    need(weight.rank() == 2 && weight.size(1) == x.size(2), "weight must be (out, in)");
    const Index B = x.size(0), T = x.size(1), in = x.size(2), out = weight.size(0);
    need(grad_y.shape() == Shape{B, T, out}, "grad_y must be (B, T, out)");
    need(grad_weight.shape() == weight.shape(), "grad_weight must be (out, in)");
    need(grad_bias.shape() == Shape{out}, "grad_bias must be (out)");

    const Numbers xs = read3(x), gy = read3(grad_y);
    for (Index o = 0; o < out; o++) {
        for (Index i = 0; i < in; i++) {
            double sum = 0;
            for (Index n = 0; n < B * T; n++) sum += gy[at(n * out + o)] * xs[at(n * in + i)];
            grad_weight(o, i) = static_cast<float>(grad_weight(o, i) + sum);
        }
        double sum = 0;
        for (Index n = 0; n < B * T; n++) sum += gy[at(n * out + o)];
        grad_bias(o) = static_cast<float>(grad_bias(o) + sum);
    }
    Numbers gx(xs.size(), 0.0);
    for (Index n = 0; n < B * T; n++)
        for (Index i = 0; i < in; i++)
            for (Index o = 0; o < out; o++) gx[at(n * in + i)] += gy[at(n * out + o)] * double(weight(o, i));
    return pack(x.shape(), gx);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    need(x.rank() == 3, "x must be (B, T, D)");
    need(grad_y.shape() == x.shape(), "grad_y must have the shape of x");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    need(num_heads > 0 && D % num_heads == 0, "D must be divisible by num_heads");
    const Tensor* matrices[] = {&parameters.q_weight,   &parameters.k_weight, &parameters.v_weight,
                                &parameters.out_weight, &grads.q_weight,      &grads.k_weight,
                                &grads.v_weight,        &grads.out_weight};
    for (const Tensor* m : matrices) need(m->shape() == Shape{D, D}, "weights must be (D, D)");
    const Tensor* vectors[] = {&parameters.q_bias, &parameters.k_bias, &parameters.v_bias, &parameters.out_bias,
                               &grads.q_bias,      &grads.k_bias,      &grads.v_bias,      &grads.out_bias};
    for (const Tensor* m : vectors) need(m->shape() == Shape{D}, "biases must be (D)");
    const Index H = num_heads, d = D / H;
    if (mask.defined()) (void)mask.expand({B, H, T, T});

    // feature h*d + i of a token is feature i of head h
    auto project = [&](const Tensor& weight, const Tensor& bias) {
        Tensor heads = Tensor::zeros({B, H, T, d});
        for (Index b = 0; b < B; b++)
            for (Index t = 0; t < T; t++)
                for (Index o = 0; o < D; o++) {
                    double sum = bias(o);
                    for (Index i = 0; i < D; i++) sum += double(x(b, t, i)) * double(weight(o, i));
                    heads(b, o / d, t, o % d) = static_cast<float>(sum);
                }
        return heads;
    };
    auto join = [&](const Tensor& heads) {
        Tensor out = Tensor::zeros({B, T, D});
        for (Index b = 0; b < B; b++)
            for (Index h = 0; h < H; h++)
                for (Index t = 0; t < T; t++)
                    for (Index i = 0; i < d; i++) out(b, t, h * d + i) = heads(b, h, t, i);
        return out;
    };
    const Tensor q = project(parameters.q_weight, parameters.q_bias);
    const Tensor k = project(parameters.k_weight, parameters.k_bias);
    const Tensor v = project(parameters.v_weight, parameters.v_bias);
    const Tensor merged = join(given::scaled_dot_product_attention(q, k, v, mask).context);

    const Tensor grad_merged = linear_backward(merged, parameters.out_weight, grad_y, grads.out_weight, grads.out_bias);
    Tensor grad_context = Tensor::zeros({B, H, T, d});
    for (Index b = 0; b < B; b++)
        for (Index t = 0; t < T; t++)
            for (Index o = 0; o < D; o++) grad_context(b, o / d, t, o % d) = grad_merged(b, t, o);
    const AttentionGradients g = attention_backward(q, k, v, mask, grad_context);

    Tensor grad_x = linear_backward(x, parameters.q_weight, join(g.q), grads.q_weight, grads.q_bias);
    grad_x += linear_backward(x, parameters.k_weight, join(g.k), grads.k_weight, grads.k_bias);
    grad_x += linear_backward(x, parameters.v_weight, join(g.v), grads.v_weight, grads.v_bias);
    return grad_x;
}

}  // namespace headway::ex07
