#include "diagnosis/chapters.hpp"

namespace headway::diagnosis {

std::vector<Chapter> chapters::all() {
    return {
        checking(),
        memory(),
        gradients_of_modules(),
        scale(),
        softmax(),
        after_softmax(),
        mask_reading(),
        mask_blocking(),
        causal_and_padding(),
        scoring(),
        weighing(),
        projecting(),
        heads(),
        output(),
        moving_heads(),
        moving_views(),
        moving_axes(),
        module(),
        module_calls(),
        dropout(),
        gradients(),
        gradients_of_linear(),
        caching(),
        decoding(),
        grouping(),
        pooling(),
        running_softmax(),
        tiling(),
        equivalents(),
    };
}

}  // namespace headway::diagnosis
