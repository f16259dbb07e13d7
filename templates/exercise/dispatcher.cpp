#include "worker/dispatcher.hpp"

#include <the_name.hpp>

void headway::worker::add_functions(Dispatcher& dispatcher) { dispatcher.add("doubled", &exNN::doubled); }
