#include "labs/cost/measure.hpp"

#include "labs/frame/students_code.hpp"
#include "terminal/interrupt.hpp"

#include <headway/given.hpp>
#include <headway/random.hpp>
#include <headway/work.hpp>

#include <module.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace headway::lab {
namespace {

Tensor head_by_head(const Tensor& q, const Tensor& k, const Tensor& v) {
    std::vector<Tensor> contexts;  // (B, 1, T, d) each
    for (Index h = 0; h < q.size(1); ++h)
        contexts.push_back(
            given::scaled_dot_product_attention(q.slice(1, h, h + 1), k.slice(1, h, h + 1), v.slice(1, h, h + 1))
                .context);
    return ops::cat(contexts, 1);
}

}  // namespace

double milliseconds(int repeats, const std::function<Tensor()>& run) {
    run();
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
        fastest = std::min(fastest, passed.count());
    }
    return fastest;
}

Cost measure_one(const AttentionSizes& sizes, int repeats) {
    const auto [B, T, D, H] = sizes;
    Cost cost{.sizes = sizes};
    Random random(1);
    const auto of_module = [](const char* function, const auto& call) {
        return of_student("05_module", function, call);
    };
    const auto attention = of_module("make_multi_head_attention", [&, D = D, H = H] {
        auto made = ex05::make_multi_head_attention({.embed_dim = D, .num_heads = H});
        made->eval();
        return made;
    });
    const Tensor x = random.normal({B, T, D});
    const Index before = multiply_adds();
    const auto forward = [&] { return attention->forward(x, x, x, {}); };
    of_module("forward", forward);
    cost.counted = multiply_adds() - before;
    cost.weights = of_module("attention_weights", [&] { return attention->attention_weights(x, x, {}); }).numel();
    cost.forward_ms = milliseconds(repeats, [&] { return of_module("forward", forward); });

    const Tensor q = random.normal({B, H, T, D / H});
    const Tensor k = random.normal({B, H, T, D / H});
    const Tensor v = random.normal({B, H, T, D / H});
    cost.batched_ms = milliseconds(repeats, [&] { return given::scaled_dot_product_attention(q, k, v).context; });
    cost.one_by_one_ms = milliseconds(repeats, [&] { return head_by_head(q, k, v); });
    return cost;
}

std::vector<Cost> measure(const CostPlan& plan, const std::function<void(const std::string&)>& progress) {
    std::vector<Cost> costs;
    for (const Index T : plan.lengths)
        for (const Index H : plan.heads) {
            if (cli::Interrupt::requested()) throw Stopped("stopped; nothing was written");
            progress(fmt::format("{} of {}: T = {}, H = {}", costs.size() + 1, plan.lengths.size() * plan.heads.size(),
                                 T, H));
            costs.push_back(measure_one({.B = plan.tokens / T, .T = T, .D = plan.D, .H = H}, plan.repeats));
        }
    return costs;
}

}  // namespace headway::lab
