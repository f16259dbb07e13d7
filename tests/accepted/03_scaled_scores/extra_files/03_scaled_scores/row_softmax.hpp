#pragma once

#include <headway/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attention {

/// Softmax over those keys of one row that were admitted; the others get 0.
class RowSoftmax {
public:
    explicit RowSoftmax(headway::Index width) { admitted_.reserve(static_cast<std::size_t>(width)); }

    void clear() { admitted_.clear(); }
    void admit(headway::Index key, float score) { admitted_.emplace_back(score, key); }

    void write(headway::Tensor row) const {
        row.fill(0);
        if (admitted_.empty()) return;
        const float top = std::max_element(admitted_.begin(), admitted_.end())->first;
        float total = 0;
        for (const auto& [score, key] : admitted_) total += std::exp(score - top);
        for (const auto& [score, key] : admitted_) row(key) = std::exp(score - top) / total;
    }

private:
    std::vector<std::pair<float, headway::Index>> admitted_;
};

}  // namespace attention
