// What diagnosis knows of exercise 08.
#include "suites/08_kv_cache/questions.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// Whether some token's row is written past its end: token t stands at lengths[b] + t, which may be no position of S.
bool leaves_the_mask(Caching::MaskEnds ends, const Shape& lengths, Index n, Index S) {
    return ends != Caching::MaskEnds::anywhere && std::ranges::any_of(lengths, [&](Index length) {
               return (ends == Caching::MaskEnds::behind_every_token ? length : std::min(length, S - 1)) + n > S;
           });
}

Predict decoding_mask(const Arguments& arguments) {
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const Index n = integer(arguments, "n"), S = integer(arguments, "S");
    return [=](const Choices& c) {
        if (leaves_the_mask(c.of<Caching>().mask_ends, lengths, n, S))
            return Answer::without_value(Answer::Kind::refused);
        Array mask = zeros({static_cast<Index>(lengths.size()), 1, n, S});
        each(mask.shape, [&](Coordinate at, std::size_t i) {
            mask.value[i] = c.of<Caching>().hidden(lengths, as_size(at[0]), at[2], at[3], n, S) ? 1 : 0;
        });
        return Answer::of(std::move(mask));
    };
}

AnswerAndChanges ask_decoding_mask(judge::Student& student, const Arguments& arguments) {
    const judge::Outcome outcome = student.outcome("decoding_mask", arguments);
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const bool has_all = std::ranges::max(lengths) + integer(arguments, "n") <= integer(arguments, "S");
    // Some take a token without a position for a mistake of the caller's.
    if (!has_all && is_refusal(outcome)) return Answer::without_value(Answer::Kind::not_judged);
    return {answer_of(outcome), outcome.changed_arguments};
}

std::vector<Arguments> decoding_mask_questions(Random&) {
    std::vector<Arguments> questions;
    for (const Shape& lengths : {Shape{0, 0, 0}, Shape{2, 3, 5, 1}, Shape{4}, Shape{5, 0, 3}})
        for (const Index n : {Index{1}, Index{3}}) {
            const Index longest = *std::max_element(lengths.begin(), lengths.end());
            questions.push_back({{"lengths", lengths}, {"n", n}, {"S", longest + n + (n == 3 ? 2 : 0)}});
        }
    // As many positions as new tokens, and fewer than all of them need: some stand behind the last, as padding may.
    for (const Index S : {1, 3, 4, 5})
        for (const Index n : {Index{1}, Index{3}})
            questions.push_back({{"lengths", Shape{2, 0, 4}}, {"n", n}, {"S", S}});
    return questions;
}

const SubjectRegistration registration("08_kv_cache", {{function_append(),
                                                        function_make_cache(),
                                                        {.name = "decoding_mask",
                                                         .model = &decoding_mask,
                                                         .questions = &decoding_mask_questions,
                                                         .ask = &ask_decoding_mask,
                                                         .stage = Stage::mask},
                                                        function_decode()}});

}  // namespace
}  // namespace headway::diagnosis
