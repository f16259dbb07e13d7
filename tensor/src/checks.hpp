#pragma once

#include <headway/tensor.hpp>

#include <stdexcept>
#include <string>

// What operations ask of their arguments. Every message starts with the operation that the caller wrote.
namespace headway {

/// Apart from what every element passes: see layout.cpp.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_undefined(const char* operation) {
    throw std::invalid_argument(std::string(operation) +
                                ": a tensor is undefined (a Tensor{} has no shape and no storage)");
}

inline void require_defined(const Tensor& tensor, const char* operation) {
    if (!tensor.defined()) refuse_undefined(operation);
}

inline Index checked_axis(const Layout& layout, Index axis, const char* operation) {
    try {
        return layout.normalised_axis(axis);
    } catch (const std::out_of_range& error) {
        throw std::out_of_range(std::string(operation) + ": " + error.what());
    }
}

inline Layout expanded(const Layout& layout, const Shape& wider, const char* operation) {
    try {
        return layout.expand(wider);
    } catch (const std::invalid_argument&) {
        throw std::invalid_argument(std::string(operation) + ": " + to_string(layout.shape) +
                                    " does not broadcast to " + to_string(wider));
    }
}

/// Everything that as_strided promises, for untrusted values too. `layout.offset` counts from the storage's start.
/// @throws std::invalid_argument
void require_inside(const Layout& layout, Index storage_size);

}  // namespace headway
