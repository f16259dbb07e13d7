#include "catch_the_bug.hpp"

#include <cmath>
#include <vector>

using std::vector;

namespace headway::ex06 {

struct Ref {
    vector<float> w, o;
};

// batch is 1 everywhere, so there is one loop less
static Ref ref(const Inputs& in) {
    int T = (int)in.query.size(1), S = (int)in.key.size(1), D = (int)in.query.size(2), E = (int)in.w_q.size(1),
        H = (int)in.num_heads, d = E / H;
    auto proj = [&](const Tensor& x, const Tensor& w, const Tensor& bias, int n) {
        vector<vector<double>> y(n, vector<double>(E));
        for (int i = 0; i < n; i++)
            for (int e = 0; e < E; e++) {
                y[i][e] = bias(e);
                for (int j = 0; j < D; j++) y[i][e] += (double)x(0, i, j) * w(j, e);
            }
        return y;
    };
    auto q = proj(in.query, in.w_q, in.b_q, T), k = proj(in.key, in.w_k, in.b_k, S),
         v = proj(in.value, in.w_v, in.b_v, S);
    Ref r;
    r.w.assign(H * T * S, 0);
    vector<vector<double>> c(T, vector<double>(E, 0));
    Mask m = in.mask.defined() ? in.mask.expand({1, H, T, S}) : Mask::allow_all({1, H, T, S});
    for (int h = 0; h < H; h++)
        for (int t = 0; t < T; t++) {
            vector<double> a(S, -1e300);
            double mx = -1e300, z = 0;
            for (int s = 0; s < S; s++) {
                if (m(0, h, t, s) || (in.causal && s > t + S - T)) continue;
                a[s] = 0;
                for (int e = h * d; e < h * d + d; e++) a[s] += q[t][e] * k[s][e] / sqrt((double)d);
                mx = fmax(mx, a[s]);
            }
            if (mx == -1e300) continue;
            for (int s = 0; s < S; s++) z += exp(a[s] - mx);
            for (int s = 0; s < S; s++) {
                r.w[(h * T + t) * S + s] = (float)(exp(a[s] - mx) / z);
                for (int e = h * d; e < h * d + d; e++) c[t][e] += exp(a[s] - mx) / z * v[s][e];
            }
        }
    for (int t = 0; t < T; t++)
        for (int j = 0; j < D; j++) {
            double sum = in.b_o(j);
            for (int e = 0; e < E; e++) sum += c[t][e] * in.w_o(e, j);
            r.o.push_back((float)sum);
        }
    return r;
}

static void check(const Inputs& in, float tol = 1e-3f) {
    Ref want = ref(in);
    Attended got = attention(in);
    Tensor w = got.weights.contiguous(), o = got.output.contiguous();
    ASSERT_EQ(w.numel(), (Index)want.w.size());
    ASSERT_EQ(o.numel(), (Index)want.o.size());
    for (size_t i = 0; i < want.w.size(); i++) EXPECT_NEAR(w.data()[i], want.w[i], tol);
    for (size_t i = 0; i < want.o.size(); i++) EXPECT_NEAR(o.data()[i], want.o[i], tol * (1 + fabs(want.o[i])));
}

static Inputs make(int T, int S, float scale = 1, float shift = 0) {
    const int D = 5, E = 6;
    Random r(T * 10 + S);
    Inputs in;
    in.num_heads = 3;
    in.query = r.normal({1, T, D}) * scale;
    in.key = r.normal({1, S, D}) * scale;
    in.value = r.normal({1, S, D});
    in.w_q = r.normal({D, E}), in.w_k = r.normal({D, E}), in.w_v = r.normal({D, E}), in.w_o = r.normal({E, D});
    in.b_q = r.normal({E}) + std::fabs(shift), in.b_k = r.normal({E}) + shift;
    in.b_v = r.normal({E}), in.b_o = r.normal({D});
    return in;
}

TEST(One, plain) { check(make(3, 4)), check(make(4, 3)), check(make(4, 4)); }
TEST(One, big) {
    check(make(3, 4, 10), 0.02f);
    check(make(3, 4, 0.01f, 30), 0.02f), check(make(3, 4, 0.01f, -30), 0.02f), check(make(3, 4, 0.01f, -90), 0.02f);
}
TEST(One, causal) {
    for (int T = 1; T < 5; T++)
        for (int S = 1; S < 5; S++) {
            Inputs in = make(T, S);
            in.causal = true;
            check(in);
            in.mask = Mask::allow_all({T, S});
            for (int t = 0; t < T; t++) in.mask(t, t % S) = true;
            check(in);
        }
}
TEST(One, masked) {
    for (float shift : {0.f, -90.f}) {
        Inputs in = make(3, 4, shift ? 0.01f : 1.f, shift);
        in.mask = Mask::of({1, 1, 1, 4}, {false, true, false, true});
        check(in, 0.02f);
        in.mask = Mask::allow_all({1, 3, 3, 4});
        for (Index i = 0; i < 36; i += 1 + i % 3) in.mask.data()[i] = true;
        check(in, 0.02f);
    }
    Inputs in = make(3, 4);
    in.mask = Mask::of({3, 1}, {false, true, false});
    check(in);
}

}  // namespace headway::ex06
