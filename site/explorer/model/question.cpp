#include "question.hpp"

#include <sentence.hpp>

#include <headway/random.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace headway::explorer {
namespace {

constexpr std::size_t most_tokens = 10;
constexpr Index most_features = 32;

void require_sizes(const Question& question) {
    const std::size_t T = question.tokens.size();
    if (T < 1 || T > most_tokens)
        throw std::invalid_argument("Choose 1 to " + std::to_string(most_tokens) + " tokens; these are " +
                                    std::to_string(T) + ".");
    if (question.D < 1 || question.D > most_features)
        throw std::invalid_argument("Choose a width D from 1 to " + std::to_string(most_features) + ".");
    if (question.H < 1 || question.D % question.H != 0)
        throw std::invalid_argument("D = " + std::to_string(question.D) + " cannot be split into " +
                                    std::to_string(question.H) + " equal heads. Choose an H that divides D.");
}

/// [FNV-1a: Fowler, Noll, Vo]
std::uint64_t hash(const std::string& word) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : word) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    return hash;
}

/// Normal numbers with one decimal, or two: they are to be read.
Tensor drawn(Random& random, const Shape& shape, float size, float decimals) {
    Tensor tensor = random.normal(shape);
    for (Index i = 0; i < tensor.numel(); ++i)
        tensor.data()[i] = std::round(tensor.data()[i] * size * decimals) / decimals;
    return tensor;
}

}  // namespace

Inputs inputs_of(const Question& question) {
    if (question.numbers == Numbers::lesson) {
        const lessons::TwoHeads two = lessons::two_heads();
        if (question.tokens != lessons::tokens || question.D != two.x.size(2) || question.H != 2)
            throw std::invalid_argument("Lesson 04 has numbers for \"The cat sat here\", D = 6 and H = 2 only.");
        return {two.x, two.w_q, two.w_k, two.w_v, two.w_o};
    }
    require_sizes(question);
    std::vector<Tensor> rows;
    for (const std::string& token : question.tokens) {
        Random of_word(hash(token));
        rows.push_back(drawn(of_word, {1, 1, question.D}, 1.0F, 10.0F));
    }
    Random random(1);
    const auto weight = [&] {
        // Large enough that some keys stand out, whatever D is.
        return drawn(random, {question.D, question.D}, 1.5F / std::sqrt(static_cast<float>(question.D)), 100.0F);
    };
    Inputs inputs{.x = ops::cat(rows, 1), .w_q = {}, .w_k = {}, .w_v = {}, .w_o = {}};
    for (Tensor* w : {&inputs.w_q, &inputs.w_k, &inputs.w_v, &inputs.w_o}) *w = weight();
    return inputs;
}

}  // namespace headway::explorer
