#include "worker/dispatcher.hpp"

#include <scaled_scores.hpp>

namespace headway::worker {

template <>
struct Convert<ex03::Attended> {
    static wire::Value to(ex03::Attended attended, Objects&) {
        return wire::Record{{{"context", std::move(attended.context)}, {"weights", std::move(attended.weights)}}};
    }
};

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add("attention_scores", &ex03::attention_scores);
    dispatcher.add("causal_mask", &ex03::causal_mask);
    dispatcher.add("padding_mask", &ex03::padding_mask);
    dispatcher.add("masked_softmax", &ex03::masked_softmax);
    dispatcher.add("scaled_dot_product_attention", &ex03::scaled_dot_product_attention);
}

}  // namespace headway::worker
