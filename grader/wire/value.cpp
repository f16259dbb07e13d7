#include "value.hpp"

namespace headway::wire {

const Field* Record::find(const std::string& name) const {
    for (const Field& field : fields)
        if (field.name == name) return &field;
    return nullptr;
}

namespace {

struct Describe {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(const Tensor& tensor) const {
        return tensor.defined() ? "a tensor " + to_string(tensor.shape()) : "an undefined tensor";
    }
    std::string operator()(const Mask& mask) const {
        return mask.defined() ? "a mask " + to_string(mask.shape()) : "no mask";
    }
    std::string operator()(Index) const { return "an integer"; }
    std::string operator()(const Shape&) const { return "a list of integers"; }
    std::string operator()(double) const { return "a number"; }
    std::string operator()(bool) const { return "a flag"; }
    std::string operator()(const std::string&) const { return "a text"; }
    std::string operator()(Handle) const { return "an object"; }
    std::string operator()(const Record&) const { return "a record"; }
};

}  // namespace

std::string describe(const Value& value) { return std::visit(Describe{}, value); }

}  // namespace headway::wire
