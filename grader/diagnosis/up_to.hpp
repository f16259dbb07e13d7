#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace headway::diagnosis {

/// A list of at most `most` values that can be written down in a constant.
template <class T, std::size_t most>
class UpTo {
public:
    constexpr UpTo() = default;
    constexpr UpTo(std::initializer_list<T> values) : size_(values.size()) {
        std::copy(values.begin(), values.end(), values_.begin());
    }

    constexpr const T* begin() const { return values_.data(); }
    constexpr const T* end() const { return values_.data() + size_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }

private:
    std::array<T, most> values_{};
    std::size_t size_ = 0;
};

}  // namespace headway::diagnosis
