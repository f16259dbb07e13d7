#include "worker/dispatcher.hpp"

#include <grouped_query.hpp>

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("repeat_heads", &ex09::repeat_heads);
    dispatcher.add("grouped_query_attention", &ex09::grouped_query_attention);
    dispatcher.add("cached_numbers", &ex09::cached_numbers);
    dispatcher.add("pool_heads", &ex09::pool_heads);
    dispatcher.add("grouped_query_self_attention", &ex09::grouped_query_self_attention);
}
