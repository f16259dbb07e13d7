// Exercise 05: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

#include <algorithm>
#include <cstddef>

namespace headway::ex05 {

using judge::asked;
using judge::asked_for;
using judge::value_of;

namespace {

wire::Record sent(const AttentionOptions& options) {
    wire::Record record{{{"embed_dim", options.embed_dim},
                         {"num_heads", options.num_heads},
                         {"bias", options.bias},
                         {"causal", options.causal}}};
    if (options.head_dim) record.fields.push_back({"head_dim", *options.head_dim});
    if (options.dropout != 0) record.fields.push_back({"dropout", static_cast<double>(options.dropout)});
    record.fields.push_back({"seed", static_cast<Index>(options.seed)});
    return record;
}

/// A worker may answer with any name, and Registered goes one module deeper with each dot.
void require_usable(const std::string& name) {
    constexpr std::size_t longest = 200;
    constexpr std::ptrdiff_t most_dots = 8;
    if (name.size() <= longest && std::ranges::count(name, '.') <= most_dots) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.message = "there is a parameter that should not be: " + name.substr(0, longest);
    judge::fail(std::move(failure));
}

/// Registers parameters under names with dots, as children.
class Registered : public nn::Module {
public:
    void add(const std::string& name, const Tensor& parameter) {
        const std::size_t dot = name.find('.');
        if (dot == std::string::npos) return register_parameter(name, parameter);
        const std::string first = name.substr(0, dot);
        for (const auto& [known, child] : children_)
            if (known == first) return child->add(name.substr(dot + 1), parameter);
        children_.emplace_back(first, std::make_unique<Registered>());
        children_.back().second->add(name.substr(dot + 1), parameter);
    }
    /// Once all are added.
    void join(const std::function<void(const std::string&, Module&)>& to) {
        for (const auto& [name, child] : children_) {
            child->join(
                [&child = *child](const std::string& of, Module& module) { child.register_module(of, module); });
            to(name, *child);
        }
    }

private:
    std::vector<std::pair<std::string, std::unique_ptr<Registered>>> children_;
};

/// The submission's object: parameters and mode are kept here, and sent before each question.
class AskedAttention : public Attention {
public:
    explicit AskedAttention(const AttentionOptions& options)
        : there_(asked_for<wire::Handle>("make_multi_head_attention", {{"options", sent(options)}})) {
        for (const wire::Field& parameter :
             asked_for<wire::Record>("named_parameters", {{"attention", there_}}).fields) {
            require_usable(parameter.name);
            const auto& value = value_of<Tensor>(parameter);
            if (parameter.name.find('.') == std::string::npos)
                register_parameter(parameter.name, value);
            else
                parts_.add(parameter.name, value);
        }
        parts_.join([this](const std::string& name, Module& module) { register_module(name, module); });
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        send_state();
        return asked_for<Tensor>(
            "forward", {{"attention", there_}, {"query", query}, {"key", key}, {"value", value}, {"mask", mask}});
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        send_state();
        return asked_for<Tensor>("attention_weights",
                                 {{"attention", there_}, {"query", query}, {"key", key}, {"mask", mask}});
    }

private:
    void send_state() {
        wire::Record state;
        for (const auto& [name, parameter] : state_dict()) state.fields.push_back({name, parameter});
        asked("load_state_dict", {{"attention", there_}, {"state", state}});
        if (is_training() == was_training_) return;
        asked(is_training() ? "train" : "eval", {{"attention", there_}});
        was_training_ = is_training();
    }

    wire::Handle there_;
    Registered parts_;
    bool was_training_ = true;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    return std::make_unique<AskedAttention>(options);
}

}  // namespace headway::ex05
