#include "localise.hpp"

#include "../judge/expect.hpp"

#include <cmath>
#include <set>

namespace headway::diagnosis {
namespace {

std::string plural(const std::string& noun) {
    return noun.ends_with('y') ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s";
}

/// The finite array that was expected and the one that came, of equal shape; nullptr otherwise.
struct Pair {
    Array expected;
    Array seen;
};

std::vector<Pair> wrong_pairs(const std::vector<Observation>& observations) {
    std::vector<Pair> pairs;
    for (const Observation& observation : observations) {
        const Answer expected = predicted(observation, right());
        if (!expected.word.empty() || !observation.seen.word.empty() || fit(expected, observation.seen)) continue;
        for (std::size_t i = 0; i < std::min(expected.parts.size(), observation.seen.parts.size()); ++i)
            if (expected.parts[i].second.shape == observation.seen.parts[i].second.shape)
                pairs.push_back({expected.parts[i].second, observation.seen.parts[i].second});
    }
    return pairs;
}

bool differs(const Pair& pair, std::size_t i) {
    return !judge::close(pair.seen.value[i], pair.expected.value[i],
                         judge::tolerance(pair.expected.value[i], pair.expected.error[i]), 0);
}

/// "the numbers are 0.408 times what they should be", if one factor explains all of them.
std::string constant_factor(const std::vector<Pair>& pairs) {
    double factor = 0;
    for (const Pair& pair : pairs)
        for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
            if (std::abs(pair.expected.value[i]) < 1e-2) continue;
            const double ratio = pair.seen.value[i] / pair.expected.value[i];
            if (!std::isfinite(ratio) || ratio == 0) return {};
            if (factor == 0) factor = ratio;
            if (std::abs(ratio - factor) > 1e-3 * std::abs(factor)) return {};
        }
    if (factor == 0) return {};
    return "all numbers are " + std::to_string(factor).substr(0, 6) + " times what they should be, on every input";
}

/// Along which axis the difference lies: "only where h = 0", where one axis has right and wrong slices.
std::vector<std::string> where(const std::vector<Pair>& pairs) {
    static const std::vector<std::vector<std::string>> names{{},
                                                             {"element"},
                                                             {"row", "column"},
                                                             {"sequence", "token", "feature"},
                                                             {"sequence", "head", "query", "key or feature"}};
    std::vector<std::string> sentences;
    if (pairs.empty()) return sentences;
    const Pair& pair = pairs.front();
    const Shape& shape = pair.expected.shape;
    if (shape.size() >= names.size()) return sentences;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::size_t inner = 1;
        for (std::size_t later = axis + 1; later < shape.size(); ++later)
            inner *= static_cast<std::size_t>(shape[later]);
        const auto size = static_cast<std::size_t>(shape[axis]);
        std::set<std::size_t> wrong;
        for (std::size_t i = 0; i < pair.expected.value.size(); ++i)
            if (differs(pair, i)) wrong.insert(i / inner % size);
        if (wrong.empty() || wrong.size() == size) continue;
        std::string list;
        for (const std::size_t index : wrong) list += (list.empty() ? "" : ", ") + std::to_string(index);
        sentences.push_back("along the axis of the " + plural(names[shape.size()][axis]) + " only " + list + " of 0.." +
                            std::to_string(size - 1) + (wrong.size() == 1 ? " is wrong" : " are wrong"));
    }
    return sentences;
}

}  // namespace

void localise(verdict::FunctionDiagnosis& diagnosis, const Function& function, judge::Student&,
              const std::vector<Observation>& observations) {
    const auto pairs = wrong_pairs(observations);
    diagnosis.stage = function.stage;
    for (const auto& [stage, question] : function.stages) {
        if (question >= observations.size()) break;
        const Observation& observation = observations[question];
        if (fit(predicted(observation, right()), observation.seen)) continue;
        diagnosis.stage = stage;
        break;
    }
    if (const std::string factor = constant_factor(pairs); !factor.empty()) diagnosis.sentences.push_back(factor);
    for (std::string& sentence : where(pairs)) diagnosis.sentences.push_back(std::move(sentence));
    int right_ones = 0;
    for (const Observation& observation : observations)
        right_ones += fit(predicted(observation, right()), observation.seen) ? 1 : 0;
    diagnosis.sentences.push_back(std::to_string(right_ones) + " of " + std::to_string(observations.size()) +
                                  " questions are answered right");
}

}  // namespace headway::diagnosis
