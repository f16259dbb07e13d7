#include "diagnosis/chapters.hpp"

#include <algorithm>
#include <iterator>

namespace headway::diagnosis {

std::vector<Chapter> chapters::all() {
    std::vector<Chapter> all{checking(), memory()};
    const auto is_first = [](const Chapter& chapter) { return chapter.before_the_model; };
    const std::vector<Chapter> more = of_exercises();
    std::ranges::copy_if(more, std::back_inserter(all), is_first);
    for (const auto& chapter : {&scale,         &softmax,      &softmax_in_double, &rescaling,
                                &after_softmax, &mask_reading, &mask_blocking,     &causal_and_padding,
                                &scoring,       &weighing,     &returned_weights,  &projecting,
                                &biases,        &splitting,    &merging,           &output,
                                &in_part,       &moving_heads, &moving_views,      &moving_axes,
                                &copying,       &what_is_read})
        all.push_back(chapter());
    std::ranges::remove_copy_if(more, std::back_inserter(all), is_first);
    all.push_back(equivalents());
    return all;
}

}  // namespace headway::diagnosis
