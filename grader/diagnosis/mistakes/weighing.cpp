// Scores, and what the weights do with the values.
#include "../catalogue.hpp"
#include "../elements.hpp"

#include "../../reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;

// ---- scores ----------------------------------------------------------------------------------------------------

DECISION(.id = "scores", .stage = "scores", .lesson = {{"01", "By hand"}, {"03", "Which width is being summed?"}},
         .pseudocode = "scores[b,h,t,s] = sum over i = 0..d-1 of q[b,h,t,i] · k[b,h,s,i]");

MISTAKE(
        .id = "keys_viewed_not_transposed", .decision = "scores",
        .title = "keys are viewed as (d, S) instead of transposed",
        .right = "k.transpose(-2, -1): a view keeps the order of the numbers",
        .symptom = "all shapes fit, all numbers are wrong", .question = "Do you turn k by view or by transpose?",
        .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                Shape shape = k.shape;
                std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
                return matmul(q, reshape(k, shape));
            };
        });

MISTAKE(
        .id = "scores_keys_by_queries", .decision = "scores",
        .title = "scores come as (keys, queries) instead of (queries, keys)", .right = "q · kᵀ: one row a query",
        .symptom = "all shapes fit in self-attention", .question = "Which of q and k gives the rows of your scores?",
        .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) { return matmul(k, transpose(q, -2, -1)); };
        });

MISTAKE(
        .id = "keys_of_first_head", .decision = "scores", .title = "every head reads the keys of head 0",
        .right = "head h compares its own q with its own k", .symptom = "heads become more alike; nothing crashes",
        .question = "Which head index does k have in your loop?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                if (k.shape.size() != 4) return matmul(q, transpose(k, -2, -1));
                const Array first = gathered(k, k.shape, [&](Coordinate at) {
                    const Index from[] = {at[0], 0, at[2], at[3]};
                    return position(k.shape, from);
                });
                return matmul(q, transpose(first, -2, -1));
            };
        });

MISTAKE(
        .id = "keys_of_first_sequence", .decision = "scores", .title = "every sequence reads the keys of sequence 0",
        .right = "sequence b compares its own q with its own k", .symptom = "right with batch 1",
        .question = "Which batch index does k have in your loop?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                if (k.shape.size() != 4) return matmul(q, transpose(k, -2, -1));
                const Array first = gathered(k, k.shape, [&](Coordinate at) {
                    const Index from[] = {0, at[1], at[2], at[3]};
                    return position(k.shape, from);
                });
                return matmul(q, transpose(first, -2, -1));
            };
        });

/// q and k with only the features below `width`.
Array narrowed(const Array& x, Index width) {
    Shape shape = x.shape;
    shape.back() = std::min(width, shape.back());
    return gathered(x, shape, [&](Coordinate at) { return position(x.shape, at); });
}

MISTAKE(
        .id = "last_feature_dropped", .decision = "scores", .title = "the sum over features stops one too early",
        .right = "sum over all features, i = 0..d-1", .symptom = "each score misses one product; nothing crashes",
        .question = "What is the last index of your innermost loop?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                return matmul(narrowed(q, q.size(-1) - 1), transpose(narrowed(k, k.size(-1) - 1), -2, -1));
            };
        });

MISTAKE(
        .id = "sum_cut_to_integer", .decision = "scores",
        .title = "the sum of products lives in an int: every step is cut to an integer",
        .right = "sum in a float: std::inner_product(..., 0.0F)",
        .symptom = "scores are whole numbers; nothing crashes",
        .question = "What is the type of the value that your sum starts from?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                Array s = matmul(q, transpose(k, -2, -1));
                const auto d = static_cast<std::size_t>(q.size(-1));
                const auto T = static_cast<std::size_t>(q.size(-2));
                const auto S = static_cast<std::size_t>(k.size(-2));
                for (std::size_t i = 0; i < s.value.size(); ++i) {
                    const std::size_t batch = i / (T * S);
                    double sum = 0;
                    for (std::size_t f = 0; f < d; ++f)
                        sum = std::trunc(sum + q.value[(batch * T + i % (T * S) / S) * d + f] *
                                                   k.value[(batch * S + i % S) * d + f]);
                    s.value[i] = sum;
                    s.error[i] = 0;
                }
                return s;
            };
        });

MISTAKE(
        .id = "keys_counted_as_queries", .decision = "scores",
        .title = "there are taken to be as many keys as queries: the scores are (T, T)",
        .right = "scores are (T, S), with S from k",
        .symptom = "right in self-attention; else keys are lost or memory is misread",
        .question = "Where does the bound of your loop over keys come from?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                if (k.size(-2) < q.size(-2)) throw std::out_of_range("keys");
                Shape shape = k.shape;
                shape[shape.size() - 2] = q.size(-2);
                const Array first = gathered(k, shape, [&](Coordinate at) { return position(k.shape, at); });
                return matmul(q, transpose(first, -2, -1));
            };
        });

MISTAKE(
        .id = "features_in_fours", .decision = "scores",
        .title = "the sum over features is unrolled by four and loses the last d % 4",
        .right = "sum over all features, i = 0..d-1", .symptom = "right where head_dim is a multiple of four",
        .question = "What happens to the features after the last whole group?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                const Index width = q.size(-1) / 4 * 4;
                return matmul(narrowed(q, width), transpose(narrowed(k, width), -2, -1));
            };
        });

MISTAKE(
        .id = "cosine_scores", .decision = "scores", .title = "scores are cosines: q and k are normalised first",
        .right = "scores are plain dot products", .symptom = "scores never exceed 1, so softmax stays flat",
        .question = "Are your scores bounded?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                const auto unit = [](const Array& x) {
                    Array y = x;
                    const auto d = static_cast<std::size_t>(x.size(-1));
                    for (std::size_t row = 0; row < y.value.size(); row += d) {
                        double squares = 0;
                        for (std::size_t i = 0; i < d; ++i) squares += x.value[row + i] * x.value[row + i];
                        for (std::size_t i = 0; i < d; ++i) {
                            y.value[row + i] /= std::sqrt(squares);
                            y.error[row + i] = std::abs(y.value[row + i]) * 16 * reference::unit_roundoff;
                        }
                    }
                    return y;
                };
                return matmul(unit(q), transpose(unit(k), -2, -1));
            };
        });

MISTAKE(
        .id = "negative_distance_scores", .decision = "scores",
        .title = "scores are negative squared distances of q and k", .right = "scores are dot products",
        .symptom = "long keys are ignored; nothing crashes",
        .question = "What is the score of a key that is twice your query?", .make = [](Choices& c) {
            c.scoring.product = [](const Array& q, const Array& k) {
                Array s = matmul(q, transpose(k, -2, -1));
                const auto d = static_cast<std::size_t>(q.size(-1));
                const auto T = static_cast<std::size_t>(q.size(-2));
                const auto S = static_cast<std::size_t>(k.size(-2));
                for (std::size_t i = 0; i < s.value.size(); ++i) {
                    const std::size_t batch = i / (T * S);
                    double squares = 0;
                    for (std::size_t f = 0; f < d; ++f) {
                        const double a = q.value[(batch * T + i % (T * S) / S) * d + f];
                        const double b = k.value[(batch * S + i % S) * d + f];
                        squares += (a - b) * (a - b);
                    }
                    s.value[i] = -squares;
                    s.error[i] = squares * static_cast<double>(d + 8) * reference::unit_roundoff;
                }
                return s;
            };
        });

// ---- weighing --------------------------------------------------------------------------------------------------

DECISION(.id = "weigh", .stage = "weigh",
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context[b,h,t,:] = sum over s of weights[b,h,t,s] · v[b,h,s,:]");

MISTAKE(
        .id = "context_from_scores", .decision = "weigh",
        .title = "values are gathered with the scores instead of the weights", .right = "context = weights · v",
        .symptom = "outputs are unbounded", .question = "Which tensor do you multiply with v?",
        .make = [](Choices& c) { c.weighing.context = [](const Weighable& at) { return matmul(at.scores, at.v); }; });

MISTAKE(
        .id = "weights_transposed_when_weighing", .decision = "weigh",
        .title = "values are weighed with the columns of the weights instead of the rows",
        .right = "context = weights · v, row by row", .symptom = "all shapes fit in self-attention",
        .question = "Which index of the weights runs while you add up values?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) { return matmul(transpose(at.weights, -2, -1), at.v); };
        });

DECISION(.id = "gathered", .stage = "weigh",
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context (…,T,d_v) = weights (…,T,S) · v (…,S,d_v)");

MISTAKE(
        .id = "keys_used_as_values", .decision = "gathered", .title = "keys are gathered instead of values",
        .right = "context = weights · v", .symptom = "nothing crashes while values are as wide as keys",
        .question = "Which tensor do you multiply with the weights?",
        .make = [](Choices& c) { c.weighing.gathered = Gathered::keys; });

MISTAKE(
        .id = "queries_used_as_values", .decision = "gathered", .title = "queries are gathered instead of values",
        .right = "context = weights · v", .symptom = "nothing crashes in self-attention",
        .question = "Which tensor do you multiply with the weights?",
        .make = [](Choices& c) { c.weighing.gathered = Gathered::queries; });

MISTAKE(
        .id = "weights_of_first_head", .decision = "weigh",
        .title = "the values of every head are gathered with the weights of head 0",
        .right = "head h uses its own weights", .symptom = "many heads look where the first one looks",
        .question = "Which head index do the weights have in your loop?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                const Array first = gathered(at.weights, at.weights.shape, [&](Coordinate where) {
                    std::vector<Index> from(where.begin(), where.end());
                    if (from.size() == 4) from[1] = 0;
                    return position(at.weights.shape, from);
                });
                return matmul(first, at.v);
            };
        });

MISTAKE(
        .id = "values_of_first_sequence", .decision = "weigh",
        .title = "every sequence gathers the values of sequence 0", .right = "sequence b gathers its own values",
        .symptom = "right with batch 1", .question = "Which batch index does v have in your loop?",
        .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                const Array first = gathered(at.v, at.v.shape, [&](Coordinate where) {
                    std::vector<Index> from(where.begin(), where.end());
                    from[0] = from.size() == 4 ? 0 : from[0];
                    return position(at.v.shape, from);
                });
                return matmul(at.weights, first);
            };
        });

MISTAKE(
        .id = "values_of_first_head", .decision = "weigh", .title = "every head gathers the values of head 0",
        .right = "head h gathers its own values", .symptom = "many heads tell what the first one tells",
        .question = "Which head index does v have in your loop?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                const Array first = gathered(at.v, at.v.shape, [&](Coordinate where) {
                    std::vector<Index> from(where.begin(), where.end());
                    if (from.size() == 4) from[1] = 0;
                    return position(at.v.shape, from);
                });
                return matmul(at.weights, first);
            };
        });

MISTAKE(
        .id = "last_key_overwrites", .decision = "weigh",
        .title = "the context is overwritten, not added up: only the last key's value remains",
        .right = "add up over the keys: +=", .symptom = "outputs depend on the last token only",
        .question = "Is it = or += in your innermost loop?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                Array context = matmul(at.weights, at.v);
                const Index S = at.weights.size(-1);
                each(context.shape, [&](Coordinate where, std::size_t i) {
                    std::vector<Index> w(where.begin(), where.end());
                    std::vector<Index> v(where.begin(), where.end());
                    w.back() = S - 1;
                    v[v.size() - 2] = S - 1;
                    const std::size_t wi = position(at.weights.shape, w);
                    const std::size_t vi = position(at.v.shape, v);
                    context.value[i] = at.weights.value[wi] * at.v.value[vi];
                    context.error[i] = std::abs(at.weights.error[wi] * at.v.value[vi]) +
                                       std::abs(at.weights.value[wi]) * at.v.error[vi] +
                                       std::abs(context.value[i]) * reference::unit_roundoff;
                });
                return context;
            };
        });

MISTAKE(
        .id = "last_key_left_out", .decision = "weigh",
        .title = "the sum over keys stops one too early: the last key's value is left out",
        .right = "add up over all keys, s = 0..S-1", .symptom = "the newest token is never heard",
        .question = "What is the last index of your loop over keys?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                Array weights = at.weights;
                const auto S = static_cast<std::size_t>(weights.size(-1));
                for (std::size_t i = S - 1; i < weights.value.size(); i += S) weights.value[i] = weights.error[i] = 0;
                return matmul(weights, at.v);
            };
        });

MISTAKE(
        .id = "values_not_weighed", .decision = "weigh", .title = "values are averaged alike, whatever the weights are",
        .right = "context = weights · v", .symptom = "every query gets the same",
        .question = "Where do your weights enter the context?", .make = [](Choices& c) {
            c.weighing.context = [](const Weighable& at) {
                Array even = at.weights;
                for (std::size_t i = 0; i < even.value.size(); ++i) {
                    even.value[i] = 1 / static_cast<double>(even.size(-1));
                    even.error[i] = even.value[i] * reference::unit_roundoff;
                }
                return matmul(even, at.v);
            };
        });

// ---- the weights that are returned -----------------------------------------------------------------------------

DECISION(.id = "returned", .stage = "softmax", .lesson = {{"03", "What you will build"}, {"05", "The checklist"}},
         .pseudocode = "return {context (B,H,T,d_v), weights (B,H,T,S)}: the weights after softmax, of each head");

MISTAKE(
        .id = "scores_returned", .decision = "returned", .title = "the scores before softmax are returned as weights",
        .right = "return the weights after softmax", .symptom = "plots of attention show negative weights",
        .question = "Do the rows of what you return sum to 1?",
        .make = [](Choices& c) { c.weighing.returned = [](const Weighable& at) { return at.scores; }; });

MISTAKE(
        .id = "returned_unmasked", .decision = "returned",
        .title = "the weights are returned as they would be without the mask",
        .right = "return the weights that gather the values", .symptom = "plots of attention show what was never used",
        .question = "Is what you return what you multiply with v?", .make = [](Choices& c) {
            c.weighing.returned = [](const Weighable& at) { return reference::masked_softmax(at.scores, Mask{}); };
        });

MISTAKE(
        .id = "returned_mean_in_every_head", .decision = "returned",
        .title = "the weights are returned averaged over the heads, once for every head",
        .right = "return the weights of each head", .symptom = "nobody sees what single heads do",
        .question = "Do two heads of what you return ever differ?", .make = [](Choices& c) {
            c.weighing.returned = [](const Weighable& at) {
                const Array& w = at.weights;
                if (w.shape.size() != 4) return w;
                Array mean = zeros(w.shape);
                const auto H = static_cast<double>(w.size(1));
                each(w.shape, [&](Coordinate where, std::size_t i) {
                    for (Index h = 0; h < w.size(1); ++h) {
                        const Index to[] = {where[0], h, where[2], where[3]};
                        mean.value[position(w.shape, to)] += w.value[i] / H;
                        mean.error[position(w.shape, to)] += w.error[i] / H;
                    }
                });
                return mean;
            };
        });

MISTAKE(
        .id = "returned_transposed", .decision = "returned",
        .title = "the weights are returned keys first: (B, H, S, T)", .right = "return (B, H, T, S)",
        .symptom = "plots of attention are mirrored", .question = "Do the rows of what you return sum to 1?",
        .make = [](Choices& c) {
            c.weighing.returned = [](const Weighable& at) { return transpose(at.weights, -2, -1); };
        });

MISTAKE(
        .id = "returned_averaged", .decision = "returned", .title = "the weights are returned averaged over the heads",
        .right = "return the weights of each head: (B, H, T, S)", .symptom = "nobody sees what single heads do",
        .question = "What is the shape of what you return?", .make = [](Choices& c) {
            c.weighing.returned = [](const Weighable& at) {
                if (at.weights.shape.size() != 4) return at.weights;
                Array mean = zeros({at.weights.size(0), at.weights.size(2), at.weights.size(3)});
                const auto H = static_cast<double>(at.weights.size(1));
                each(at.weights.shape, [&](Coordinate where, std::size_t i) {
                    const Index to[] = {where[0], where[2], where[3]};
                    mean.value[position(mean.shape, to)] += at.weights.value[i] / H;
                    mean.error[position(mean.shape, to)] += at.weights.error[i] / H;
                });
                return mean;
            };
        });

MISTAKE(
        .id = "returned_heads_in_batch", .decision = "returned", .title = "the weights are returned as (B·H, T, S)",
        .right = "return (B, H, T, S)", .symptom = "whoever reads them must know num_heads",
        .question = "What is the shape of what you return?", .make = [](Choices& c) {
            c.weighing.returned = [](const Weighable& at) {
                const Array& w = at.weights;
                return w.shape.size() != 4 ? w : reshape(w, {w.size(0) * w.size(1), w.size(2), w.size(3)});
            };
        });

}  // namespace
}  // namespace headway::diagnosis
