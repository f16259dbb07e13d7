#include "format.hpp"
#include "lessons.hpp"

#include <block.hpp>

#include <headway/random.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

using ex14::Block;
using ex14::Order;

constexpr double tiny_eps = 1e-12;

Tensor token(const std::vector<float>& features) {
    return Tensor::of({1, 1, static_cast<Index>(features.size())}, features);
}

Tensor layer_normed(const Tensor& x) {
    return ex14::layer_norm(x, Tensor::ones({x.size(2)}), Tensor::zeros({x.size(2)}), tiny_eps);
}

/// The features of one token with so many decimals, behind a name.
Labels features(const std::string& name, const Tensor& x, int decimals) {
    Labels row{name};
    for (Index i = 0; i < x.size(2); ++i) row.push_back(fixed(x(0, 0, i), decimals));
    return row;
}

void norms(Blocks& blocks) {
    std::vector<Labels> lines{{"token", "layer norm", "", "RMS norm", ""}};
    for (const auto& x : {token({1, 7}), token({2, 14}), token({101, 107})}) {
        const Tensor layer = layer_normed(x), rms = ex14::rms_norm(x, Tensor::ones({2}), tiny_eps);
        lines.push_back({row_text(x[0][0]), fixed(layer(0, 0, 0), 2), fixed(layer(0, 0, 1), 2), fixed(rms(0, 0, 0), 2),
                         fixed(rms(0, 0, 1), 2)});
    }
    blocks.text("14/norms", grid(lines));
}

/// In float32, as one loop over the features computes it.
float variance_by_moments(const std::vector<float>& x) {
    float sum = 0, squares = 0;
    for (const float one : x) {
        sum += one;
        squares += one * one;
    }
    const auto count = static_cast<float>(x.size());
    return squares / count - sum / count * (sum / count);
}

float variance_of_differences(const std::vector<float>& x) {
    float sum = 0, squares = 0;
    for (const float one : x) sum += one;
    const float mean = sum / static_cast<float>(x.size());
    for (const float one : x) squares += (one - mean) * (one - mean);
    return squares / static_cast<float>(x.size());
}

void digits(Blocks& blocks) {
    std::vector<Labels> lines{{"token", "mean of (x - mean)²", "mean of x² - mean²"}};
    for (const float far : {0.0F, 100.0F, 4'000.0F, 10'000.0F}) {
        const std::vector<float> x{far + 1, far + 2, far + 3, far + 6};
        lines.push_back({row_text(Tensor::of({4}, x)), fixed(static_cast<double>(variance_of_differences(x)), 2),
                         fixed(static_cast<double>(variance_by_moments(x)), 2)});
    }
    blocks.text("14/digits", grid(lines));
}

/// How the first normed feature changes with each feature of the token.
Tensor by_differences(const Tensor& x) {
    constexpr float step = 1.0F / 64;
    Tensor slopes = Tensor::zeros(x.shape());
    for (Index i = 0; i < x.size(2); ++i) {
        Tensor more = x.clone(), less = x.clone();
        more(0, 0, i) += step;
        less(0, 0, i) -= step;
        slopes(0, 0, i) = (layer_normed(more)(0, 0, 0) - layer_normed(less)(0, 0, 0)) / (2 * step);
    }
    return slopes;
}

void back(Blocks& blocks) {
    const Tensor x = token({1, 2, 6}), grad = token({1, 0, 0});
    const Tensor hat = layer_normed(x), apart = x - mean(x, -1, KeepAxis::yes);
    const Tensor s = sqrt(mean(apart * apart, -1, KeepAxis::yes));
    const Tensor shifted = grad - mean(grad, -1, KeepAxis::yes);
    const Tensor all = ex14::layer_norm_backward(x, Tensor::ones({3}), tiny_eps, grad).x;
    blocks.text("14/back", grid({{"token (1, 2, 6)", "f0", "f1", "f2"},
                                 features("g / s", grad / s, 3),
                                 features("less mean(g) / s", shifted / s, 3),
                                 features("less x̂ · mean(g · x̂) / s", all, 3),
                                 features("by differences", by_differences(x), 3)}));
}

void gelu(Blocks& blocks) {
    std::vector<Labels> lines{{"x", "exact", "tanh", "exact - tanh", "derivative"}};
    for (const float x : {-4.0F, -2.0F, -1.0F, 0.0F, 1.0F, 2.0F, 4.0F}) {
        const Tensor at = Tensor::full({1}, x);
        const double exact = static_cast<double>(ex14::gelu(at, ex14::Gelu::exact)(0));
        const double tanh = static_cast<double>(ex14::gelu(at, ex14::Gelu::tanh)(0));
        const double slope = static_cast<double>(ex14::gelu_backward(at, Tensor::ones({1}), ex14::Gelu::exact)(0));
        lines.push_back({fixed(static_cast<double>(x), 0), fixed(exact, 4), fixed(tanh, 4), fixed(exact - tanh, 5),
                         fixed(slope, 4)});
    }
    blocks.text("14/gelu", grid(lines));
}

/// What stands for attention: each token gets the mean of all tokens.
ex14::Sublayer mean_of_tokens() {
    const auto means = [](const Tensor& x) { return mean(x, 1, KeepAxis::yes).expand(x.shape()).contiguous(); };
    return {means, [=](const Tensor&, const Tensor& grad) { return means(grad); }};
}

std::vector<Block> stack(std::size_t L, Order order) {
    constexpr Index D = 32, F = 128;
    Random random(14);
    std::vector<Block> all;
    while (all.size() < L)
        all.push_back(
            {{Tensor::ones({D}), Tensor::zeros({D})},
             {Tensor::ones({D}), Tensor::zeros({D})},
             {random.normal({D, F}) * 0.2F, Tensor::zeros({F}), random.normal({F, D}) * 0.15F, Tensor::zeros({D})},
             mean_of_tokens(),
             order});
    return all;
}

/// The root of the mean square.
double size_of(const Tensor& x) { return std::sqrt(static_cast<double>(mean((x * x).view({x.numel()}), 0)())); }

void sizes(Blocks& blocks) {
    Random random(41);
    const Tensor x = random.normal({2, 8, 32});
    std::vector<Labels> lines{{"size of x after", "pre-norm", "post-norm"}};
    std::vector<Labels> columns;
    for (const Order order : {Order::pre_norm, Order::post_norm}) {
        Labels column;
        Tensor stream = x;
        std::size_t done = 0;
        for (const Block& block : stack(16, order)) {
            stream = ex14::block_forward(block, stream);
            if (++done == 1 || done == 4 || done == 16) column.push_back(fixed(size_of(stream), 1));
        }
        columns.push_back(column);
    }
    const Labels names{"1 block", "4 blocks", "16 blocks"};
    for (std::size_t i = 0; i < names.size(); ++i) lines.push_back({names[i], columns[0][i], columns[1][i]});
    blocks.text("14/sizes", grid(lines));
}

void parameters(Blocks& blocks) {
    constexpr Index D = 768, F = 4 * D, T = 1024, L = 12;
    const auto megabytes = [](Index floats) {
        constexpr Index megabyte = 1'000'000;
        return grouped((floats * static_cast<Index>(sizeof(float)) + megabyte / 2) / megabyte);
    };
    blocks.number("14/mlp-parameters", grouped(2 * D * F + F + D));
    blocks.number("14/attention-parameters", grouped(4 * D * D + 4 * D));
    blocks.number("14/all-hidden", megabytes(L * T * 2 * F));
    blocks.number("14/inputs", megabytes(L * T * D));
    std::vector<Labels> lines{{"blocks", "a and h of all, MB", "inputs, and a and h of one, MB"}};
    for (const Index blocks_of_stack : {1, 12, 48})
        lines.push_back({grouped(blocks_of_stack), megabytes(blocks_of_stack * T * 2 * F),
                         megabytes(blocks_of_stack * T * D + T * 2 * F)});
    blocks.text("14/checkpoints", grid(lines));
}

void block(Blocks& blocks) {
    blocks.number("14/grown", fixed(std::pow(1.1, 48), 0));
    blocks.number("14/shrunk", fixed(std::pow(0.9, 48), 3));
    norms(blocks);
    digits(blocks);
    back(blocks);
    gelu(blocks);
    sizes(blocks);
    parameters(blocks);
}

const Announced announced{&block};

}  // namespace
}  // namespace headway::lessons
