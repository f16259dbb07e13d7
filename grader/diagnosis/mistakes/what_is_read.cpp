// Mistakes whose title is what was found: what is read or left out (see what_is_read.hpp), and what hidden tests say in
// words.
#include "diagnosis/chapters.hpp"

namespace headway::diagnosis {

Chapter chapters::what_is_read() {
    static constexpr Decision decisions[] = {
        {.id = told_in_words,
         .stage = Stage::none,
         .lesson = {},
         .pseudocode =
             "each element of the result is computed once, from all that its formula names and from nothing else"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "part_never_read",
         .decision = told_in_words,
         .title = "part of what is given is never read",
         .right = "the result depends on all that is given: use each argument, each loop to the end of its own axis",
         .symptom = "right where what is left out is 0, or is not there; else wrong without a word",
         .question = "Which argument, or which end of an axis, does none of your lines reach?",
         .shipped = {"transformers: https://github.com/huggingface/transformers/pull/48356"}},
        {.id = "part_read_for_another",
         .decision = told_in_words,
         .title = "one part of what is given is read in place of another",
         .right = "each index of the result finds its own part of the argument",
         .symptom = "right as long as the parts are alike, or there is only one",
         .question = "Which of your indices is missing, or is not that of the loop around it?",
         .shipped = {"Triton: https://github.com/triton-lang/triton/issues/6242"}},
        {.id = "part_never_written",
         .decision = told_in_words,
         .title = "part of the result is never computed",
         .right = "each element of the result is computed, the last ones too",
         .symptom = "zeros, or what memory held, where numbers should be",
         .question = "Which elements of the result does none of your loops reach?"},
        {.id = "part_added_too_often",
         .decision = told_in_words,
         .title = "part of the result gets more than once what it should get once",
         .right = "what is there counts once, and each share is added once: += stands in the loops that its share "
                  "depends on, and in no other",
         .symptom = "no shape is wrong: only this sum is too large, and what is learned from it with it",
         .question = "Which loops does this += stand in, and which of their indices does what it adds depend on?"},
        {.id = "part_added_by_a_factor",
         .decision = told_in_words,
         .title = "part of the result gets a multiple of what should be added",
         .right = "what is added is the sum itself: no mean, no other factor, and with the sign of the formula",
         .symptom = "no shape is wrong: only the size or the sign of what this part gets",
         .question = "Which factor, size or sign stands between the sum and what you add?"},
        {.id = "part_in_anothers_place",
         .decision = told_in_words,
         .title = "one part of the result is in the place of another",
         .right = "each part of the result is in the place that its name says",
         .symptom = "the numbers are right, but code that reads them by name gets others",
         .question = "In which order are the members of what you return, and in which do you fill them?"},
        {.id = "refuses_what_fits",
         .decision = told_in_words,
         .title = "it throws where it should answer",
         .right = "the header says what is refused: all else gets an answer",
         .symptom = "what the header allows ends any program that relies on it",
         .question = "Which of your lines throws, and what has the header to say of such arguments?"},
        {.id = "part_times_a_factor",
         .decision = told_in_words,
         .title = "part of the result is a factor times what it should be",
         .right = "leave out the factor, or what brings it in",
         .symptom = "shapes and proportions are right: only the size of this part is wrong",
         .question = "Which number or size multiplies or divides this part, and which one should?"},
        {.id = "result_times_a_size",
         .decision = told_in_words,
         .title = "the whole result is a size times what it should be",
         .right = "leave out the factor, or what brings it in",
         .symptom = "shapes and proportions are right: only the size is wrong",
         .question = "Which size multiplies or divides everything, and which one should?"},
        {.id = not_refused,
         .decision = told_in_words,
         .title = "arguments that do not fit are not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "what does not fit goes on without a word: it shows elsewhere and later, or never",
         .question = "Which sizes must be equal, and which of your checks compares these two?"},
        {.id = not_as_promised,
         .decision = told_in_words,
         .title = "something that the header promises besides the numbers does not hold",
         .right = "what the header says of this function, or of all of them",
         .symptom = "a caller who has read the header counts on it",
         .question = "What does the header say of this besides the numbers that come back?"},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
