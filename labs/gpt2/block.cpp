#include "labs/gpt2/block.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <headway/not_implemented.hpp>
#include <headway/random.hpp>

#include <block.hpp>

#include <cmath>

namespace headway::lab {
namespace {

ex14::Block block_of(const Gpt2Layer& layer) {
    return {{layer.norm1_gain, layer.norm1_bias},
            {layer.norm2_gain, layer.norm2_bias},
            {layer.fc, layer.fc_bias, layer.proj, layer.proj_bias},
            {layer.attention, nullptr},
            ex14::Order::pre_norm,
            ex14::Gelu::tanh,
            static_cast<double>(layer.epsilon)};
}

Tensor through_block(const Gpt2Layer& layer, const Tensor& x) {
    return of_student("14_block", "block_forward", [&] { return ex14::block_forward(block_of(layer), x); });
}

Gpt2Layer small_layer(Random& random) {
    constexpr Index D = 4, F = 16;
    const auto vector = [&](Index size) { return random.normal({size}) + 1.0F; };
    return {vector(D),
            vector(D),
            vector(D),
            vector(D),
            random.normal({D, F}),
            vector(F),
            random.normal({F, D}),
            vector(D),
            1e-2F,
            [](const Tensor& x) { return x * x; }};
}

bool is_written(const Gpt2Layer& layer, const Tensor& x) {
    const StudentsTurn turn("14_block", "block_forward");
    try {
        ex14::block_forward(block_of(layer), x);
        return true;
    } catch (const NotImplemented&) {
        return false;
    } catch (...) {
        return true;  // what is wrong with it is told when it is used
    }
}

/// What small_layer gives is off by less than 1e-6 of its size if only roundings differ, and by 3e-4 with the other
/// formula of GELU.
constexpr float room_for_roundings = 5e-5F;

/// NaN is not close to anything.
bool close(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::abs(x.data()[i] - y.data()[i]) <= room_for_roundings * (1 + std::abs(y.data()[i])))) return false;
    return true;
}

}  // namespace

std::optional<LayerForward> layer_of_student() {
    Random random(14);
    const Gpt2Layer layer = small_layer(random);
    const Tensor x = random.normal({1, 3, 4}) * 2.0F;
    if (!is_written(layer, x)) return std::nullopt;
    if (!close(through_block(layer, x), layer_of_course(layer, x)))
        throw NotDone(
            "your block_forward (14_block) does not compute what a layer of GPT-2 is.\n./headway grade 14 may "
            "say why.");
    return &through_block;
}

}  // namespace headway::lab
