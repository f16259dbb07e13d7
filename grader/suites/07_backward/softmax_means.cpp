#include "suites/07_backward/softmax_means.hpp"

#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"
#include "reference/backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using reference::unit_roundoff;

/// Element i of the scores becomes weight · (grad - mean).
void set_apart(Array& scores, std::size_t i, const Array& grad, double mean, double mean_error) {
    const double weight = scores.value[i], weight_error = scores.error[i];
    const double apart = grad.value[i] - mean;
    const double apart_error =
        grad.error[i] + mean_error + 2 * unit_roundoff * (std::abs(grad.value[i]) + std::abs(mean));
    scores.value[i] = weight * apart;
    scores.error[i] = std::abs(weight) * apart_error + weight_error * (std::abs(apart) + apart_error) +
                      unit_roundoff * std::abs(scores.value[i]);
}

}  // namespace

Array elementwise(const Array& weights, const Array& grad, double (*formula)(double weight, double grad)) {
    Array scores = weights;
    for (std::size_t i = 0; i < weights.value.size(); ++i) {
        const double w = weights.value[i], g = grad.value[i];
        scores.value[i] = formula(w, g);
        scores.error[i] = 3 * (weights.error[i] * std::abs(g) + std::abs(w) * grad.error[i]) * (1 + std::abs(g)) +
                          6 * unit_roundoff * std::abs(w * g) * (1 + std::abs(g));
    }
    return scores;
}

Array with_mean(const Array& weights, const Array& grad, double (*term)(double weight, double grad), bool divided,
                Over over) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    const auto matrix = static_cast<std::size_t>(weights.size(-2)) * S;
    double mean = 0;
    double magnitude = 0;
    double inherited = 0;
    const auto sum_from = [&](std::size_t begin, std::size_t count) {
        for (std::size_t i = begin; i < begin + count; ++i) {
            const double share = term(weights.value[i], grad.value[i]) / (divided ? static_cast<double>(S) : 1);
            mean += share;
            magnitude += std::abs(share);
            inherited +=
                grad.error[i] * std::max(1.0, std::abs(weights.value[i])) + weights.error[i] * std::abs(grad.value[i]);
        }
    };
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        const bool first_of_matrix = row % matrix == 0 && over != Over::rows_of_all_heads_so_far;
        if (over == Over::row || over == Over::row_but_its_last_key || first_of_matrix)
            mean = magnitude = inherited = 0;
        if (over == Over::row_but_its_last_key)
            sum_from(row, S - 1);
        else if (over != Over::all_rows)
            sum_from(row, S);
        else if (first_of_matrix)
            sum_from(row, matrix);
        const std::size_t most = over == Over::rows_of_all_heads_so_far ? row + S : matrix;
        const double mean_error = inherited + static_cast<double>(most + 4) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) set_apart(scores, i, grad, mean, mean_error);
    }
    return scores;
}

Array with_mean_times(double factor, const Array& weights, const Array& grad) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double mean = 0, magnitude = 0, inherited = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            mean += weights.value[i] * grad.value[i];
            magnitude += std::abs(weights.value[i] * grad.value[i]);
            inherited += std::abs(weights.value[i]) * grad.error[i] + weights.error[i] * std::abs(grad.value[i]);
        }
        const double mean_error = inherited + static_cast<double>(S + 4) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) set_apart(scores, i, grad, factor * mean, factor * mean_error);
    }
    return scores;
}

Array with_mean_along(std::size_t axis, const Array& weights, const Array& grad) {
    Array scores = weights;
    std::size_t step = 1;
    for (std::size_t later = axis + 1; later < weights.shape.size(); ++later)
        step *= static_cast<std::size_t>(weights.shape[later]);
    const auto count = static_cast<std::size_t>(weights.shape[axis]);
    for (std::size_t i = 0; i < weights.value.size(); ++i) {
        const std::size_t first = i - i / step % count * step;
        double mean = 0, magnitude = 0, inherited = 0;
        for (std::size_t j = first; j < first + count * step; j += step) {
            mean += weights.value[j] * grad.value[j];
            magnitude += std::abs(weights.value[j] * grad.value[j]);
            inherited += std::abs(weights.value[j]) * grad.error[j] + weights.error[j] * std::abs(grad.value[j]);
        }
        set_apart(scores, i, grad, mean, inherited + static_cast<double>(count + 4) * unit_roundoff * magnitude);
    }
    return scores;
}

Array with_mean_of_lost_axis(const Array& weights, const Array& grad) {
    const Index B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
    const auto fits = [](Index mean, Index due) { return mean == due || mean == 1; };
    if (!fits(T, S) || !fits(H, T) || !fits(B, H)) throw std::invalid_argument("the means do not line up");
    const Array product = elementwise(weights, grad, [](double w, double g) { return w * g; });
    const Array ones = mapped(zeros({S, 1}), [](double) { return 1.0; });
    const Array mean = reference::reshape(reference::matmul(product, ones), {B, H, T});
    Array scores = weights;
    each(weights.shape, [&](Coordinate at, std::size_t i) {
        const auto along = [](Index index, Index size) { return size == 1 ? 0 : index; };
        const Index from[] = {along(at[1], B), along(at[2], H), along(at[3], T)};
        const std::size_t m = position(mean.shape, from);
        set_apart(scores, i, grad, mean.value[m], mean.error[m]);
    });
    return scores;
}

namespace {

/// As float32 holds it: what is smaller than every float is 0 there.
bool is_zero(double weight) {
    return std::abs(weight) < static_cast<double>(std::numeric_limits<float>::denorm_min()) / 2;
}

}  // namespace

Array with_mean_up_to_a_blocked_key(const Array& weights, const Array& grad) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double mean = 0, magnitude = 0, inherited = 0;
        for (std::size_t i = row; i < row + S && !is_zero(weights.value[i]); ++i) {
            mean += weights.value[i] * grad.value[i];
            magnitude += std::abs(weights.value[i] * grad.value[i]);
            inherited += std::abs(weights.value[i]) * grad.error[i] + weights.error[i] * std::abs(grad.value[i]);
        }
        const double mean_error = inherited + static_cast<double>(S + 4) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) set_apart(scores, i, grad, mean, mean_error);
    }
    return scores;
}

Array without_rows_of_a_blocked_first_key(const Array& weights, const Array& grad) {
    Array scores = reference::softmax_backward(weights, grad);
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S)
        if (is_zero(weights.value[row]))
            for (std::size_t i = row; i < row + S; ++i) scores.value[i] = scores.error[i] = 0;
    return scores;
}

Array divided_by_the_sum_of_weights(const Array& weights, const Array& grad) {
    Array scores = reference::softmax_backward(weights, grad);
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        if (std::all_of(&weights.value[row], &weights.value[row] + S, &is_zero)) {
            for (std::size_t i = row; i < row + S; ++i) scores.value[i] = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        double total = 0, mean = 0, size = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            total += weights.value[i];
            mean += weights.value[i] * grad.value[i];
            size += std::abs(weights.value[i] * grad.value[i]);
        }
        for (std::size_t i = row; i < row + S; ++i) {
            scores.value[i] = weights.value[i] * (grad.value[i] - mean / total);
            scores.error[i] += 2 * static_cast<double>(S) * unit_roundoff * std::abs(weights.value[i] / total) * size;
        }
    }
    return scores;
}

Array with_mean_outside(const Array& weights, const Array& grad) {
    Array scores = elementwise(weights, grad, [](double w, double g) { return w * g; });
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < scores.value.size(); row += S) {
        double mean = 0, error = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            mean += scores.value[i];
            error += scores.error[i] + static_cast<double>(S) * unit_roundoff * std::abs(scores.value[i]);
        }
        for (std::size_t i = row; i < row + S; ++i) {
            scores.value[i] -= mean;
            scores.error[i] += error + unit_roundoff * std::abs(scores.value[i]);
        }
    }
    return scores;
}

Array of_log_softmax(const Array& weights, const Array& grad) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double sum = 0, magnitude = 0, inherited = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            sum += grad.value[i];
            magnitude += std::abs(grad.value[i]);
            inherited += grad.error[i];
        }
        const double sum_error = inherited + static_cast<double>(S) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) {
            const double w = weights.value[i];
            scores.value[i] = grad.value[i] - w * sum;
            scores.error[i] = grad.error[i] + std::abs(w) * sum_error + weights.error[i] * (std::abs(sum) + sum_error) +
                              3 * unit_roundoff * (std::abs(grad.value[i]) + std::abs(w * sum));
        }
    }
    return scores;
}

}  // namespace headway::diagnosis
