#include "suites/06_catch_the_bug/wire_form.hpp"

#include <stdexcept>
#include <string>

namespace headway::wire_form {
namespace {

template <class T>
T read(const wire::Value& value, const std::string& name) {
    const auto* record = std::get_if<wire::Record>(&value);
    const wire::Field* field = record != nullptr ? record->find(name) : nullptr;
    const T* held = field != nullptr ? std::get_if<T>(&field->value) : nullptr;
    if (held == nullptr) throw std::invalid_argument("attention: no " + name);
    return *held;
}

}  // namespace

wire::Record to_record(const ex06::Inputs& in) {
    return {{{"query", in.query},
             {"key", in.key},
             {"value", in.value},
             {"w_q", in.w_q},
             {"w_k", in.w_k},
             {"w_v", in.w_v},
             {"b_q", in.b_q},
             {"b_k", in.b_k},
             {"b_v", in.b_v},
             {"w_o", in.w_o},
             {"b_o", in.b_o},
             {"num_heads", in.num_heads},
             {"mask", in.mask},
             {"causal", in.causal}}};
}

ex06::Inputs inputs_from(const wire::Value& value) {
    ex06::Inputs in;
    in.query = read<Tensor>(value, "query");
    in.key = read<Tensor>(value, "key");
    in.value = read<Tensor>(value, "value");
    in.w_q = read<Tensor>(value, "w_q");
    in.w_k = read<Tensor>(value, "w_k");
    in.w_v = read<Tensor>(value, "w_v");
    in.b_q = read<Tensor>(value, "b_q");
    in.b_k = read<Tensor>(value, "b_k");
    in.b_v = read<Tensor>(value, "b_v");
    in.w_o = read<Tensor>(value, "w_o");
    in.b_o = read<Tensor>(value, "b_o");
    in.num_heads = read<Index>(value, "num_heads");
    in.mask = read<Mask>(value, "mask");
    in.causal = read<bool>(value, "causal");
    return in;
}

wire::Record to_record(const ex06::Attended& attended) {
    return {{{"output", attended.output}, {"weights", attended.weights}}};
}

ex06::Attended attended_from(const wire::Value& value) {
    return {read<Tensor>(value, "output"), read<Tensor>(value, "weights")};
}

}  // namespace headway::wire_form
