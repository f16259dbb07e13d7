// Of the catalogue, what the explorer can show: the rest is not compiled for the browser.
#include "diagnosis/chapters.hpp"

namespace headway::diagnosis {

std::vector<Chapter> chapters::all() {
    return {scale(),    softmax(),    after_softmax(), mask_reading(), mask_blocking(), causal_and_padding(), scoring(),
            weighing(), projecting(), splitting(),     merging(),      output(),        equivalents()};
}

}  // namespace headway::diagnosis
