#include "worker/dispatcher.hpp"

#include <positions.hpp>

namespace headway::worker {

template <>
struct Convert<ex13::Decoded> {
    static wire::Value to(ex13::Decoded decoded, Objects&) {
        return wire::Record{{{"context", decoded.context}, {"cache_k", decoded.cache.k}, {"cache_v", decoded.cache.v}}};
    }
};

template <>
struct Convert<ex13::Packed> {
    static wire::Value to(ex13::Packed packed, Objects&) {
        return wire::Record{{{"weight", packed.weight}, {"bias", packed.bias}}};
    }
};

template <>
struct Convert<ex13::Projections> {
    static wire::Value to(ex13::Projections parts, Objects&) {
        return wire::Record{{{"w_q", parts.w_q},
                             {"w_k", parts.w_k},
                             {"w_v", parts.w_v},
                             {"b_q", parts.b_q},
                             {"b_k", parts.b_k},
                             {"b_v", parts.b_v}}};
    }
};

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add("token_positions", &ex13::token_positions);
    dispatcher.add("rotation_angles", &ex13::rotation_angles);
    dispatcher.add("rotate_pairs", &ex13::rotate_pairs);
    dispatcher.add("rotate_halves", &ex13::rotate_halves);
    dispatcher.add("pairs_to_halves", &ex13::pairs_to_halves);
    dispatcher.add("halves_to_pairs", &ex13::halves_to_pairs);
    dispatcher.add("rotary_attention", &ex13::rotary_attention);
    // Tensors travel by themselves, so that each can be another view.
    dispatcher.add(
        "decode", +[](const Tensor& cached_k, const Tensor& cached_v, const Tensor& q, const Tensor& k, const Tensor& v,
                      const Shape& padding, double base) {
            return ex13::decode({cached_k, cached_v}, q, k, v, padding, base);
        });
    // The course's own: what decode gives for the same tokens twice over, and whether it stays so when the cache
    // between them is continued once more, with others.
    dispatcher.add(
        "decode_twice",
        +[](const Tensor& q, const Tensor& k, const Tensor& v, const Shape& padding, double base, bool once_more) {
            const ex13::Decoded first = ex13::decode({}, q, k, v, padding, base);
            ex13::Decoded second = ex13::decode(first.cache, q, k, v, padding, base);
            if (once_more) ex13::decode(first.cache, q, k * -1.0F, v * -1.0F, padding, base);
            return second;
        });
    dispatcher.add("pack_in_projection", &ex13::pack_in_projection);
    dispatcher.add(
        "unpack_in_projection", +[](const Tensor& weight, const Tensor& bias, Index num_heads, Index num_kv_heads) {
            return ex13::unpack_in_projection({weight, bias}, num_heads, num_kv_heads);
        });
}

}  // namespace headway::worker
