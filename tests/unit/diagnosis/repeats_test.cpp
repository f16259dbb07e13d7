// What one program may answer to the same question: rounding alone may differ.
#include "diagnosis/repeats.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace headway::diagnosis {
namespace {

const Answer weights = answer_of(wire::Value(Tensor::of({1, 3}, {0.0F, 0.25F, 0.75F})));

Answer with(std::size_t at, double number) {
    Answer other = weights;
    other.parts[0].second.value[at] = number;
    return other;
}

/// What is right, where large scores leave the last two to chance.
Answer right_weights() {
    Answer right = weights;
    right.parts[0].second.error = {0, 1e-3, 1e-3};
    return right;
}

bool may_repeat(const Answer& other, const RightAnswer& right = right_weights) {
    return diagnosis::may_repeat(weights, other, right);
}

TEST(Repeats, RoundingMayDiffer) {
    EXPECT_TRUE(may_repeat(weights, [] { return ADD_FAILURE() << "nobody needs it", Answer(); }));
    EXPECT_TRUE(may_repeat(with(1, 0.251)));
    EXPECT_FALSE(may_repeat(with(1, 0.26)));
    EXPECT_FALSE(may_repeat(with(0, 1e-5))) << "a blocked key has no weight";
}

TEST(Repeats, WithoutAModelTheNumbersTell) {
    const RightAnswer none = [] { return Answer::without_value(Answer::Kind::unpredicted); };
    EXPECT_TRUE(may_repeat(with(1, 0.25 + 1e-6), none));
    EXPECT_FALSE(may_repeat(with(1, 0.251), none));
}

TEST(Repeats, KindsAndPartsStay) {
    EXPECT_FALSE(may_repeat(Answer::without_value(Answer::Kind::refused)));
    Answer renamed = weights;
    renamed.parts[0].first = "context";
    EXPECT_FALSE(may_repeat(renamed));
    Answer more = weights;
    more.parts.push_back({"a word", {}});
    EXPECT_FALSE(may_repeat(more));
}

TEST(Repeats, RefusalsOfAnotherKindDiffer) {
    const auto throws = [](wire::ErrorKind kind) {
        return judge::Outcome{{}, wire::Error{kind, "std::logic_error", "words"}, {}};
    };
    const judge::Outcome refused = throws(wire::ErrorKind::invalid_argument);
    EXPECT_TRUE(diagnosis::may_repeat("00_none", "f", {}, refused, refused));
    EXPECT_FALSE(diagnosis::may_repeat("00_none", "f", {}, refused, throws(wire::ErrorKind::out_of_range)));
    EXPECT_FALSE(diagnosis::may_repeat("00_none", "f", {}, refused, judge::Outcome{}));
}

}  // namespace
}  // namespace headway::diagnosis
