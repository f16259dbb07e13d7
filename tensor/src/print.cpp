#include <headway/tensor.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <ostream>

namespace headway {
namespace {

constexpr Index longest_axis_shown_whole = 8;
constexpr Index shown_at_each_end = 3;

std::string four_digits(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", static_cast<double>(value));
    return text;
}

/// Nested brackets around the elements of a layout; `element` turns a position, counted from the first, into text.
class Brackets {
public:
    Brackets(const Layout& layout, std::function<std::string(Index)> element)
        : layout_(layout), element_(std::move(element)) {}

    std::string text() {
        if (layout_.rank() == 0) return element_(0);
        // Once to learn how wide the columns are, once to write them.
        append_axis(0, 0);
        text_.clear();
        append_axis(0, 0);
        return text_;
    }

private:
    void append_axis(std::size_t axis, Index position) {
        const Index size = layout_.shape[axis];
        text_ += '[';
        for (Index i = 0; i < size; ++i) {
            if (i > 0) append_separator(axis);
            if (size > longest_axis_shown_whole && i == shown_at_each_end) {
                text_ += "...";
                append_separator(axis);
                i = size - shown_at_each_end;
            }
            const Index at = position + i * layout_.strides[axis];
            if (axis + 1 < layout_.shape.size())
                append_axis(axis + 1, at);
            else
                append_element(at);
        }
        text_ += ']';
    }

    void append_separator(std::size_t axis) {
        const std::size_t inner_axes = layout_.shape.size() - 1 - axis;
        if (inner_axes == 0) {
            text_ += ", ";
            return;
        }
        text_ += ',';
        text_.append(inner_axes, '\n');
        text_.append(axis + 1, ' ');
    }

    void append_element(Index position) {
        const std::string element = element_(position);
        width_ = std::max(width_, element.size());
        text_.append(width_ - element.size(), ' ');
        text_ += element;
    }

    const Layout& layout_;
    std::function<std::string(Index)> element_;
    std::size_t width_ = 0;
    std::string text_;
};

}  // namespace

std::string to_string(const Tensor& tensor) {
    if (!tensor.defined()) return "undefined";
    if (tensor.numel() == 0) return "[] of shape " + to_string(tensor.shape());
    return Brackets(tensor.layout(), [&](Index position) { return four_digits(tensor.data()[position]); }).text();
}

std::string to_string(const Mask& mask) {
    if (!mask.defined()) return "undefined";
    if (mask.numel() == 0) return "[] of shape " + to_string(mask.shape());
    return Brackets(mask.layout(), [&](Index position) { return mask.data()[position] ? "1" : "0"; }).text();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << to_string(tensor); }

}  // namespace headway
