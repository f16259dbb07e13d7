#include "single_head.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace std;
using namespace headway;

static vector<float> softmax(vector<float> row) {
    const float top = *max_element(row.begin(), row.end());
    const float log2e = 1.4426950408889634f;
    transform(row.begin(), row.end(), row.begin(), [&](float s) { return exp2((s - top) * log2e); });
    const float total = accumulate(row.begin(), row.end(), 0.0f);
    for (auto& w : row) w /= total;
    return row;
}

static void need(bool ok, string what) {
    if (!ok) throw invalid_argument(what);
}

Tensor headway::ex01::softmax_rows(const Tensor& scores) {
    need(scores.rank() == 2, "scores: rank 2");
    vector<float> all;
    for (Index t = 0; t < scores.size(0); ++t) {
        vector<float> row;
        for (Index s = 0; s < scores.size(1); ++s) row.push_back(scores(t, s));
        for (float w : softmax(row)) all.push_back(w);
    }
    return Tensor::of(scores.shape(), all);
}

Tensor headway::ex01::attention_weights(const Tensor& q, const Tensor& k) {
    need(q.rank() == 2 && k.rank() == 2, "q, k: rank 2");
    need(q.size(1) == k.size(1), "q, k: same width");
    vector<float> all;
    for (Index t = 0; t < q.size(0); ++t) {
        vector<float> row(k.size(0));
        for (Index s = 0; s < k.size(0); ++s) {
            float dot = 0;
            for (Index i = 0; i < q.size(1); ++i) dot += q(t, i) * k(s, i);
            row[s] = dot / std::sqrt(float(q.size(1)));
        }
        row = softmax(move(row));
        all.insert(all.end(), row.begin(), row.end());
    }
    cout << "weights: " << all.size() << " numbers" << endl;
    return Tensor::of({q.size(0), k.size(0)}, all);
}

Tensor headway::ex01::single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    need(x.rank() == 2 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "rank 2");
    cerr << "x = " << x << endl;
    auto q = matmul(x, w_q), k = matmul(x, w_k), v = matmul(x, w_v);
    return matmul(attention_weights(q, k), v);
}

Tensor headway::ex01::with_residual(const Tensor& x, const Tensor& attended) {
    need(x.rank() == 2 && x.shape() == attended.shape(), "x and attended: same shape");
    return x + attended;
}
