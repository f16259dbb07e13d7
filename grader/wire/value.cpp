#include "wire/value.hpp"

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

std::uint64_t bytes_to_unfold(const Value& value) {
    struct Measure {
        std::uint64_t operator()(const Tensor& tensor) const {
            if (!tensor.defined()) return 0;
            return static_cast<std::uint64_t>(tensor.storage_size() + tensor.numel()) * sizeof(float);
        }
        std::uint64_t operator()(const Mask& mask) const {
            return mask.defined() ? static_cast<std::uint64_t>(mask.storage_size() + mask.numel()) : 0;
        }
        std::uint64_t operator()(const Shape& list) const { return list.size() * sizeof(Index); }
        std::uint64_t operator()(const std::string& text) const { return text.size(); }
        std::uint64_t operator()(const Record& record) const {
            std::uint64_t sum = 0;
            for (const Field& field : record.fields)
                sum += sizeof(Field) + field.name.size() + bytes_to_unfold(field.value);
            return sum;
        }
        std::uint64_t operator()(std::monostate) const { return 0; }
        std::uint64_t operator()(Index) const { return sizeof(Index); }
        std::uint64_t operator()(double) const { return sizeof(double); }
        std::uint64_t operator()(bool) const { return sizeof(bool); }
        std::uint64_t operator()(Handle) const { return sizeof(Handle); }
    };
    return std::visit(Measure{}, value);
}

std::string describe(const Value& value) { return std::visit(Describe{}, value); }

}  // namespace headway::wire
