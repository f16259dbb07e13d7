#include "format.hpp"
#include "lessons.hpp"

#include "labs/cost/caches.hpp"
#include "labs/cost/measure.hpp"
#include "labs/cost/stacks.hpp"
#include "labs/cost/windows.hpp"
#include "labs/gpt2/model.hpp"
#include "labs/prune/pruning.hpp"
#include "labs/train/language.hpp"
#include "labs/train/model.hpp"

#include <headway/given.hpp>
#include <headway/random.hpp>
#include <headway/work.hpp>

#include <tuple>

namespace headway::lessons {
namespace {

constexpr lab::AttentionSizes sizes_of(Index H) { return {.B = 8, .T = 128, .D = 256, .H = H}; }

/// Multiply-adds that matmul counts in attention of that shape, projections aside.
Index counted(const lab::AttentionSizes& sizes) {
    const Tensor q = Random(1).normal({1, sizes.H, sizes.T, sizes.D / sizes.H});
    const Index before = multiply_adds();
    given::scaled_dot_product_attention(q, q, q);
    return sizes.B * (multiply_adds() - before);
}

void cost(Blocks& blocks) {
    std::vector<Labels> rows{{"heads", "head_dim", "projections", "scores", "weighing", "both, counted"}};
    std::vector<Labels> memory{{"heads", "numbers in the scores", "MiB"}};
    for (const Index H : {1, 2, 8, 64}) {
        const lab::AttentionSizes sizes = sizes_of(H);
        const lab::Work work = lab::work_of(sizes);
        rows.push_back({grouped(H), grouped(sizes.D / H), grouped(work.projections), grouped(work.scores),
                        grouped(work.weighing), grouped(counted(sizes))});
        memory.push_back({grouped(H), grouped(lab::scores_in(sizes)),
                          fixed(static_cast<double>(lab::scores_in(sizes)) * 4 / (1024 * 1024), 1)});
    }
    blocks.text("labs/cost/multiply-adds", grid(rows));
    blocks.text("labs/cost/memory", grid(memory));
}

/// What would exist at once; of what did exist, and of times, everybody's own table speaks.
void cost_of_windows(Blocks& blocks) {
    constexpr Index H = 2, w = 64;  // as the lab has it
    const auto mebibytes = [](Index bytes) { return fixed(static_cast<double>(bytes) / (1024 * 1024), 2); };
    std::vector<Labels> rows{{"tokens", "all scores, MiB", "mask of all pairs, MiB", "scores in windows, MiB"}};
    for (const Index T : {256, 1024, 4096})
        rows.push_back({grouped(T), mebibytes(4 * lab::scores_in({.B = 1, .T = T, .D = H, .H = H})), mebibytes(T * T),
                        mebibytes(4 * H * lab::pairs_in(T, w))});
    blocks.text("labs/cost/windows", grid(rows));
}

/// Bytes and errors; of times everybody's own table speaks.
void cost_of_memory(Blocks& blocks) {
    constexpr Index T = 1024;
    std::vector<Labels> caches{{"kept as", "bytes per token", "of float", "largest error, in 1/1000"}};
    const lab::CacheCosts costs = lab::measure_caches(T, 1).value();
    for (const lab::CacheCost& cost : costs.caches)
        if (cost.T == T)
            caches.push_back(
                {cost.kept, grouped(cost.bytes),
                 fixed(static_cast<double>(cost.bytes) / static_cast<double>(costs.caches.front().bytes), 3),
                 fixed(1000 * cost.largest_error, 2)});
    blocks.text("labs/cost/caches", grid(caches));
    constexpr lab::StackSizes sizes;
    constexpr Index in_input = sizes.B * sizes.T * sizes.D;
    std::vector<Labels> stacks{{"blocks", "numbers, all kept", "inputs kept", "ratio"}};
    for (const Index L : {2, 8, 32})
        stacks.push_back({grouped(L), grouped(L * lab::numbers_between(sizes)), grouped(L * in_input),
                          grouped(lab::numbers_between(sizes) / in_input)});
    blocks.text("labs/cost/stacks", grid(stacks));
}

void train(Blocks& blocks) {
    const lab::Language language;
    const auto V = static_cast<Index>(language.vocabulary().size());
    std::vector<Labels> rows{{"heads", "head_dim", "parameters"}};
    for (const Index H : {1, 4, 8})
        rows.push_back({grouped(H), grouped(64 / H),
                        grouped(lab::LanguageModel({.vocabulary = V, .T = 48, .H = H}, 1).parameter_count())});
    blocks.text("labs/train/parameters", grid(rows));
    const lab::Batch batch = language.batch(lab::Part::training, 4, 2, 24);
    std::string text;
    for (Index b = 0; b < batch.B; ++b) {
        if (b > 0) text += "\n";
        for (Index t = 0; t < batch.T; ++t)  // in two lines, which fit a terminal
            text += (t == 0             ? ""
                     : t == batch.T / 2 ? "\n"
                                        : " ") +
                    language.vocabulary()[static_cast<std::size_t>(batch.tokens[batch.at(b, t)])];
        text += "\n";
    }
    blocks.text("labs/train/text", text);
}

/// Decimal digits of a power of two that no integer holds: log₁₀ 2 = 0.30103.
std::string power_of_two(Index exponent) {
    if (exponent < 60) return grouped(Index{1} << exponent);
    return "a number of " + std::to_string(exponent * 30103 / 100000 + 1) + " digits";
}

void prune(Blocks& blocks) {
    std::vector<Labels> rows{{"heads", "subsets", "losses to measure, one by one"}};
    for (const Index heads : {2, 16, 144})
        rows.push_back({grouped(heads), power_of_two(heads), grouped(lab::losses_to_choose(heads))});
    blocks.text("labs/prune/losses", grid(rows));
}

void gpt2(Blocks& blocks) {
    std::vector<Labels> rows{{"layers", "heads", "width", "head_dim", "parameters", "in attention"}};
    for (const auto& [layers, H, D] : {std::tuple{12, 12, 768}, {24, 16, 1024}, {36, 20, 1280}, {48, 25, 1600}}) {
        const lab::Gpt2Sizes sizes{.vocabulary = 50257, .places = 1024, .D = D, .H = H, .layers = layers};
        const Index all = lab::parameters_in(sizes), attention = lab::attention_parameters_in(sizes);
        rows.push_back({grouped(layers), grouped(H), grouped(D), grouped(D / H), grouped(all),
                        fixed(100.0 * static_cast<double>(attention) / static_cast<double>(all), 0) + " %"});
    }
    blocks.text("labs/gpt2/sizes", grid(rows));
}

const Announced announced_cost{&cost};
const Announced announced_cost_of_windows{&cost_of_windows};
const Announced announced_cost_of_memory{&cost_of_memory};
const Announced announced_train{&train};
const Announced announced_prune{&prune};
const Announced announced_gpt2{&gpt2};

}  // namespace
}  // namespace headway::lessons
