#include "lessons.hpp"
#include "sentence.hpp"

#include <head_splitting.hpp>

#include <sstream>
#include <stdexcept>

namespace headway::lessons {
namespace {

constexpr Index T = 3, D = 6, H = 2, d = 3;

/// Tens: the token; ones: the feature.
Tensor counted_tokens() {
    Tensor x = Tensor::empty({1, T, D});
    for (Index t = 0; t < T; ++t)
        for (Index i = 0; i < D; ++i) x(0, t, i) = static_cast<float>(10 * t + i);
    return x;
}

/// (1, H, T, d), one matrix per head.
std::string heads_text(const Tensor& heads) {
    const Labels rows{"row 0", "row 1", "row 2"};
    return beside({matrix("head 0", rows, {}, heads[0][0]), matrix("head 1", rows, {}, heads[0][1])});
}

std::string line_of_memory(const Tensor& x) {
    std::vector<Labels> lines{{"position"}, {"number"}, {"token"}, {"head"}};
    for (Index i = 0; i < x.numel(); ++i) {
        lines[0].push_back(std::to_string(i));
        lines[1].push_back(fixed(x.data()[i], 0));
        lines[2].push_back(std::to_string(i / D));
        lines[3].push_back(std::to_string(i % D / d));
    }
    return grid(lines);
}

std::string strides_table(const Tensor& x, const Tensor& by_token, const Tensor& by_head) {
    std::vector<Labels> lines{{"", "axes", "shape", "strides", "contiguous", "shared"}};
    const auto add = [&](const std::string& name, const std::string& axes, const Tensor& y) {
        lines.push_back({name, axes, to_string(y.shape()), to_string(y.strides()), y.is_contiguous() ? "yes" : "no",
                         y.shares_storage_with(x) ? "yes" : "no"});
    };
    add("x", "(B, T, D)", x);
    add("view", "(B, T, H, d)", by_token);
    add("transpose", "(B, H, T, d)", by_head);
    return grid(lines);
}

std::string position_by_hand(const Tensor& heads) {
    const Shape at{0, 1, 2, 0};
    std::string terms;
    Index position = 0;
    for (std::size_t a = 0; a < at.size(); ++a) {
        terms += (a > 0 ? " + " : "") + std::to_string(at[a]) + "·" + std::to_string(heads.strides()[a]);
        position += at[a] * heads.strides()[a];
    }
    return terms + " = " + std::to_string(position) + "\nstorage[" + std::to_string(position) +
           "] = " + fixed(heads.data()[position], 0);
}

/// Which axes matmul takes for a batch, with the transpose and without it: five tokens, two heads of width 3.
std::string matmul_batches() {
    const Tensor by_token = Tensor::zeros({1, 5, H, d});
    std::vector<Labels> lines{{"", "axes of q and k", "q", "k.transpose(-2, -1)", "scores"}};
    const auto add = [&](const std::string& name, const std::string& axes, const Tensor& q) {
        const Tensor turned = q.transpose(-2, -1);
        lines.push_back(
            {name, axes, to_string(q.shape()), to_string(turned.shape()), to_string(matmul(q, turned).shape())});
    };
    add("split", "(B, H, T, d)", by_token.transpose(1, 2));
    add("view only", "(B, T, H, d)", by_token);
    return grid(lines);
}

/// In lines that fit a terminal.
std::string wrapped(const std::string& text) {
    std::string lines;
    std::size_t begin_of_line = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.empty()) {
            const bool fits = lines.size() - begin_of_line + word.size() < 72;
            lines += fits ? " " : "\n";
            if (!fits) begin_of_line = lines.size();
        }
        lines += word;
    }
    return lines;
}

/// What view says to a tensor whose rows do not lie in order.
std::string refusal(const Tensor& heads) {
    try {
        heads.view({1, T, D});
    } catch (const std::invalid_argument& error) {
        return wrapped(error.what());
    }
    throw std::logic_error("view accepted a transposed tensor");
}

/// Head 0's query before and after a change of feature 5.
std::string mix_first() {
    const TwoHeads two = two_heads();
    Tensor changed = two.x.clone();
    changed(0, 1, 5) = 3;
    const auto line = [&](const std::string& name, const Tensor& x) {
        const Tensor q = ex02::split_heads(matmul(x, two.w_q), H);  // (1, H, 4, d)
        return Labels{name, row_text(x[0][1]), row_text(q[0][0][1]), row_text(q[0][1][1])};
    };
    return grid(
        {{"", "x of cat", "q in head 0", "q in head 1"}, line("as it was", two.x), line("feature 5 = 3", changed)});
}

void head_splitting(Blocks& blocks) {
    const Tensor x = counted_tokens();
    const Tensor by_token = ex02::view(x, {1, T, H, d});
    const Tensor heads = ex02::split_heads(x, H);
    const Tensor straight = ex02::view(x, {1, H, T, d});
    const Tensor like_cards =  // (B, T, d, H) -> (B, H, d, T) -> (B, H, T, d)
        ex02::transpose(ex02::transpose(ex02::view(x, {1, T, d, H}), 1, 3), 2, 3);

    blocks.text("02/tokens",
                matrix("x", {"token 0", "token 1", "token 2"}, {"f0", "f1", "f2", "f3", "f4", "f5"}, x[0]));
    blocks.text("02/view-straight", heads_text(straight));
    blocks.text("02/picture", line_of_memory(x));
    blocks.text("02/strides", strides_table(x, by_token, heads));
    blocks.text("02/by-hand", position_by_hand(heads));
    blocks.text("02/heads", heads_text(heads));
    blocks.text("02/matmul-batches", matmul_batches());
    blocks.text("02/mix-first", mix_first());
    blocks.text("02/wrong-orders", "right: view (B, T, H, d), transpose\n\n" + heads_text(heads) +
                                       "\nview straight to (B, H, T, d)\n\n" + heads_text(straight) +
                                       "\nview (B, T, d, H), transposed to (B, H, T, d)\n\n" + heads_text(like_cards));
    blocks.text("02/refusal", refusal(heads));
}

const Announced announced{&head_splitting};

}  // namespace
}  // namespace headway::lessons
