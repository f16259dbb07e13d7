#include "closeness.hpp"

#include <cmath>

namespace headway::beside_pytorch {

testing::AssertionResult close(const Tensor& ours, const Tensor& pytorchs) {
    if (ours.shape() != pytorchs.shape())
        return testing::AssertionFailure()
               << "ours is " << to_string(ours.shape()) << ", PyTorch's " << to_string(pytorchs.shape());
    const Tensor mine = ours.contiguous(), theirs = pytorchs.contiguous();
    Index worst = -1;
    float farthest = tolerance;
    for (Index i = 0; i < mine.numel(); ++i) {
        const float distance = std::abs(mine.data()[i] - theirs.data()[i]);
        if (distance <= farthest) continue;  // never true of NaN
        worst = i;
        farthest = distance;
        if (std::isnan(distance)) break;
    }
    if (worst < 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "element " << worst << " of " << to_string(ours.shape()) << ": ours "
                                       << mine.data()[worst] << ", PyTorch's " << theirs.data()[worst];
}

}  // namespace headway::beside_pytorch
