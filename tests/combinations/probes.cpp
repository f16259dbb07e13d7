#include "probes.hpp"

#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <merge_heads.hpp>
#include <scaled_scores.hpp>
#include <single_head.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::combinations {
namespace {

/// Small scores, and such that exp overflows.
constexpr float magnitudes[] = {1, 3e4F};

/// The numbers of a call, piled up.
struct Record {
    std::vector<float> numbers;

    void add(const Tensor& x) {
        add(x.shape());
        const Tensor dense = x.contiguous();
        numbers.insert(numbers.end(), dense.data(), dense.data() + dense.numel());
    }
    void add(const Mask& mask) { add(masked_fill(Tensor::zeros(mask.shape()), mask, 1)); }
    void add(const ex03::Attended& attended) {
        add(attended.context);
        add(attended.weights);
    }
    void add(const Shape& shape) {
        for (const Index size : shape) numbers.push_back(static_cast<float>(size));
    }
};

/// Calls, and notes what comes back and what became of the tensors handed over.
class Calls {
public:
    template <class Function, class... Arguments>
    void call(Function function, const Arguments&... arguments) {
        Record record;
        bool threw = false;
        try {
            record.add(function(arguments...));
            (note(record, arguments), ...);
        } catch (const std::exception&) {
            threw = true;
        }
        outcomes_.push_back({threw, std::move(record.numbers)});
    }
    std::vector<Outcome> outcomes() const { return outcomes_; }

private:
    static void note(Record& record, const Tensor& argument) {
        if (argument.defined()) record.add(argument);
    }
    template <class Other>
    static void note(Record&, const Other&) {}

    std::vector<Outcome> outcomes_;
};

/// Two of five blocked, and query 0 of the first sequence altogether.
Mask random_mask(Random& random, const Shape& shape) {
    Mask mask = Mask::allow_all(shape);
    for (Index b = 0; b < shape[0]; ++b)
        for (Index h = 0; h < shape[1]; ++h)
            for (Index t = 0; t < shape[2]; ++t)
                for (Index s = 0; s < shape[3]; ++s) mask(b, h, t, s) = random.uniform() < 0.4F || (b == 0 && t == 0);
    return mask;
}

void probe_softmax_rows(Calls& calls, Random& random) {
    for (const float magnitude : magnitudes) {
        const Tensor scores = random.normal({3, 5}) * magnitude;
        calls.call(ex01::softmax_rows, scores.clone());
        calls.call(ex01::softmax_rows, scores.clone().transpose(0, 1));
    }
}

void probe_attention_weights(Calls& calls, Random& random) {
    for (const float magnitude : magnitudes) {
        const Tensor q = random.normal({3, 6}) * magnitude;
        calls.call(ex01::attention_weights, q, random.normal({7, 6}));
        calls.call(ex01::attention_weights, q, random.normal({3, 6}));
        calls.call(ex01::attention_weights, q, random.normal({7, 9}));
    }
}

void probe_single_head(Calls& calls, Random& random) {
    for (const float magnitude : magnitudes)
        for (const Index d_v : {Index{6}, Index{5}}) {
            const Tensor x = random.normal({4, 7}) * std::sqrt(magnitude);
            calls.call(ex01::single_head_attention, x, random.normal({7, 6}), random.normal({7, 6}),
                       random.normal({7, d_v}));
        }
}

void probe_with_residual(Calls& calls, Random& random) {
    calls.call(ex01::with_residual, random.normal({4, 7}), random.normal({4, 7}));
}

void probe_attention_scores(Calls& calls, Random& random) {
    const Tensor q = random.normal({2, 3, 5, 6});
    calls.call(ex03::attention_scores, q, random.normal({2, 3, 7, 6}));
    calls.call(ex03::attention_scores, q, random.normal({2, 3, 5, 6}));
    calls.call(ex03::attention_scores, q, random.normal({2, 3, 7, 9}));
}

void probe_causal_mask(Calls& calls, Random&) {
    calls.call(ex03::causal_mask, 5, 5);
    calls.call(ex03::causal_mask, 3, 7);
    calls.call(ex03::causal_mask, 7, 3);
}

void probe_padding_mask(Calls& calls, Random&) {
    calls.call(ex03::padding_mask, std::vector<Index>{3, 0, 6, 5}, 7);
    calls.call(ex03::padding_mask, std::vector<Index>{7, 1}, 7);
}

void probe_masked_softmax(Calls& calls, Random& random) {
    for (const float magnitude : magnitudes)
        for (const Index S : {Index{5}, Index{7}}) {
            const Tensor scores = random.normal({2, 3, 5, S}) * magnitude;
            calls.call(ex03::masked_softmax, scores.clone(), Mask{});
            calls.call(ex03::masked_softmax, scores.clone(), random_mask(random, {2, 3, 5, S}));
            calls.call(ex03::masked_softmax, scores.clone().transpose(0, 1), random_mask(random, {3, 2, 5, S}));
        }
}

void probe_attention(Calls& calls, Random& random) {
    for (const float magnitude : magnitudes)
        for (const Index S : {Index{5}, Index{7}}) {
            const Tensor q = random.normal({2, 3, 5, 6}) * magnitude;
            const Tensor k = random.normal({2, 3, S, 6});
            const Tensor v = random.normal({2, 3, S, 4});
            calls.call(ex03::scaled_dot_product_attention, q, k, v, Mask{});
            calls.call(ex03::scaled_dot_product_attention, q, k, v, random_mask(random, {2, 3, 5, S}));
            calls.call(ex03::scaled_dot_product_attention, q, k, v, random_mask(random, {2, 1, 1, S}));
        }
}

void probe_merge_heads(Calls& calls, Random& random) {
    calls.call(ex04::merge_heads, random.normal({2, 3, 5, 4}));
    calls.call(ex04::merge_heads, random.normal({2, 5, 3, 4}).transpose(1, 2));
}

void probe_project_output(Calls& calls, Random& random) {
    calls.call(ex04::project_output, random.normal({2, 5, 6}), random.normal({6, 6}), random.normal({6}));
    calls.call(ex04::project_output, random.normal({2, 5, 6}), random.normal({6, 7}), random.normal({7}));
    calls.call(ex04::project_output, random.normal({2, 5, 6}), random.normal({6, 7}), Tensor{});
}

void probe_multi_head_attention(Calls& calls, Random& random) {
    const Shape square{15, 15};
    for (const float magnitude : magnitudes)
        for (const Index T : {Index{2}, Index{4}}) {
            const Tensor x = random.normal({2, T, 15}) * std::sqrt(magnitude) * 0.4F;
            const Tensor w_q = random.normal(square);
            const Tensor w_k = random.normal(square);
            const Tensor w_v = random.normal(square);
            const Tensor w_o = random.normal(square);
            for (const Mask& mask : {Mask{}, random_mask(random, {2, 3, T, T}), random_mask(random, {2, 1, T, T})})
                calls.call(ex04::multi_head_attention, x, w_q, w_k, w_v, w_o, 3, mask);
        }
    // Tokens that are alike, in one head, with w_q as w_k: every score is about as large.
    const Tensor alike = random.normal({1, 1, 15}) * 4 + random.normal({2, 4, 15}) * 0.02F;
    const Tensor w = random.normal(square);
    calls.call(ex04::multi_head_attention, alike, w, w, random.normal(square), random.normal(square), 1, Mask{});
}

using Probe = std::function<void(Calls&, Random&)>;

const std::map<std::string, Probe>& probes() {
    static const std::map<std::string, Probe> all = {
        {"01 softmax_rows", probe_softmax_rows},
        {"01 attention_weights", probe_attention_weights},
        {"01 single_head_attention", probe_single_head},
        {"01 with_residual", probe_with_residual},
        {"03 attention_scores", probe_attention_scores},
        {"03 causal_mask", probe_causal_mask},
        {"03 padding_mask", probe_padding_mask},
        {"03 masked_softmax", probe_masked_softmax},
        {"03 scaled_dot_product_attention", probe_attention},
        {"04 merge_heads", probe_merge_heads},
        {"04 project_output", probe_project_output},
        {"04 multi_head_attention", probe_multi_head_attention},
    };
    return all;
}

bool differ(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a != b;
    return std::abs(a - b) > 1e-3F * (1 + std::abs(a));
}

bool differ(const Outcome& before, const Outcome& after) {
    if (after.threw) return false;
    if (before.threw || before.numbers.size() != after.numbers.size()) return true;
    for (std::size_t i = 0; i < before.numbers.size(); ++i)
        if (differ(before.numbers[i], after.numbers[i])) return true;
    return false;
}

}  // namespace

std::vector<Outcome> probe(const Place& place) {
    const auto found = probes().find(place.exercise + " " + place.function);
    if (found == probes().end()) throw std::invalid_argument("no such function: " + place.function);
    Calls calls;
    Random random(1);
    found->second(calls, random);
    return calls.outcomes();
}

bool answers_differently(const std::vector<Outcome>& before, const std::vector<Outcome>& after) {
    for (std::size_t i = 0; i < before.size(); ++i)
        if (differ(before[i], after[i])) return true;
    return false;
}

}  // namespace headway::combinations
