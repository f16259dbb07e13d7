#include "worker/dispatcher.hpp"

#include <small_numbers.hpp>

void headway::worker::add_functions(Dispatcher& dispatcher) { dispatcher.add("doubled", &ex12::doubled); }
