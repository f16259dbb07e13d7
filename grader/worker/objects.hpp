#pragma once

#include "wire/value.hpp"

#include <any>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

namespace headway::worker {

/// What stays in the worker between calls, by handle: kept tensors, objects of exercise 05.
class Objects {
public:
    wire::Handle keep(std::any object) {
        objects_.emplace(++last_, std::move(object));
        return {last_};
    }

    /// @throws std::logic_error if there is no such object, or it is of another type
    template <class T>
    T& get(wire::Handle handle) {
        const auto found = objects_.find(handle.id);
        T* object = found == objects_.end() ? nullptr : std::any_cast<T>(&found->second);
        if (object == nullptr) throw std::logic_error("worker: no such object");
        return *object;
    }

    void forget(wire::Handle handle) { objects_.erase(handle.id); }

private:
    std::map<std::uint64_t, std::any> objects_;
    std::uint64_t last_ = 0;
};

}  // namespace headway::worker
