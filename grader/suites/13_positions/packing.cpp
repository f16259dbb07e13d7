#include "suites/13_positions/packing.hpp"
#include "suites/13_positions/in_projection.hpp"

#include "diagnosis/elements.hpp"

#include <array>
#include <string>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// As a record holds a tensor that is none.
void append(Answer& answer, const std::string& name, const Array& array) {
    if (array.value.empty())
        answer.parts.emplace_back(name + " undefined", Array{});
    else
        answer.parts.emplace_back(name, array);
}

}  // namespace

Predict packed_matrix(const Arguments& arguments) {
    const auto three = [&](const std::string& letter) {
        return std::array<Tensor, 3>{tensor(arguments, letter + "_q"), tensor(arguments, letter + "_k"),
                                     tensor(arguments, letter + "_v")};
    };
    const std::array<Tensor, 3> w = three("w"), b = three("b");
    if (w[0].rank() != 2 || w[1].rank() != 2 || w[2].shape() != w[1].shape() || w[0].size(0) != w[1].size(0))
        return nullptr;
    for (std::size_t part = 0; part < b.size(); ++part)
        if (b[part].defined() != b[0].defined() || (b[part].defined() && b[part].shape() != Shape{w[part].size(1)}))
            return nullptr;
    return [=](const Choices& c) {
        const auto read = [&](const Tensor& x) {
            return x.defined() ? c.reading.tensor(x, Argument::other) : reference::exact(x);
        };
        const PackedArrays all =
            packed(c.of<InProjection>(), {read(w[0]), read(w[1]), read(w[2])}, {read(b[0]), read(b[1]), read(b[2])});
        Answer answer;
        append(answer, "weight", all.weight);
        append(answer, "bias", all.bias);
        return answer;
    };
}

Predict unpacking(const Arguments& arguments) {
    const Tensor weight = tensor(arguments, "weight"), bias = tensor(arguments, "bias");
    const Index H = integer(arguments, "num_heads"), H_kv = integer(arguments, "num_kv_heads");
    if (H < 1 || H_kv < 1 || H % H_kv != 0 || weight.rank() != 2 || weight.size(0) % (H + 2 * H_kv) != 0)
        return nullptr;
    if (bias.defined() && bias.shape() != Shape{weight.size(0)}) return nullptr;
    return [=](const Choices& c) {
        const PackedArrays all{c.reading.tensor(weight, Argument::other),
                               bias.defined() ? c.reading.tensor(bias, Argument::other) : reference::exact(bias)};
        const UnpackedArrays parts = unpacked(c.of<InProjection>(), all, H, H_kv);
        Answer answer;
        const std::array<std::string, 3> letters{"q", "k", "v"};
        for (std::size_t i = 0; i < letters.size(); ++i) append(answer, "w_" + letters[i], parts.w[i]);
        for (std::size_t i = 0; i < letters.size(); ++i) append(answer, "b_" + letters[i], parts.b[i]);
        return answer;
    };
}

}  // namespace headway::diagnosis
