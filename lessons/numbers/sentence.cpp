#include "sentence.hpp"

#include <headway/given.hpp>

namespace headway::lessons {

const Labels tokens{"The", "cat", "sat", "here"};

OneHead one_head() {
    return {.x = Tensor::rows({{1, 0, 1}, {2, 1, 0}, {0, 2, 1}, {0, 1, 2}}),
            .w_q = Tensor::rows({{0, -1}, {1, 0}, {1, 1}}),
            .w_k = Tensor::rows({{1, 0}, {0, 1}, {0, -1}}),
            .w_v = Tensor::rows({{0, 0, 2}, {1, 0, 0}, {0, 1, 0}})};
}

TwoHeads two_heads() {
    return {.x = Tensor::of({1, 4, 6}, {1, 0, 1, 1,  0,  1,    // The
                                        2, 1, 0, 0,  1,  1,    // cat
                                        0, 2, 1, -1, 0,  1,    // sat
                                        0, 1, 2, 0,  -1, 1}),  // here
            .w_q = Tensor::rows({{0, -1, 0, 0, 0, 0},
                                 {1, 0, 0, 0, 0, 0},
                                 {1, 1, 0, 0, 0, 0},
                                 {0, 0, 0, 0, -2, 0},
                                 {0, 0, 0, 2, 0, 0},
                                 {0, 0, 1, 0, 0, 0}}),
            .w_k = Tensor::rows({{1, 0, 0, 0, 0, 0},
                                 {0, 1, -1, 0, 0, 0},
                                 {0, -1, 0, 0, 0, 0},
                                 {0, 0, 0, 2, 0, 0},
                                 {0, 0, 0, 0, 2, 0},
                                 {0, 0, 0, 0, 0, 0}}),
            .w_v = Tensor::rows({{0, 0, 2, 1, 0, 0},
                                 {1, 0, 0, 0, 1, 0},
                                 {0, 1, 0, 0, 0, 1},
                                 {0, 0, 0, 0, 0, 0},
                                 {0, 0, 0, 0, 0, 0},
                                 {0, 0, 0, 0, 0, 0}}),
            .w_o = Tensor::rows({{1, 0, 0, 0, 0, 0},
                                 {0, 1, 0, 0, 0, 0},
                                 {0, 0, 1, 0, 0, 0},
                                 {1, 0, 0, 1, 0, 0},
                                 {0, 1, 0, 0, 1, 0},
                                 {0, 0, 1, 0, 0, 1}})};
}

Tensor TwoHeads::split(const Tensor& w) const { return given::split_heads(matmul(x, w), 2); }

Tensor TwoHeads::raw_scores() const { return matmul(split(w_q), split(w_k).transpose(-2, -1)); }

}  // namespace headway::lessons
