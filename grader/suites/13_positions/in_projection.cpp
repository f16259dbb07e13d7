#include "suites/13_positions/in_projection.hpp"

#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"

namespace headway::diagnosis {
namespace {

InProjection::Place queries_keys_values(Index row, Index E, Index E_kv) {
    if (row < E) return {0, row};
    return row < E + E_kv ? InProjection::Place{1, row - E} : InProjection::Place{2, row - E - E_kv};
}

Index behind_each_other(int part, Index c, const InProjection::Layer& layer) {
    return (part == 0 ? 0 : part == 1 ? layer.E() : layer.E() + layer.E_kv()) + c;
}

bool is_there(const Array& bias) { return !bias.value.empty(); }

}  // namespace

const InProjection& InProjection::right() {
    static const InProjection all{.weight = &queries_keys_values,
                                  .bias = &queries_keys_values,
                                  .source = &behind_each_other,
                                  .bias_source = &behind_each_other};
    return all;
}

PackedArrays packed(const InProjection& choices, const std::array<Array, 3>& w, const std::array<Array, 3>& b) {
    const Index D = w[0].size(0), E = w[0].size(1), E_kv = w[1].size(1), rows = E + 2 * E_kv;
    PackedArrays all{zeros({rows, D}), zeros({0})};
    each(all.weight.shape, [&](Coordinate at, std::size_t i) {
        const InProjection::Place place = choices.weight(at[0], E, E_kv);
        const Array& from = w.at(static_cast<std::size_t>(place.part));
        const Index source[] = {at[1], place.column};
        all.weight.value[i] = choices.packs_viewed ? from.value.at(static_cast<std::size_t>(place.column * D + at[1]))
                                                   : from.value.at(position(from.shape, source));
    });
    if (choices.packs_columns) all.weight = reference::transpose(all.weight, 0, 1);
    if (choices.packs_joined_viewed)
        all.weight = reference::reshape(reference::transpose(all.weight, 0, 1), all.weight.shape);
    if (!is_there(b[0])) return all;
    all.bias = zeros({rows});
    each(all.bias.shape, [&](Coordinate at, std::size_t i) {
        const InProjection::Place place = choices.bias(at[0], E, E_kv);
        all.bias.value[i] = b.at(static_cast<std::size_t>(place.part)).value.at(static_cast<std::size_t>(place.column));
    });
    return all;
}

UnpackedArrays unpacked(const InProjection& choices, const PackedArrays& all, Index H, Index H_kv) {
    const Index rows = all.weight.size(0), D = all.weight.size(1);
    const InProjection::Layer layer{H, H_kv, rows / (H + 2 * H_kv)};
    if (choices.equal_thirds && rows % 3 != 0) throw Unpredictable{};
    using Viewed = InProjection::Viewed;
    Array weight = all.weight;
    if (choices.unpacks_viewed == Viewed::all)
        weight = reference::transpose(reference::reshape(weight, {D, rows}), 0, 1);
    UnpackedArrays parts;
    for (int part = 0; part < 3; ++part) {
        const Index width = choices.equal_thirds ? rows / 3 : part == 0 ? layer.E() : layer.E_kv();
        const auto row = [&](Index c, InProjection::Source source) {
            return choices.equal_thirds ? part * width + c : source(part, c, layer);
        };
        Array& w = parts.w[static_cast<std::size_t>(part)];
        w = gathered(weight, {D, width}, [&](Coordinate at) {
            const Index from[] = {row(at[1], choices.source), at[0]};
            return position(weight.shape, from);
        });
        if (choices.unpacks_viewed == Viewed::each_part)
            w = reference::reshape(reference::transpose(w, 0, 1), {D, width});
        if (choices.leaves_rows) w = reference::transpose(w, 0, 1);
        Array& b = parts.b[static_cast<std::size_t>(part)];
        b = zeros({0});
        if (!is_there(all.bias)) continue;
        b = gathered(all.bias, {width},
                     [&](Coordinate at) { return static_cast<std::size_t>(row(at[0], choices.bias_source)); });
    }
    return parts;
}

}  // namespace headway::diagnosis
