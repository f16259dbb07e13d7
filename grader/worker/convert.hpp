#pragma once

#include "wire/value.hpp"
#include "worker/objects.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headway::worker {

/// How a C++ parameter or result travels. A dispatcher specialises it for the structs of its exercise.
template <class T>
struct Convert {
    static T from(const wire::Value& value, Objects& objects) {
        if (const auto* handle = std::get_if<wire::Handle>(&value))
            return from(objects.get<wire::Value>(*handle), objects);
        if (const T* held = std::get_if<T>(&value)) return *held;
        throw std::logic_error("worker: the judge sent " + wire::describe(value));
    }
    static wire::Value to(T value, Objects&) { return wire::Value(std::move(value)); }
};

/// Any value, as sent.
template <>
struct Convert<wire::Value> {
    static wire::Value from(const wire::Value& value, Objects&) { return value; }
    static wire::Value to(wire::Value value, Objects&) { return value; }
};

template <>
struct Convert<wire::Handle> {
    static wire::Handle from(const wire::Value& value, Objects&) { return std::get<wire::Handle>(value); }
    static wire::Value to(wire::Handle value, Objects&) { return value; }
};

/// Names and tensors: a state dict.
template <>
struct Convert<std::vector<std::pair<std::string, Tensor>>> {
    using Named = std::vector<std::pair<std::string, Tensor>>;

    static Named from(const wire::Value& value, Objects&) {
        Named named;
        for (const wire::Field& field : std::get<wire::Record>(value).fields)
            named.emplace_back(field.name, std::get<Tensor>(field.value));
        return named;
    }
    static wire::Value to(const Named& named, Objects&) {
        wire::Record record;
        for (const auto& [name, tensor] : named) record.fields.push_back({name, tensor});
        return record;
    }
};

/// An object is handed out as a handle ...
template <class T>
struct Convert<std::unique_ptr<T>> {
    static wire::Value to(std::unique_ptr<T> object, Objects& objects) {
        if (object == nullptr) return std::monostate{};
        return objects.keep(std::shared_ptr<T>(std::move(object)));
    }
};

/// ... and taken by reference.
template <class T>
requires std::is_abstract_v<T>
struct Convert<T> {
    static T& from(const wire::Value& value, Objects& objects) {
        return *objects.get<std::shared_ptr<T>>(std::get<wire::Handle>(value));
    }
};

}  // namespace headway::worker
