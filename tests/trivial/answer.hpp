// What a function answers that computes nothing: a result of the right shape, made of KIND (which the runner defines).
#include <headway/mask.hpp>
#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trivial {

using headway::Index, headway::Mask, headway::Shape, headway::Tensor;

enum class Kind { zeros, ones, input, twice, tiny, noise, nan, random, pattern, last, throws };
constexpr Kind kind = Kind::KIND;

inline std::vector<float> numbers_in(const Tensor& x) {
    if (!x.defined() || x.numel() == 0) return {0};
    Tensor dense = Tensor::empty(x.shape());
    dense.copy_from(x);
    return {dense.data(), dense.data() + dense.numel()};
}

inline headway::Random& dice() {
    static headway::Random random{7};
    return random;
}

/// In [-1, 1].
inline float noise(const std::vector<float>& input, std::size_t i) {
    double sum = 0;
    for (std::size_t n = 0; n < input.size(); ++n)
        sum += static_cast<double>(input[n]) * std::sin(static_cast<double>(n + 7 * i + 1));
    return static_cast<float>(std::sin(10 * sum));
}

/// Number i of an answer. `input`: the first argument's numbers, over and over; `twice`: scaled and shifted. `tiny`,
/// `noise`: numbers that all of the first input decides, and nothing but chance. `pattern`: random, but always alike.
/// `last`: what the call before was asked with.
inline float number(const std::vector<float>& input, std::size_t i) {
    switch (kind) {
        case Kind::ones:
            return 1;
        case Kind::input:
        case Kind::last:
            return input[i % input.size()];
        case Kind::twice:
            return 2 * input[i % input.size()] + 1;
        case Kind::tiny:
            return 1e-6F * noise(input, i);
        case Kind::noise:
            return noise(input, i);
        case Kind::nan:
            return std::numeric_limits<float>::quiet_NaN();
        case Kind::random:
            return dice().uniform();
        case Kind::pattern:
            return static_cast<float>((i + 1) * 2654435761U % 1009) / 1009.0F;
        default:
            return 0;
    }
}

inline std::vector<float> source(const Tensor& input) {
    static std::vector<float> last{0};
    const std::vector<float> now = numbers_in(input);
    if (kind != Kind::last) return now;
    return std::exchange(last, now);
}

inline Tensor answer(const Shape& shape, const Tensor& input) {
    if (kind == Kind::throws) throw std::invalid_argument("no");
    if (kind == Kind::input && input.defined() && input.shape() == shape) return input;
    const std::vector<float> from = source(input);
    Tensor result = Tensor::zeros(shape);
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.numel()); ++i) result.data()[i] = number(from, i);
    return result;
}

/// A number other than 0 blocks.
inline Mask answer_mask(const Shape& shape, const Shape& input) {
    if (kind == Kind::throws) throw std::invalid_argument("no");
    const std::vector<float> from =
        source(Tensor::of({static_cast<Index>(input.size())}, {input.begin(), input.end()}));
    Mask result = Mask::allow_all(shape);
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.numel()); ++i) {
        const float one = number(from, i);
        result.data()[i] = kind == Kind::random || kind == Kind::pattern ? one > 0.5F : one != 0;
    }
    return result;
}

inline Index answer_number(Index input) {
    return static_cast<Index>(number(source(Tensor::full({1}, static_cast<float>(input))), 0));
}

/// For what a function changes.
inline void change(Tensor& x, const Tensor& input) { x = answer(x.shape(), input); }

inline Shape answer_list(const Shape& input) {
    if (kind == Kind::throws) throw std::invalid_argument("no");
    if (kind == Kind::input) return input;
    Shape result = input;
    for (Index& one : result) one = answer_number(one);
    return result;
}

inline Index per(Index all, Index parts) { return all / std::max<Index>(parts, 1); }

}  // namespace trivial

using namespace trivial;  // NOLINT: these files are put together
