#include "mistakes.hpp"
#include "worker/dispatcher.hpp"

#include <single_head.hpp>

#include <cstdlib>

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("softmax_rows", &ex01::softmax_rows);
    dispatcher.add("attention_weights", &ex01::attention_weights);
    dispatcher.add("single_head_attention", &ex01::single_head_attention);
    dispatcher.add("with_residual", &ex01::with_residual);
    // Every process makes the same mistakes, however often the judge starts it anew.
    if (const char* chosen = std::getenv("HEADWAY_MISTAKES")) combinations::choose_listed(chosen);
}
