#include "diagnosis/small_sizes.hpp"

namespace headway::diagnosis {

SmallSizes small_sizes(Random& random) {
    static constexpr SmallSizes choices[] = {
        {2, 3, 4, 5, 6, 7}, {3, 2, 4, 7, 5, 6}, {2, 3, 4, 7, 5, 6}, {3, 2, 5, 6, 7, 4}, {2, 5, 4, 6, 3, 7}};
    return choices[random.integer(0, 4)];
}

}  // namespace headway::diagnosis
