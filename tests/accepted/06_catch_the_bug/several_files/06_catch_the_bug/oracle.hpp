#pragma once

#include "catch_the_bug.hpp"

namespace headway::ex06 {

/// What attention should answer, element by element, computed when asked for.
class Oracle {
public:
    explicit Oracle(const Inputs& inputs);

    double weight(Index b, Index h, Index t, Index s) const;
    double output(Index b, Index t, Index i) const;
    bool blocked(Index b, Index h, Index t, Index s) const;

private:
    double projected(const Tensor& x, const Tensor& w, const Tensor& bias, Index b, Index n, Index e) const;
    double score(Index b, Index h, Index t, Index s) const;
    const Inputs& in_;
    Index T_, S_, d_;
    Mask mask_;
};

/// EXPECT_PRED_FORMAT2(answers, inputs, attention(inputs))
testing::AssertionResult answers(const char*, const char*, const Inputs& inputs, const Attended& got);

Inputs draw(std::uint64_t seed, Index B, Index T, Index S, Index H, Index d, Index D);

}  // namespace headway::ex06
