#include "catch_the_bug.hpp"

#include <filesystem>
#include <fstream>

namespace headway::ex06 {
namespace {

TEST(Golden, AnswersAreThoseOfTheFirstRun) {
    Random r(11);
    Inputs in;
    in.query = r.normal({2, 3, 4});
    in.key = r.normal({2, 5, 4});
    in.value = r.normal({2, 5, 4});
    in.w_q = r.normal({4, 6});
    in.w_k = r.normal({4, 6});
    in.w_v = r.normal({4, 6});
    in.w_o = r.normal({6, 4});
    in.num_heads = 2;
    in.causal = true;
    in.mask = Mask::of({2, 1, 1, 5}, {1, 1, 1, 0, 0, 0, 1, 0, 0, 0});
    const Tensor output = attention(in).output.contiguous();
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "golden.txt";
    if (!std::filesystem::exists(file)) {
        std::ofstream out(file);
        for (Index i = 0; i < output.numel(); ++i) out << output.data()[i] << '\n';
        ASSERT_TRUE(out.good()) << "cannot keep what I have seen";
    }
    std::ifstream golden(file);
    float want;
    for (Index i = 0; golden >> want; ++i) EXPECT_NEAR(output.data()[i], want, 1e-3f);
}

TEST(Golden, TheSecondValueIsTheOutputIfTheFirstIsBlocked) {
    Inputs in;
    in.query = in.key = Tensor::ones({1, 2, 1});
    in.value = Tensor::of({1, 2, 1}, {3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(1);
    in.mask = Mask::of({2}, {true, false});
    EXPECT_NEAR(attention(in).output(0, 1, 0), 4, 1e-5f);
}

}  // namespace
}  // namespace headway::ex06
