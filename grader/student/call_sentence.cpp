#include "student/call_sentence.hpp"

#include <headway/tensor.hpp>

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace headway::judge {
namespace {

std::string with_shape(const wire::Field& argument) {
    struct Show {
        std::string operator()(const Tensor& tensor) const {
            return tensor.defined() ? " " + headway::to_string(tensor.shape()) : " = none";
        }
        std::string operator()(const Mask& mask) const {
            return mask.defined() ? " " + headway::to_string(mask.shape()) : " = none";
        }
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
    return argument.name + std::visit(Show{}, argument.value);
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
