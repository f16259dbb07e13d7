// What diagnosis knows of exercise 08.
#include "suites/08_kv_cache/questions.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

Predict decoding_mask(const Arguments& arguments) {
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const Index n = integer(arguments, "n"), S = integer(arguments, "S");
    return [=](const Choices& c) {
        Array mask = zeros({static_cast<Index>(lengths.size()), 1, n, S});
        each(mask.shape, [&](Coordinate at, std::size_t i) {
            mask.value[i] = c.of<Caching>().hidden(lengths, as_size(at[0]), at[2], at[3], n, S) ? 1 : 0;
        });
        return Answer::of(std::move(mask));
    };
}

std::vector<Arguments> decoding_mask_questions(Random&) {
    std::vector<Arguments> questions;
    for (const Shape& lengths : {Shape{0, 0, 0}, Shape{2, 3, 5, 1}, Shape{4}, Shape{5, 0, 3}})
        for (const Index n : {Index{1}, Index{3}}) {
            const Index longest = *std::max_element(lengths.begin(), lengths.end());
            questions.push_back({{"lengths", lengths}, {"n", n}, {"S", longest + n + (n == 3 ? 2 : 0)}});
        }
    return questions;
}

const SubjectRegistration registration(
    "08_kv_cache",
    {{function_append(),
      function_make_cache(),
      {.name = "decoding_mask", .model = &decoding_mask, .questions = &decoding_mask_questions, .stage = "mask"},
      function_decode()}});

}  // namespace
}  // namespace headway::diagnosis
