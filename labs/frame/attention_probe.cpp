#include "labs/frame/attention_probe.hpp"

#include "labs/frame/program.hpp"

#include <fmt/format.h>

#include <module.hpp>

namespace headway::lab {
namespace {

/// The eight parameters, whose names and shapes checkpoints and gradients go by.
void require_parameters(const ex05::Attention& attention, Index D) {
    const nn::StateDict state = attention.state_dict();
    std::size_t found = 0;
    for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"})
        for (const auto& [kind, shape] : {std::pair{"weight", Shape{D, D}}, {"bias", Shape{D}}}) {
            const std::string due = fmt::format("{}.{}", projection, kind);
            for (const auto& [name, tensor] : state) {
                if (name != due) continue;
                require_shape(name, tensor, shape);
                ++found;
            }
        }
    if (found != 8 || state.size() != 8)
        throw std::runtime_error("its parameters should be the weight and bias of q_proj, k_proj, v_proj and out_proj");
}

}  // namespace

void require_attention(const std::string& lab) {
    try_exercise("05_module", lab, [] {
        const auto attention = ex05::make_multi_head_attention({.embed_dim = 4, .num_heads = 2, .causal = true});
        if (!attention) throw std::runtime_error("make_multi_head_attention gives nothing");
        require_parameters(*attention, 4);
        attention->load_state_dict(attention->state_dict());
        const Tensor x = Tensor::ones({1, 3, 4});
        require_shape("forward", attention->forward(x, x, x, {}), {1, 3, 4});
        require_shape("attention_weights", attention->attention_weights(x, x, {}), {1, 2, 3, 3});
    });
}

}  // namespace headway::lab
