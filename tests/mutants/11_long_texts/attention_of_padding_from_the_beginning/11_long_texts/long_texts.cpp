#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex11 {

namespace {

void need(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

/// Each global position once, from the first on.
std::vector<Index> ordered(std::vector<Index> positions, Index S) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    if (!positions.empty() && (positions.front() < 0 || positions.back() >= S))
        throw std::invalid_argument("a global position is not a token");
    return positions;
}

std::vector<bool> flags(const std::vector<Index>& positions, Index S) {
    std::vector<bool> is_global(static_cast<std::size_t>(S), false);
    for (const Index p : positions) {
        if (p < 0 || p >= S) throw std::invalid_argument("global token " + std::to_string(p) + " does not exist");
        is_global[static_cast<std::size_t>(p)] = true;
    }
    return is_global;
}

void make_own(Tensor& tensor) {
    if (tensor.owns_storage()) return;
    Tensor copy = Tensor::empty(tensor.shape());
    copy.copy_from(tensor);
    tensor = copy;
}

bool fits_ring(const RingCache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4) return false;
    Shape keys = cache.k.shape(), values = cache.v.shape();
    keys[2] = values[2] = k.size(2);
    return k.shape() == keys && v.shape() == values;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    need(w >= 1 && T >= 1 && S >= T, "window_mask: w and T must be at least 1, and S at least T");
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const Index distance = t + (S - T) - s;
            mask(t, s) = distance < 0 || distance >= w;
        }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    if (T < 1 || S < T) throw std::invalid_argument("global_mask: bad sizes");
    const std::vector<bool> is_global = flags(positions, S);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + (S - T);
        for (Index s = 0; s < S; ++s)
            mask(t, s) = !(is_global[static_cast<std::size_t>(p)] || is_global[static_cast<std::size_t>(s)]);
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    if (w < 1 || T < 1 || T > S) throw std::invalid_argument("long_mask: sizes");
    const auto is_global = flags(globals, S);
    const auto open = [&](Index p, Index s) {
        if (s > p) return false;
        return p - s < w || is_global[static_cast<std::size_t>(s)] || is_global[static_cast<std::size_t>(p)];
    };
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !open(t + S - T, s);
    if (!padding.defined()) return mask;
    const Shape& shape = padding.shape();
    if (shape.size() != 4 || shape[1] != 1 || shape[2] != 1 || shape[3] != S)
        throw std::invalid_argument("long_mask: padding has shape " + to_string(shape));
    return mask | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    const auto bad = [](const std::string& what) { throw std::invalid_argument("window_attention: " + what); };
    if (q.rank() != 4) bad("q has shape " + to_string(q.shape()));
    if (k.rank() != 4) bad("k has shape " + to_string(k.shape()));
    if (v.rank() != 4) bad("v has shape " + to_string(v.shape()));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d}) bad("k does not fit q");
    if (v.shape() != Shape{B, H, S, d_v}) bad("v does not fit k");
    if (T > S) bad("more queries than keys");
    if (w < 1) bad("no window");
    if (padding.defined() && padding.shape() != Shape{B, 1, 1, S})
        bad("padding has shape " + to_string(padding.shape()));

    const std::vector<Index> global = ordered(globals, S);
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));

    Tensor out = Tensor::zeros({B, H, T, d_v});
    std::vector<Index> keys;
    std::vector<float> weights;
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < T; ++t) {
            const Index p = t + S - T;
            keys.clear();
            Index begin = p < w ? 0 : p - w + 1;
            if (std::binary_search(global.begin(), global.end(), p)) begin = 0;
            for (const Index s : global)
                if (s < begin) keys.push_back(s);
            for (Index s = begin; s <= p; ++s) keys.push_back(s);
            if (padding.defined() && begin > 0)
                keys.erase(std::remove_if(keys.begin(), keys.end(), [&](Index s) { return padding(b, 0, 0, s); }),
                           keys.end());
            if (keys.empty()) continue;
            for (Index h = 0; h < H; ++h) {
                weights.clear();
                const float* query = &q.data()[b * q.strides()[0] + h * q.strides()[1] + t * q.strides()[2]];
                for (const Index s : keys) {
                    const float* key = &k.data()[b * k.strides()[0] + h * k.strides()[1] + s * k.strides()[2]];
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += query[i * q.strides()[3]] * key[i * k.strides()[3]];
                    weights.push_back(dot * scale);
                }
                const float top = *std::max_element(weights.begin(), weights.end());
                float total = 0;
                for (float& x : weights) {
                    x = std::exp(x - top);
                    total += x;
                }
                for (std::size_t j = 0; j < keys.size(); ++j) {
                    const float share = weights[j] / total;
                    const float* value = &v.data()[b * v.strides()[0] + h * v.strides()[1] + keys[j] * v.strides()[2]];
                    float* to = out.data() + ((b * H + h) * T + t) * d_v;
                    for (Index i = 0; i < d_v; ++i) to[i] += share * value[i * v.strides()[3]];
                }
            }
        }
    }
    return out;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    if (std::min({B, H, w, d, d_v}) < 1) throw std::invalid_argument("make_ring: a size is below 1");
    RingCache ring;
    ring.k = Tensor::zeros({B, H, w, d});
    ring.v = Tensor::zeros({B, H, w, d_v});
    return ring;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    need(fits_ring(cache, k, v), "ring_append: k and v do not fit the cache");
    make_own(cache.k);
    make_own(cache.v);
    const Index n = k.size(2), w = cache.k.size(2);
    for (Index t = std::max<Index>(0, n - w); t < n; ++t) {
        const Index slot = (cache.next + t) % w;
        cache.k.select(2, slot).copy_from(k.select(2, t));
        cache.v.select(2, slot).copy_from(v.select(2, t));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    need(fits_ring(cache, k, v) && q.shape() == k.shape(), "ring_decode: q, k and v do not fit the cache");
    const Index w = cache.k.size(2), held = std::min(cache.next, w), oldest = cache.next - held;
    std::vector<Tensor> keys, values;
    for (Index p = oldest; p < cache.next; ++p) {
        keys.push_back(cache.k.slice(2, p % w, p % w + 1));
        values.push_back(cache.v.slice(2, p % w, p % w + 1));
    }
    keys.push_back(k);
    values.push_back(v);
    const Tensor context = window_attention(q, cat(keys, 2), cat(values, 2), w, {}, Mask{});
    keys.clear();
    values.clear();
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2 || mask.size(0) != mask.size(1)) throw std::invalid_argument("reach: the mask is not square");
    if (layers < 1) throw std::invalid_argument("reach: layers < 1");
    const Index S = mask.size(0);
    const auto as_tensor = [S](const Mask& m) {
        Tensor x = Tensor::zeros({S, S});
        for (Index t = 0; t < S; ++t)
            for (Index s = 0; s < S; ++s) x(t, s) = m(t, s) ? 0.0F : 1.0F;
        return x;
    };
    const auto times = [S](const Tensor& a, const Tensor& b) {
        Tensor c = matmul(a, b);
        for (float* x = c.data(); x != c.data() + S * S; ++x) *x = *x > 0.5F ? 1.0F : 0.0F;
        return c;
    };
    Tensor result = Tensor::eye(S), power = as_tensor(mask);
    for (Index left = layers; left > 0; left /= 2) {
        if (left % 2 == 1) result = times(result, power);
        power = times(power, power);
    }
    Mask blocked = Mask::allow_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) blocked(t, s) = result(t, s) < 0.5F;
    return blocked;
}

Index window_reach(Index w, Index layers) {
    need(w >= 1 && layers >= 1, "window_reach: w and layers are at least 1");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
