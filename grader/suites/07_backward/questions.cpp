//      B batch · H heads · T queries · S keys · d head_dim · d_v value width · D model width
#include "suites/07_backward/questions.hpp"

#include "suites/07_backward/inputs.hpp"

#include "diagnosis/small_sizes.hpp"

#include <utility>

namespace headway::diagnosis {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

namespace {

judge::Sizes sizes_of(const SmallSizes& n) { return {n.B, n.H, n.T, n.S, n.d, n.d_v}; }

}  // namespace

std::vector<Arguments> ask_softmax_backward(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto weights = [&](const Shape& shape, const Mask& mask) {
        return reference::to_tensor(reference::masked_softmax(reference::exact(random_tensor(random, shape)), mask));
    };
    const auto ask = [&](const Tensor& some, const Tensor& grad) {
        questions.push_back({{"weights", some}, {"grad_weights", grad}});
    };
    const Shape shape{n.B, n.H, n.T, n.S};
    ask(weights(shape, Mask{}), random_tensor(random, shape) + 1.0F);
    ask(weights(shape, random_mask(random, {n.T, n.S})), random_tensor(random, shape));
    ask(weights({n.B, n.H, n.S, n.S}, Mask{}), random_tensor(random, {n.B, n.H, n.S, n.S}));
    // Rows that sum to 1, here too: with them, formulas agree that are not the same otherwise.
    ask(weights(shape, random_mask(random, {n.H, n.T, n.S})),
        random_tensor(random, {n.B, n.T, n.H, n.S}).transpose(1, 2));
    ask(weights({n.B, n.T, n.H, n.S}, Mask{}).transpose(1, 2),
        random_tensor(random, {n.B, n.T, n.H, n.S}).transpose(1, 2));
    // Where all sizes are equal, means that lost an axis still line up with something.
    ask(weights({n.H, n.H, n.H, n.H}, Mask{}), random_tensor(random, {n.H, n.H, n.H, n.H}));
    // And the row of a query that sees nothing, whose weights sum to 0.
    Mask with_an_empty_row = random_mask(random, {n.B, 1, n.T, n.S});
    for (Index s = 0; s < n.S; ++s) with_an_empty_row(1, 0, 1, s) = true;
    ask(weights(shape, with_an_empty_row), random_tensor(random, shape));
    ask(weights(shape, Mask{}), random_tensor(random, {n.B, n.H, n.T, n.S + 1}));
    return questions;
}

std::vector<Arguments> ask_attention_backward(Random& random) {
    const SmallSizes n = small_sizes(random);
    const judge::Sizes sizes = sizes_of(n);
    std::vector<Arguments> questions;
    const auto ask = [&](const judge::Sizes& some, const Mask& mask) {
        questions.push_back(judge::backward::Inputs(random, some).with(mask));
    };
    ask(sizes, Mask{});
    judge::Sizes square = sizes;
    square.T = square.S;
    ask(square, Mask{});
    judge::Sizes tall = sizes;
    std::swap(tall.T, tall.S);
    ask(tall, Mask{});
    judge::Sizes as_wide = sizes;  // who refuses values of another width answers here
    as_wide.d_v = n.d;
    ask(as_wide, Mask{});
    ask(sizes, reference::causal_mask(n.T, n.S));
    ask(sizes, random_mask(random, {n.B, 1, 1, n.S}));
    ask(sizes, random_mask(random, {n.B, n.H, n.T, n.S}));
    ask(square, random_mask(random, {n.S, n.S}));
    Mask with_empty_rows = random_mask(random, {n.B, 1, n.T, n.S});
    for (Index s = 0; s < n.S; ++s) with_empty_rows(1, 0, 1, s) = true;
    ask(sizes, with_empty_rows);
    judge::Sizes one_key = sizes;
    one_key.S = 1;
    Mask first_query = Mask::allow_all({n.T, 1});
    first_query(0, 0) = true;
    ask(one_key, first_query);
    ask(one_key, Mask::block_all({n.B, 1, 1, 1}));
    questions.push_back(judge::backward::Inputs(random, sizes).with_large_scores().with(Mask{}));
    for (const float score : {-300.0F, -1000.0F})  // too far below 0 for exp, in float and in double
        questions.push_back(judge::backward::Inputs(random, sizes).with_low_scores(score).with(Mask{}));
    Arguments dense = questions.front();
    for (wire::Field& field : dense)
        if (auto* some = std::get_if<Tensor>(&field.value)) *some = some->contiguous();
    questions.push_back(std::move(dense));
    Arguments wide = judge::backward::Inputs(random, sizes).with(Mask{});
    wide.back().value = random_tensor(random, {n.B, n.H, n.T, n.d_v + 1});
    questions.push_back(std::move(wide));
    // One mask for each head, which may be taken for one of each sequence.
    for (const Index more : {Index{0}, Index{1}}) {
        judge::Sizes heads = sizes;
        heads.H = n.B + more;
        ask(heads, random_mask(random, {heads.H, n.T, n.S}));
    }
    // What stands for -infinity shows where the scores of a fully masked row are in the thousands, which 1e9 does not
    // swallow, and where open scores are below -1e4.
    questions.push_back(judge::backward::Inputs(random, sizes).with_large_scores().with(with_empty_rows));
    questions.push_back(
        judge::backward::Inputs(random, sizes).with_low_scores(-12000).with(random_mask(random, {n.T, n.S})));
    return questions;
}

std::vector<Arguments> ask_linear_backward(Random& random) {
    const judge::Sizes n = sizes_of(small_sizes(random));
    std::vector<Arguments> questions;
    for (const bool holding : {false, true})
        questions.push_back(judge::backward::LinearInputs(random, n, holding).arguments());
    const auto changed = [&](const auto& change) {
        judge::backward::LinearInputs in(random, n, true);
        change(in);
        questions.push_back(in.arguments());
    };
    judge::Sizes one_sequence = n;  // where sequences cannot be mixed
    one_sequence.B = 1;
    questions.push_back(judge::backward::LinearInputs(random, one_sequence, true).arguments());
    changed([](auto& in) { in.x = in.x.contiguous(); });
    // As a sum hands it on: one gradient for all tokens, in one storage.
    changed([&](auto& in) { in.grad_y = random_tensor(random, {n.d}).expand(in.grad_y.shape()); });
    changed([&](auto& in) { in.grad_y = random_tensor(random, {n.B, n.d, n.T}).transpose(1, 2); });
    changed([&](auto& in) { in.weight = random_tensor(random, {n.S, n.d}).transpose(0, 1); });
    // Gradients that are views, such as a slice of one storage for all parameters.
    changed([&](auto& in) { in.grad_weight = random_tensor(random, {n.S, n.d}).transpose(0, 1); });
    changed([&](auto& in) { in.grad_bias = random_tensor(random, {n.d, 2}).select(1, 1); });
    changed([&](auto& in) { in.grad_y = random_tensor(random, {n.B, n.T + 1, n.d}); });
    changed([&](auto& in) { in.x = random_tensor(random, {n.B, n.T, n.S - 1}); });
    return questions;
}

std::vector<Arguments> ask_module_backward(Random& random) {
    const judge::Sizes n = sizes_of(small_sizes(random));
    std::vector<Arguments> questions;
    const auto ask = [&](float holding, const Mask& mask) {
        questions.push_back(judge::backward::ModuleInputs(random, n, holding).with(mask));
    };
    ask(0.0F, Mask{});
    ask(2.0F, Mask{});
    ask(0.0F, reference::causal_mask(n.T, n.T));
    ask(2.0F, random_mask(random, {n.B, n.H, n.T, n.T}));
    ask(1.0F, Mask{});
    questions.back()[2].value = n.D() + 1;
    for (const Index H : {0, -1}) {
        ask(1.0F, Mask{});
        questions.back()[2].value = H;
    }
    return questions;
}

}  // namespace headway::diagnosis
