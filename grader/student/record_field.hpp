#pragma once

#include "wire/value.hpp"

#include <string>
#include <variant>

namespace headway::judge {

/// Ends the test: the worker answered with a record of another form than was asked for, which no dispatcher of ours
/// sends.
[[noreturn]] void fail_for_form(const std::string& field);

/// What an answer holds under that name. Every record that comes from a worker is read in this way, since the
/// submission can write to the judge's socket itself. Ends the test if there is no such field, or one of another kind.
template <class T>
const T& field(const wire::Record& record, const std::string& name) {
    const wire::Field* found = record.find(name);
    const T* held = found == nullptr ? nullptr : std::get_if<T>(&found->value);
    if (held == nullptr) fail_for_form(name);
    return *held;
}

template <class T>
const T& value_of(const wire::Field& field) {
    const T* held = std::get_if<T>(&field.value);
    if (held == nullptr) fail_for_form(field.name);
    return *held;
}

}  // namespace headway::judge
