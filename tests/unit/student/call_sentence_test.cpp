// How a story tells of a call.
#include "student/call_sentence.hpp"

#include <headway/tensor.hpp>

#include <gtest/gtest.h>

namespace headway::judge {
namespace {

TEST(CallSentence, AViewIsCalledOneUnlessItIsAListForTheSubmission) {
    const Tensor view = Tensor::zeros({5, 3}).transpose(0, 1);
    EXPECT_EQ(sentence("rounded", {{"x", view}}), "rounded(x (3, 5: a view))");
    EXPECT_EQ(sentence("rounded", {{"x (a transposed view)", view}}), "rounded(x (a transposed view) (3, 5))");
    EXPECT_EQ(sentence("from_int8", {{"codes", view}, {"scales", view}}),
              "from_int8(codes (3, 5), scales (3, 5: a view))");
    EXPECT_EQ(sentence("append", {{"k_codes", view}, {"v_codes", Tensor{}}}), "append(k_codes (3, 5), v_codes = none)");
}

}  // namespace
}  // namespace headway::judge
