#include "diagnosis/pairs.hpp"

#include "student/expect.hpp"

#include <algorithm>

namespace headway::diagnosis {

bool differs(const Pair& pair, std::size_t i) {
    return !judge::close(pair.seen.value[i], pair.expected.value[i],
                         judge::tolerance(pair.expected.value[i], pair.expected.error[i]), 0);
}

bool differs(const Pair& pair) {
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i)
        if (differs(pair, i)) return true;
    return false;
}

std::vector<Pair> wrong_pairs(const std::vector<Observation>& observations) {
    std::vector<Pair> pairs;
    for (const Observation& observation : observations) {
        const Answer expected = predicted(observation, right());
        if (!expected.is_value() || !observation.seen.is_value() || fit(expected, observation.seen)) continue;
        if (says_it_refused(observation.seen) && !says_it_refused(expected)) continue;
        for (std::size_t i = 0; i < std::min(expected.parts.size(), observation.seen.parts.size()); ++i) {
            const auto& [part, due] = expected.parts[i];
            const Array& seen = observation.seen.parts[i].second;
            // Facts in words have no numbers, and one that differs has another name.
            const bool is_fact = due.shape.empty() && due.value.empty();
            if (have_one_shape(due, seen) && !is_fact) pairs.push_back({part, due, seen});
        }
    }
    return pairs;
}

const Observation* smallest_wrong(const std::vector<Observation>& observations) {
    std::vector<const Observation*> wrong;
    for (const Observation& one : observations)
        if (one.seen.is_value() && !fit(predicted(one, right()), one.seen)) wrong.push_back(&one);
    const auto least = std::ranges::min_element(wrong, {}, [](const Observation* one) {
        Index numbers = 0;
        for (const wire::Field& field : one->arguments)
            if (const auto* tensor = std::get_if<Tensor>(&field.value)) numbers += tensor->numel();
        return numbers;
    });
    return least == wrong.end() ? nullptr : *least;
}

}  // namespace headway::diagnosis
