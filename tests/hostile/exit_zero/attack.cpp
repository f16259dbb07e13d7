#include <cstdlib>

void attack() { std::exit(0); }
