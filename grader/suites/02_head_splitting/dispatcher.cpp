#include "worker/dispatcher.hpp"

#include <head_splitting.hpp>

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("contiguous_strides", &ex02::contiguous_strides);
    dispatcher.add("view", &ex02::view);
    dispatcher.add("transpose", &ex02::transpose);
    dispatcher.add("contiguous", &ex02::contiguous);
    dispatcher.add("split_heads", &ex02::split_heads);
}
