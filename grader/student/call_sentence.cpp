#include "student/call_sentence.hpp"

#include <headway/tensor.hpp>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace headway::judge {
namespace {

/// " (3, 5)"; of what does not fill a storage of its own row by row: " (3, 5: a view)".
template <typename Numbers>
std::string shape_of(const Numbers& numbers, bool is_said_in_the_name) {
    if (!numbers.defined()) return " = none";
    std::string text = " " + headway::to_string(numbers.shape());
    const bool is_view = !numbers.layout().is_contiguous() || numbers.layout().offset != 0;
    if (is_view && !is_said_in_the_name) text.insert(text.size() - 1, ": a view");
    return text;
}

std::string with_shape(const wire::Field& argument) {
    struct Show {
        bool is_said = false;
        std::string operator()(const Tensor& tensor) const { return shape_of(tensor, is_said); }
        std::string operator()(const Mask& mask) const { return shape_of(mask, is_said); }
        std::string operator()(Index value) const { return " = " + std::to_string(value); }
        std::string operator()(const Shape& value) const { return " = " + headway::to_string(value); }
        std::string operator()(double value) const {
            std::string text = std::to_string(value);
            text.erase(text.find_last_not_of('0') + 1);
            return " = " + text + (text.ends_with('.') ? "0" : "");
        }
        std::string operator()(bool value) const { return value ? " = true" : " = false"; }
        std::string operator()(const std::string& value) const { return " = " + value; }
        std::string operator()(const wire::Record& record) const {
            std::string text = " {";
            for (const wire::Field& field : record.fields)
                text += (text.size() > 2 ? ", " : "") + field.name + std::visit(Show{}, field.value);
            return text + "}";
        }
        std::string operator()(wire::Handle) const { return ""; }
        std::string operator()(std::monostate) const { return ""; }
    };
    const bool says_more = argument.name.find('(') != std::string::npos;  // "x (a transposed view)"
    const bool is_list = argument.name.ends_with("codes");                // a std::vector in 12, however they travel
    return argument.name + std::visit(Show{says_more || is_list}, argument.value);
}

/// Of a call's sentence: a record that came from the student may hold texts without end.
constexpr std::size_t longest_sentence = 1000;

}  // namespace

std::string sentence(const std::string& function, const std::vector<wire::Field>& arguments) {
    std::string text = function + "(";
    for (const wire::Field& argument : arguments) {
        if (&argument != arguments.data()) text += ", ";
        text += with_shape(argument);
        if (text.size() > longest_sentence) {
            text.resize(longest_sentence);
            break;
        }
    }
    return text + ")";
}

}  // namespace headway::judge
