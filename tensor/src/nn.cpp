#include <headway/nn.hpp>

#include "checks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

namespace headway::nn {
namespace {

Index positive(Index size, const char* name) {
    if (size < 1)
        throw std::invalid_argument(std::string("Linear: ") + name + " must be positive, not " + std::to_string(size));
    return size;
}

std::atomic<Index> mapped_rows = 0;

/// Whether a reference was made of a null pointer, as `*q_proj_` is before make_unique. Nobody may make one, so
/// compilers take it for granted that there is none: what they read back from a volatile object they cannot know.
template <typename T>
bool is_nowhere(const T& object) {
    const T* const volatile address = &object;
    return address == nullptr;
}

std::string shape_of(const Tensor& tensor) { return tensor.defined() ? to_string(tensor.shape()) : "undefined"; }

/// What is wrong with `state` as values for `parameters`, one line each.
std::string complaints(const std::vector<NamedTensor>& parameters, const StateDict& state) {
    std::string missing, unexpected, wrong;
    std::map<std::string, Tensor> given;
    for (const auto& [name, value] : state)
        if (!given.emplace(name, value).second) unexpected += "\n  given twice: " + name;
    for (const auto& [name, parameter] : parameters) {
        const auto found = given.find(name);
        if (found == given.end()) {
            missing += "\n  missing: " + name + " " + shape_of(parameter);
            continue;
        }
        const Tensor& value = found->second;
        if (!value.defined() || value.shape() != parameter.shape())
            wrong += "\n  wrong shape: " + name + " is " + shape_of(value) + ", the module has " + shape_of(parameter);
        given.erase(found);
    }
    for (const auto& [name, value] : given) unexpected += "\n  unexpected: " + name + " " + shape_of(value);
    return missing + unexpected + wrong;
}

}  // namespace

Module::Module() = default;
Module::~Module() = default;

std::vector<NamedTensor> Module::named_parameters() const {
    std::vector<NamedTensor> all = parameters_;
    for (const auto& [name, child] : children_) {
        const std::string prefix = name + ".";
        for (const auto& [inner, parameter] : child->named_parameters()) all.emplace_back(prefix + inner, parameter);
    }
    return all;
}

std::vector<Tensor> Module::parameters() const {
    std::vector<Tensor> all;
    for (const auto& [name, parameter] : named_parameters()) all.push_back(parameter);
    return all;
}

StateDict Module::state_dict() const {
    StateDict state = named_parameters();
    for (auto& [name, parameter] : state) parameter = parameter.clone();
    return state;
}

// NOLINTNEXTLINE(readability-make-member-function-const): what it changes is shared, but it is the module's
void Module::load_state_dict(const StateDict& state) {
    std::vector<NamedTensor> parameters = named_parameters();
    const std::string problems = complaints(parameters, state);
    if (!problems.empty()) throw std::invalid_argument("load_state_dict: the state does not fit the module" + problems);

    // All values are read before the first is written: they may be views of these very parameters, in another order.
    std::map<std::string, Tensor> values;
    for (const auto& [name, value] : state) values.emplace(name, value.clone());
    for (auto& [name, parameter] : parameters) parameter.copy_from(values.at(name));
}

void Module::train() { set_training(true); }
void Module::eval() { set_training(false); }

void Module::set_training(bool training) {
    training_ = training;
    for (const auto& [name, child] : children_) child->set_training(training);
}

void Module::register_parameter(const std::string& name, const Tensor& parameter) {
    check_name(name);
    if (is_nowhere(parameter))
        throw std::invalid_argument("register_parameter(\"" + name + "\"): there is no tensor yet: make it first");
    require_defined(parameter, ("register_parameter " + name).c_str());
    parameters_.emplace_back(name, parameter);
}

void Module::register_module(const std::string& name, Module& child) {
    check_name(name);
    if (is_nowhere(child))
        throw std::invalid_argument("register_module(\"" + name + "\"): there is no module yet: make it first");
    children_.emplace_back(name, &child);
}

void Module::check_name(const std::string& name) const {
    if (name.empty()) throw std::invalid_argument("a registered name must not be empty");
    if (name.find('.') != std::string::npos)
        throw std::invalid_argument("the name " + name +
                                    " contains a dot, which separates a module from its parameters");
    const auto same_name = [&](const auto& registered) { return registered.first == name; };
    if (std::any_of(parameters_.begin(), parameters_.end(), same_name) ||
        std::any_of(children_.begin(), children_.end(), same_name))
        throw std::invalid_argument("the name " + name + " is registered already");
}

Linear::Linear(Index in_features, Index out_features, Bias bias_wanted, Random& random) {
    const float bound = 1.0F / std::sqrt(static_cast<float>(positive(in_features, "in_features")));
    weight = random.uniform({positive(out_features, "out_features"), in_features}, -bound, bound);
    register_parameter("weight", weight);
    if (bias_wanted == Bias::no) return;
    bias = random.uniform({out_features}, -bound, bound);
    register_parameter("bias", bias);
}

Linear::~Linear() = default;

Tensor Linear::forward(const Tensor& x) const {
    require_defined(x, "Linear");
    const Index in = weight.size(1);
    const Index out = weight.size(0);
    if (x.rank() < 1 || x.size(-1) != in)
        throw std::invalid_argument("Linear: " + to_string(x.shape()) + " does not end in " + std::to_string(in) +
                                    " features; the weight is " + to_string(weight.shape()) + ", stored (out, in)");
    mapped_rows += x.numel() / in;
    const Tensor transposed = weight.as_strided({in, out}, {weight.strides()[1], weight.strides()[0]});
    Tensor y = x.rank() == 1 ? matmul(x.expand({1, in}), transposed)[0] : matmul(x, transposed);
    if (bias.defined()) y += bias;
    return y;
}

Index rows_through_linear() { return mapped_rows; }

}  // namespace headway::nn
