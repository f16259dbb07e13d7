// The two functions that the page calls. The text that they return is theirs until the next call.
#include "as_json.hpp"

#include <emscripten.h>

namespace {
std::string answered;
}

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* headway_catalogue() {
    answered = headway::explorer::catalogue();
    return answered.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* headway_answer(const char* question) {
    answered = headway::explorer::answer(question);
    return answered.c_str();
}
}
