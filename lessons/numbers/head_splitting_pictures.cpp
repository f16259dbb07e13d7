#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <head_splitting.hpp>

namespace headway::lessons {
namespace {

constexpr Tone tone_of_head[] = {Tone::blue, Tone::orange, Tone::green, Tone::purple};

/// One line of memory, its heads in colours, and each axis of the split as a jump along it.
void line_of_memory(Blocks& blocks) {
    constexpr Index T = 3, D = 6, H = 2, d = 3;
    constexpr double side = 25;
    constexpr Point begin{15, 152};
    const Tensor x = Tensor::arange(T * D).view({1, T, D});
    const Tensor heads = ex02::split_heads(x, H);  // (1, H, T, d)
    Picture picture(480, 306);
    picture.label({15, 24}, "One line of memory, three jumps", {.type = Type::strong});
    const auto middle = [&](Index position) { return begin.x + (static_cast<double>(position) + 0.5) * side; };
    for (Index h = 0; h < H; ++h)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d; ++i) {
                const auto position = static_cast<Index>(heads(0, h, t, i));
                picture.cell({begin.x + static_cast<double>(position) * side, begin.y, side, 34}, tone_of_head[h], 1,
                             std::to_string(10 * t + d * h + i));
            }
    for (Index t = 0; t < T; ++t) {
        const double left = middle(t * D) - side / 2;
        picture.line({left + 2, 196}, {left + side * D - 2, 196}, Tone::ink);
        picture.label({left + side * D / 2, 210}, "token " + std::to_string(t),
                      {Tone::ink, Anchor::middle, Type::small});
    }
    const Strides strides = heads.strides();  // of B, H, T, d
    picture.arc({middle(0), begin.y - 3}, {middle(strides[2]), begin.y - 3}, 76, Tone::green);
    picture.label({middle(strides[2] / 2), 66}, "next token: " + std::to_string(strides[2]),
                  {Tone::green, Anchor::middle, Type::strong});
    picture.arc({middle(0), begin.y - 3}, {middle(strides[1]), begin.y - 3}, 32, Tone::purple);
    picture.label({middle(strides[2]) + 10, 128}, "next head: " + std::to_string(strides[1]),
                  {Tone::purple, Anchor::start, Type::strong});
    const Index last = T * D - 2;
    picture.arc({middle(last), begin.y - 3}, {middle(last + strides[3]), begin.y - 3}, 22, Tone::ink);
    picture.label({middle(last + strides[3]) + 6, 118}, "next feature: " + std::to_string(strides[3]),
                  {Tone::ink, Anchor::end, Type::strong});
    for (Index h = 0; h < H; ++h) {
        const double y = 240 + 32 * static_cast<double>(h);
        std::string numbers;
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d; ++i)
                numbers += (t > 0 && i == 0 ? "   |   " : i > 0 ? "  " : "") + std::to_string(10 * t + d * h + i);
        picture.cell({15, y, 70, 26}, tone_of_head[h], 1, "head " + std::to_string(h));
        picture.label({100, y + 13}, numbers);
    }
    blocks.picture(
        "02/line", picture,
        "Eighteen numbers in one line of memory, six for each of three tokens: in each token the first three "
        "belong to head 0, the other three to head 1. From one feature to the next it is a jump of " +
            std::to_string(strides[3]) + ", from one head to the next of " + std::to_string(strides[1]) +
            ", from one token to the next of " + std::to_string(strides[2]) + ".");
}

/// A row of 512 features: mixed by a full matrix, then cut into 8.
void mixed_then_cut(Blocks& blocks) {
    constexpr Index D = 512, H = 8;
    const Shape shape = ex02::split_heads(Tensor::zeros({1, 1, D}), H).shape();  // (1, H, 1, d)
    const Index d = shape[3];
    constexpr double left = 20, width = 440;
    const double part = width / H;
    Picture picture(480, 280);
    picture.label({left, 24}, "x of one token: " + std::to_string(D) + " features", {.type = Type::strong});
    picture.bar({left, 42, width, 34}, Tone::ink);
    picture.label({left + width / 2, 59}, "all of it", {.anchor = Anchor::middle});
    const auto middle = [&](Index h) { return left + part * (static_cast<double>(h) + 0.5); };
    for (Index h = 0; h < H; ++h)
        for (Index from = 0; from < H; ++from) picture.line({middle(from), 78}, {middle(h), 168}, Tone::faint);
    for (Index from = 0; from < H; ++from) picture.line({middle(from), 78}, {middle(2), 168}, Tone::green);
    picture.bar({left + width / 2 - 112, 108, 224, 28}, Tone::faint);
    picture.label({left + width / 2, 122}, "· w_q  (" + std::to_string(D) + ", " + std::to_string(D) + ")",
                  {.anchor = Anchor::middle, .type = Type::strong});
    for (Index h = 0; h < H; ++h)
        picture.cell({left + part * static_cast<double>(h), 170, part, 40}, tone_of_head[h % 4], 1, std::to_string(d));
    for (Index h = 0; h < H; ++h)
        picture.label({middle(h), 224}, "head " + std::to_string(h), {Tone::ink, Anchor::middle, Type::small});
    picture.label({left, 256}, "q: first mixed, then cut into " + std::to_string(H) + ". Head 2 has read all of x.",
                  {.type = Type::small});
    blocks.picture("02/mixed", picture,
                   "A row of " + std::to_string(D) + " features is multiplied with a full matrix, so each of the " +
                       std::to_string(D) + " new features reads all old ones. Only then is it cut into " +
                       std::to_string(H) + " heads of " + std::to_string(d) + " features.");
}

/// Three ways to the same shape, each number in the colour of the head that it belongs to.
void orders(Blocks& blocks) {
    constexpr Index T = 3, D = 6, H = 2, d = 3;
    constexpr double side = 36;
    const Tensor x = Tensor::arange(T * D).view({1, T, D});
    Picture picture(480, 466);
    std::string words = "Three ways to two heads of three tokens.";
    double top = 24;
    const auto draw = [&](const std::string& name, const Tensor& heads) {
        Index in_place = 0;
        picture.label({16, top}, name, {.type = Type::strong});
        for (Index h = 0; h < H; ++h) {
            const double left = 84 + 200 * static_cast<double>(h);
            picture.label({left - 12, top + 20 + 1.5 * side}, "head " + std::to_string(h),
                          {Tone::ink, Anchor::end, Type::small});
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d; ++i) {
                    const auto position = static_cast<Index>(heads(0, h, t, i));
                    const Index token = position / D, feature = position % D;
                    in_place += token == t && feature == h * d + i ? 1 : 0;
                    picture.cell(
                        {left + side * static_cast<double>(i), top + 20 + side * static_cast<double>(t), side, side},
                        tone_of_head[feature / d], 1, std::to_string(10 * token + feature));
                }
        }
        words += " " + name + ": " +
                 (in_place == T * D ? "every number in its"
                                    : std::to_string(in_place) + " of " + std::to_string(T * D) + " numbers in their") +
                 " place.";
        top += 152;
    };
    draw("Right: view by token, then transpose", ex02::split_heads(x, H));
    draw("Wrong: view straight to (B, H, T, d)", ex02::view(x, {1, H, T, d}));
    draw("Wrong: dealt out like cards", ex02::transpose(ex02::transpose(ex02::view(x, {1, T, d, H}), 1, 3), 2, 3));
    blocks.picture("02/orders", picture, words);
}

void head_splitting_pictures(Blocks& blocks) {
    line_of_memory(blocks);
    mixed_then_cut(blocks);
    orders(blocks);
}

const Announced announced{&head_splitting_pictures};

}  // namespace
}  // namespace headway::lessons
