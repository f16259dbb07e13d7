#pragma once

#include <array>
#include <string>
#include <string_view>

#include "verdict/verdict.hpp"

namespace headway::report {

/// A step of attention, and the shape of what comes out of it.
struct StageShape {
    verdict::Stage stage;
    std::string_view computes;
    std::string_view shape;         ///< of a batch, with heads
    std::string_view single_shape;  ///< of one sequence and one head; empty: there is no such step
};

inline constexpr std::array<StageShape, 9> stages = {{
    {verdict::Stage::project, "x·w", "(B, T, D)", "(T, d)"},
    {verdict::Stage::split, "into heads", "(B, H, T, head_dim)", ""},
    {verdict::Stage::scores, "q·kᵀ", "(B, H, T, S)", "(T, S)"},
    {verdict::Stage::scale, "/ √head_dim", "(B, H, T, S)", "(T, S)"},
    {verdict::Stage::mask, "blocked: -inf", "(B, H, T, S)", ""},
    {verdict::Stage::softmax, "over keys", "(B, H, T, S)", "(T, S)"},
    {verdict::Stage::weigh, "weights·v", "(B, H, T, head_dim)", "(T, d_v)"},
    {verdict::Stage::merge, "heads", "(B, T, D)", ""},
    {verdict::Stage::output, "·w_o", "(B, T, D)", "(T, D)"},
}};

/// What failed tests and diagnosis say of each stage.
struct StagesSeen {
    std::array<bool, stages.size()> wrong{};
    std::size_t first_wrong = stages.size();
    bool in_heads = false;  ///< the tensors had a batch
    std::string sizes;      ///< "B = 3, H = 5, T = 7, S = 4" in the first failure that has them

    bool any() const { return first_wrong < stages.size(); }
};

StagesSeen stages_seen(const verdict::Exercise& exercise);

}  // namespace headway::report
