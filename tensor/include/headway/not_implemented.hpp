#pragma once

#include <stdexcept>

namespace headway {

/// What an untouched stub throws: the grader then says "not started" instead of "failed".
struct NotImplemented : std::logic_error {
    explicit NotImplemented(const char* function) : std::logic_error(function) {}
};

}  // namespace headway
