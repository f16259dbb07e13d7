#pragma once

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace headway::wire {

/// A value that stays in the worker: a tensor to look at again, or an object.
struct Handle {
    std::uint64_t id = 0;
    bool operator==(const Handle&) const = default;
};

struct Field;

/// Named values: options, a state dict, a struct of results.
struct Record {
    std::vector<Field> fields;

    /// nullptr if there is no such field.
    const Field* find(const std::string& name) const;
};

/// Anything a student's function takes or returns. A Tensor travels with its shape, strides, offset and storage, so
/// that the judge sees what kind of view came back.
using Value = std::variant<std::monostate, Tensor, Mask, Index, Shape, double, bool, std::string, Handle, Record>;

struct Field {
    std::string name;
    Value value;
};

/// What a value takes as it came, and once more with every element written out: a stride of 0 makes billions of one.
std::uint64_t bytes_to_unfold(const Value& value);

/// "a tensor (2, 3)", "a number", ... for messages.
std::string describe(const Value& value);

}  // namespace headway::wire
