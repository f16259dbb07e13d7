#include "worker/dispatcher.hpp"

#include <module.hpp>

namespace headway::worker {

template <>
struct Convert<ex05::AttentionOptions> {
    /// Fields that are absent keep their defaults.
    static ex05::AttentionOptions from(const wire::Value& value, Objects&) {
        const auto& record = std::get<wire::Record>(value);
        ex05::AttentionOptions options;
        if (const auto* field = record.find("embed_dim")) options.embed_dim = std::get<Index>(field->value);
        if (const auto* field = record.find("num_heads")) options.num_heads = std::get<Index>(field->value);
        if (const auto* field = record.find("head_dim")) options.head_dim = std::get<Index>(field->value);
        if (const auto* field = record.find("bias")) options.bias = std::get<bool>(field->value);
        if (const auto* field = record.find("causal")) options.causal = std::get<bool>(field->value);
        if (const auto* field = record.find("dropout"))
            options.dropout = static_cast<float>(std::get<double>(field->value));
        if (const auto* field = record.find("seed"))
            options.seed = static_cast<std::uint64_t>(std::get<Index>(field->value));
        return options;
    }
};

void add_functions(Dispatcher& dispatcher) {
    using ex05::Attention;
    dispatcher.add("make_multi_head_attention", &ex05::make_multi_head_attention);
    dispatcher.add(
        "forward", +[](Attention& attention, const Tensor& query, const Tensor& key, const Tensor& value,
                       const Mask& mask) { return attention.forward(query, key, value, mask); });
    dispatcher.add(
        "attention_weights", +[](Attention& attention, const Tensor& query, const Tensor& key, const Mask& mask) {
            return attention.attention_weights(query, key, mask);
        });
    dispatcher.add(
        "named_parameters", +[](Attention& attention) { return attention.named_parameters(); });
    dispatcher.add(
        "state_dict", +[](Attention& attention) { return attention.state_dict(); });
    dispatcher.add(
        "load_state_dict", +[](Attention& attention, const nn::StateDict& state) { attention.load_state_dict(state); });
    dispatcher.add(
        "train", +[](Attention& attention) { attention.train(); });
    dispatcher.add(
        "eval", +[](Attention& attention) { attention.eval(); });
    dispatcher.add(
        "is_training", +[](Attention& attention) { return attention.is_training(); });
}

}  // namespace headway::worker
