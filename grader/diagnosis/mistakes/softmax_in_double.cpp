// How scores become weights in double, whose exponentials overflow and vanish far later.
#include "diagnosis/chapters.hpp"

#include <algorithm>

namespace headway::diagnosis {

Chapter chapters::softmax_in_double() {
    static constexpr Mistake mistakes[] = {
        {.id = "softmax_without_maximum_in_double",
         .decision = "softmax_shift",
         .title = "no maximum is subtracted before exp: large scores overflow to inf / inf = NaN, in double too",
         .right = "subtract each row's maximum first",
         .symptom = "right for small scores; one score above 709 gives NaN",
         .question = "What is exp(1000), even in double?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row&) { return 0.0; };
                 c.softmaxing.in_double = true;
             }},
        {.id = "softmax_shift_of_everything_in_double",
         .decision = "softmax_shift",
         .title = "the maximum of the whole tensor is subtracted: rows far below it become 0 / 0 = NaN, in double too",
         .right = "subtract each row's own maximum",
         .symptom = "right until rows differ by more than about 745",
         .question = "What is exp(-1000), even in double, and what is 0 / 0?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) { return row.largest_of_all; };
                 c.softmaxing.in_double = true;
             }},
        {.id = "softmax_maximum_from_zero_in_double",
         .decision = "softmax_shift",
         .title = "the running maximum starts at 0: rows of very negative scores vanish, in double too",
         .right = "start it at -infinity, or at the row's first score",
         .symptom = "right unless every score of a row is below about -745; then 0 / 0, or weights of 0",
         .question = "What is your running maximum before it has seen a score?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) { return std::max(0.0, row.maximum()); };
                 c.softmaxing.in_double = true;
             }},
        {.id = "softmax_maximum_of_blocked_in_double",
         .decision = "softmax_shift",
         .title = "the row's maximum is taken over blocked keys too: a far larger blocked score makes the open ones "
                  "vanish, in double too",
         .right = "take the maximum over the keys that may be seen",
         .symptom = "right until a blocked score is larger than the open ones by more than about 745",
         .question = "Is the maximum taken before or after blocked scores are struck out?",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) { return row.largest_blocked; };
                 c.softmaxing.in_double = true;
             },
         .from = "03"},
    };
    return {{}, mistakes};
}

}  // namespace headway::diagnosis
