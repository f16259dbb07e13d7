#include "charts.hpp"
#include "lessons.hpp"

#include <grouped_query.hpp>

#include <array>
#include <functional>

namespace headway::lessons {
namespace {

constexpr std::array<Tone, 2> tone_of_group{Tone::blue, Tone::orange};

/// Which of two heads of keys each of six query heads is wired to: as repeat_heads has it, and tiled.
void wiring(Blocks& blocks) {
    const Tensor six = ex09::repeat_heads(Tensor::arange(2).view({1, 2, 1, 1}), 6);
    Picture picture(480, 380);
    std::string words = "Six query heads wired to two heads of keys and values, in two orders.";
    const auto draw = [&](double y, const std::string& name, const std::function<std::size_t(Index)>& head_of) {
        picture.label({16, y}, name, {.type = Type::strong});
        words += " " + name + ":";
        for (Index h = 0; h < 6; ++h) {
            const std::size_t g = head_of(h);
            const double x = 16 + 75 * static_cast<double>(h);
            picture.cell({x, y + 18, 72, 34}, tone_of_group.at(g), 1, "q " + std::to_string(h));
            picture.arrow({x + 36, y + 53}, {129 + 226 * static_cast<double>(g) + (x + 36 - 241) * 0.2, y + 110},
                          tone_of_group.at(g));
            words += (h == 0 ? " q " : ", q ") + std::to_string(h) + " uses head " + std::to_string(g);
        }
        words += ".";
        for (std::size_t g = 0; g < 2; ++g)
            picture.cell({54 + 226 * static_cast<double>(g), y + 110, 150, 36}, tone_of_group.at(g), 1,
                         "keys, values " + std::to_string(g));
    };
    draw(24, "Repeated: neighbours share, h / 3", [&](Index h) { return static_cast<std::size_t>(six(0, h, 0, 0)); });
    draw(212, "Tiled: every second one, h % 2", [](Index h) { return static_cast<std::size_t>(h % 2); });
    blocks.picture("09/wiring", picture, words);
}

/// What must be kept for one token after the other: gigabytes as bars.
void bytes(Blocks& blocks) {
    struct Model {
        std::string name;
        Index layers, H, H_kv, d;
    };
    const std::vector<Model> models{
        {"Llama 2 70B", 80, 64, 8, 128}, {"Mistral 7B", 32, 32, 8, 128}, {"Falcon 7B", 32, 71, 1, 64}};
    Picture picture(480, 296);
    picture.label({16, 24}, "Cache for 4,096 tokens, in GB", {.type = Type::strong});
    std::string words = "Bars of the cache for 4,096 tokens.";
    double y = 44;
    for (const Model& m : models) {
        const auto gigabytes = [&](Index H_kv) {
            return static_cast<double>(2 * m.layers * ex09::cached_numbers(1, 4096, m.H, H_kv, m.d)) / 1e9;
        };
        const Labels names{"own keys, " + std::to_string(m.H), "shared, " + std::to_string(m.H_kv)};
        picture.label({16, y + 12}, m.name, {.type = Type::small});
        draw_bars(picture, {16, y + 22}, {"", {names[0]}, {gigabytes(m.H)}, 10.74, 258, 116, Tone::orange, 2, 24});
        draw_bars(picture, {16, y + 46}, {"", {names[1]}, {gigabytes(m.H_kv)}, 10.74, 258, 116, Tone::blue, 2, 24});
        words += " " + m.name + ": " + fixed(gigabytes(m.H), 2) + " GB with " + std::to_string(m.H) +
                 " heads of keys, " + fixed(gigabytes(m.H_kv), 2) + " GB with " + std::to_string(m.H_kv) + ".";
        y += 82;
    }
    blocks.picture("09/bytes", picture, words);
}

void grouped_query_pictures(Blocks& blocks) {
    wiring(blocks);
    bytes(blocks);
}

const Announced announced{&grouped_query_pictures};

}  // namespace
}  // namespace headway::lessons
