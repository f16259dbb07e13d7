#include "labs/gpt2/sizes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace headway::lab {
namespace {

using nlohmann::json;

/// Beyond these no file that fits a computer is honest.
constexpr Index most_layers = 1000, widest = 100'000, most_tokens = 10'000'000;

/// A value for a message; what is nested may be nested without end.
std::string in_words(const json& value) {
    return value.is_primitive() ? value.dump() : "an " + std::string(value.type_name());
}

Index size_in(const json& config, const std::string& key, Index most, const std::string& name) {
    if (!config.contains(key)) throw std::runtime_error(fmt::format("{} does not say {}", name, key));
    const json& value = config.at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
        throw std::runtime_error(
            fmt::format("{}: {} is {}, not a number from 1 to {}", name, key, in_words(value), most));
    return value.get<Index>();
}

}  // namespace

Gpt2Sizes sizes_from(std::string_view text, const std::string& name) {
    const json config = json::parse(text, nullptr, false);
    if (!config.is_object()) throw std::runtime_error(name + " is not a JSON object");
    Gpt2Sizes sizes{.vocabulary = size_in(config, "vocab_size", most_tokens, name),
                    .places = size_in(config, "n_positions", most_tokens, name),
                    .D = size_in(config, "n_embd", widest, name),
                    .H = size_in(config, "n_head", widest, name),
                    .layers = size_in(config, "n_layer", most_layers, name)};
    if (sizes.D % sizes.H != 0)
        throw std::runtime_error(fmt::format("{}: n_embd {} is not divisible by n_head {}", name, sizes.D, sizes.H));
    // What else is sized like a GPT-2 may compute something else.
    for (const auto& [key, known] : {std::pair{"model_type", json("gpt2")},
                                     {"activation_function", json("gelu_new")},
                                     {"scale_attn_weights", json(true)},
                                     {"scale_attn_by_inverse_layer_idx", json(false)}})
        if (config.contains(key) && config.at(key) != known)
            throw std::runtime_error(fmt::format("{}: {} is {}; in the GPT-2 that this lab knows it is {}", name, key,
                                                 in_words(config.at(key)), known.dump()));
    if (!config.contains("layer_norm_epsilon")) return sizes;
    const json& epsilon = config.at("layer_norm_epsilon");
    if (!epsilon.is_number() || !(epsilon.get<double>() > 0 && epsilon.get<double>() < 1))
        throw std::runtime_error(fmt::format("{}: layer_norm_epsilon is {}", name, in_words(epsilon)));
    sizes.epsilon = epsilon.get<float>();
    return sizes;
}

Index attention_parameters_in(const Gpt2Sizes& sizes) {
    const Index D = sizes.D;
    return sizes.layers * (D * 3 * D + 3 * D + D * D + D);
}

Index parameters_in(const Gpt2Sizes& sizes) {
    const Index D = sizes.D, norm = 2 * D, mlp = D * 4 * D + 4 * D + 4 * D * D + D;
    return (sizes.vocabulary + sizes.places) * D + attention_parameters_in(sizes) + sizes.layers * (2 * norm + mlp) +
           norm;
}

}  // namespace headway::lab
