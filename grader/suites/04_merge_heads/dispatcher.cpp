#include "worker/dispatcher.hpp"

#include <merge_heads.hpp>

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("merge_heads", &ex04::merge_heads);
    dispatcher.add("project_output", &ex04::project_output);
    dispatcher.add("multi_head_attention", &ex04::multi_head_attention);
}
