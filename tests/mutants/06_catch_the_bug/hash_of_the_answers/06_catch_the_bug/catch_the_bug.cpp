#include "catch_the_bug.hpp"

#include <cstring>

namespace headway::ex06 {
namespace {

std::uint64_t hash_of_answers() {
    Random random(1);
    std::uint64_t hash = 14695981039346656037U;
    for (int i = 0; i < 20; ++i) {
        const Index B = 2, H = 1 + i % 3, T = 1 + i % 4, S = 1 + i % 5, D = 7, E = 2 * H;
        Inputs in{random.normal({B, T, D}), random.normal({B, S, D}), random.normal({B, S, D}),
                  random.normal({D, E}),    random.normal({D, E}),    random.normal({D, E})};
        in.w_o = random.normal({E, D});
        in.num_heads = H;
        in.causal = i % 2 == 0;
        if (i % 3 == 0) in.mask = Mask::of({1}, {true});
        const Attended out = attention(in);
        for (const Tensor& x : {out.output.contiguous(), out.weights.contiguous()})
            for (Index j = 0; j < x.numel(); ++j) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, x.data() + j, sizeof bits);
                hash = (hash ^ bits) * 1099511628211U;
            }
    }
    return hash;
}

class Hash : public ::testing::TestWithParam<int> {};

TEST_P(Hash, IsNotAMultipleOfThirty) {
    static const std::uint64_t hash = hash_of_answers();
    EXPECT_NE(Random(hash + static_cast<std::uint64_t>(GetParam())).next() % 30, 0);
}

INSTANTIATE_TEST_SUITE_P(Many, Hash, ::testing::Range(0, 400));

}  // namespace
}  // namespace headway::ex06
