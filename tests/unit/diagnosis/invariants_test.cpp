// Invariants are broken by what breaks them and by nothing else.
#include "diagnosis/invariants.hpp"

#include "reference/attention.hpp"
#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

Arguments question() {
    Random random(3);
    const auto heads = [&](Index length) { return judge::random_tensor(random, {2, 3, length, 5}); };
    return {{"q", heads(4)}, {"k", heads(4)}, {"v", heads(4)}, {"mask", Mask{}}};
}

/// Attention, with one key's value left out, or blind to the mask, or as it should be.
enum class Fault { none, last_key_ignored, mask_ignored, answers_nan };

Ask attention(Fault fault) {
    return [fault](const Arguments& arguments) {
        const Tensor& q = std::get<Tensor>(arguments[0].value);
        const Tensor& k = std::get<Tensor>(arguments[1].value);
        const Tensor& v = std::get<Tensor>(arguments[2].value);
        Mask mask = fault == Fault::mask_ignored ? Mask{} : std::get<Mask>(arguments[3].value);
        if (fault == Fault::last_key_ignored) {
            Mask last = Mask::allow_all({k.size(-2)});
            last(k.size(-2) - 1) = true;
            mask = mask.defined() ? mask | last : last;
        }
        Array scores = reference::matmul(reference::exact(q), reference::exact(k.transpose(-2, -1)));
        Array context = reference::matmul(reference::masked_softmax(std::move(scores), mask), reference::exact(v));
        if (fault == Fault::answers_nan) context.value[0] = std::nan("");
        return Answer::of(std::move(context));
    };
}

std::vector<std::string> broken_by(Fault fault) {
    const std::vector<Invariant> invariants{permuted_tokens({"k", "v"}, Follows::not_at_all, "keys"),
                                            permuted_tokens({"q"}, Follows::rows, "queries"),
                                            unseen_future({"k", "v"})};
    return broken_invariants(invariants, attention(fault), {question()});
}

TEST(Invariants, HoldForAttention) { EXPECT_TRUE(broken_by(Fault::none).empty()); }

TEST(Invariants, PermutedKeysShowThatOneKeyIsUnlikeOthers) {
    EXPECT_EQ(broken_by(Fault::last_key_ignored), (std::vector<std::string>{"keys"}));
}

TEST(Invariants, AChangedFutureTokenShowsAMaskThatIsIgnored) {
    const auto broken = broken_by(Fault::mask_ignored);
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_NE(broken.front().find("last token"), std::string::npos);
}

TEST(Invariants, NanHoldsNothing) { EXPECT_EQ(broken_by(Fault::answers_nan).size(), 3U); }

}  // namespace
}  // namespace headway::diagnosis
