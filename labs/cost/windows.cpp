#include "labs/cost/windows.hpp"

#include "labs/cost/heap.hpp"
#include "labs/cost/measure.hpp"
#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <headway/given.hpp>
#include <headway/not_implemented.hpp>
#include <headway/random.hpp>

#include <long_texts.hpp>

#include <algorithm>
#include <cmath>

namespace headway::lab {
namespace {

constexpr const char *exercise = "11_long_texts", *function = "window_attention";
constexpr Index window = 64, H = 2, head_dim = 16;

struct WindowedText {
    Tensor q, k, v;

    WindowedText(Random& random, Index T)
        : q(random.normal({1, H, T, head_dim})),
          k(random.normal({1, H, T, head_dim})),
          v(random.normal({1, H, T, head_dim})) {}
    Index T() const { return q.size(2); }
};

Tensor through_window(const WindowedText& text, Index w) {
    return of_student(exercise, function,
                      [&] { return ex11::window_attention(text.q, text.k, text.v, w, {}, Mask{}); });
}

Tensor by_all_keys(const WindowedText& text) {
    return given::scaled_dot_product_context(text.q, text.k, text.v, given::causal_mask(text.T(), text.T()));
}

bool is_written(const WindowedText& text) {
    const StudentsTurn turn(exercise, function);
    try {
        ex11::window_attention(text.q, text.k, text.v, 2, {}, Mask{});
        return true;
    } catch (const NotImplemented&) {
        return false;
    } catch (...) {
        return true;  // what is wrong with it is told when it is used
    }
}

/// NaN is not close to anything.
bool agree(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::abs(x.data()[i] - y.data()[i]) <= 1e-3F)) return false;
    return true;
}

}  // namespace

Index pairs_in(Index T, Index w) {
    const Index filling = std::min(T, w);  // queries that see fewer than w keys, and the first that sees w
    return filling * (filling + 1) / 2 + (T - filling) * w;
}

std::optional<WindowCosts> measure_windows(Index longest, int repeats) {
    Random random(11);
    const WindowedText few(random, 9);
    if (!is_written(few)) return std::nullopt;
    if (!agree(through_window(few, few.T()), by_all_keys(few)))
        throw NotDone(
            "your window_attention (11_long_texts) is not causal attention where the window holds the whole text.\n"
            "./headway grade 11 may say why.");
    WindowCosts costs{.H = H, .head_dim = head_dim, .w = window, .texts = {}};
    for (const Index T : {longest / 16, longest / 4, longest}) {
        const WindowedText text(random, T);
        const auto all = [&] { return by_all_keys(text); };
        const auto near = [&] { return through_window(text, window); };
        costs.texts.push_back({T, mebibytes_at_peak(all), mebibytes_at_peak(near), milliseconds(repeats, all),
                               milliseconds(repeats, near)});
    }
    return costs;
}

}  // namespace headway::lab
