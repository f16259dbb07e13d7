// What should be refused and is not.
#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

/// One decision a check: each is made or forgotten by itself.
Decision check(const char* id) {
    return {id,
            "",
            {{"01", "What you will build"},
             {"02", "What you will build"},
             {"03", "What you will build"},
             {"04", "What you will build"},
             {"05", "What you will build"},
             {"07", "What you will build"},
             {"08", "What you will build"},
             {"09", "What you will build"},
             {"10", "What you will build"}},
            "at the top of the function: if the sizes do not fit, throw std::invalid_argument"};
}
const CatalogueEntry check_exception{check("check_exception")};
const CatalogueEntry check_widths{check("check_widths")};
const CatalogueEntry check_batches{check("check_batches")};
const CatalogueEntry check_lengths{check("check_lengths")};
const CatalogueEntry check_masks{check("check_masks")};
const CatalogueEntry check_divisible{check("check_divisible")};
const CatalogueEntry check_heads{check("check_heads")};
const CatalogueEntry check_kv_heads{check("check_kv_heads")};
const CatalogueEntry check_weights{check("check_weights")};
const CatalogueEntry check_extra_rows{check("check_extra_rows")};
const CatalogueEntry check_ranks{check("check_ranks")};
const CatalogueEntry check_bias{check("check_bias")};
const CatalogueEntry check_residual{check("check_residual")};

constexpr const char* because = "throw std::invalid_argument, as the header says";
constexpr const char* silent = "wrong numbers or a crash far away from the cause";

MISTAKE(
        .id = "refuses_with_another_exception", .decision = "check_exception",
        .title = "what does not fit is refused with another exception than std::invalid_argument", .right = because,
        .symptom = "callers that catch std::invalid_argument do not catch it",
        .question = "What does your code throw, and what does the header say?",
        .make = [](Choices& c) { c.checking.invalid_argument = false; });
MISTAKE(
        .id = "accepts_different_widths", .decision = "check_widths",
        .title = "q and k of different widths are not refused", .right = because, .symptom = silent,
        .question = "What does your loop do where k is wider than q?",
        .make = [](Choices& c) { c.checking.widths = false; });
MISTAKE(
        .id = "accepts_different_batches", .decision = "check_batches",
        .title = "q and k of different batches or heads are not refused", .right = because, .symptom = silent,
        .question = "What does your loop do where k has fewer sequences than q?",
        .make = [](Choices& c) { c.checking.batches = c.checking.more_keys = false; });
MISTAKE(
        .id = "ignores_further_sequences", .decision = "check_batches",
        .title = "keys and values of more sequences than there are queries are not refused: those beyond are ignored",
        .right = because, .symptom = silent, .question = "What does your loop do with the last sequence of k?",
        .make = [](Choices& c) { c.checking.more_keys = false; });
MISTAKE(
        .id = "accepts_different_lengths", .decision = "check_lengths",
        .title = "more values than keys are not refused", .right = because, .symptom = silent,
        .question = "What becomes of a value that has no key?", .make = [](Choices& c) { c.checking.lengths = false; });
MISTAKE(
        .id = "accepts_any_mask", .decision = "check_masks", .title = "a mask that does not broadcast is not refused",
        .right = because, .symptom = silent, .question = "What does your code do with a mask of S + 1 keys?",
        .make = [](Choices& c) { c.checking.masks = false; });
MISTAKE(
        .id = "accepts_indivisible_width", .decision = "check_divisible",
        .title = "D that is not divisible by num_heads is not refused: integer division loses the last features",
        .right = because, .symptom = silent, .question = "What is 13 / 3 in C++, and what becomes of feature 12?",
        .make = [](Choices& c) { c.checking.divisible = false; });
MISTAKE(
        .id = "accepts_no_heads", .decision = "check_heads", .title = "num_heads < 1 is not refused", .right = because,
        .symptom = "a division by zero kills the program", .question = "What is D / num_heads for num_heads = 0?",
        .make = [](Choices& c) { c.checking.heads = false; });
MISTAKE(
        .id = "accepts_no_kv_heads", .decision = "check_kv_heads", .title = "num_kv_heads < 1 is not refused",
        .right = because, .symptom = "a division by zero kills the program",
        .question = "What is H % H_kv for H_kv = 0?", .make = [](Choices& c) { c.checking.kv_heads = false; });
MISTAKE(
        .id = "accepts_weights_of_other_height", .decision = "check_weights",
        .title = "a weight whose rows do not match the features is not refused", .right = because, .symptom = silent,
        .question = "What becomes of the rows of w beyond D?", .make = [](Choices& c) { c.checking.weights = false; });
MISTAKE(
        .id = "ignores_extra_rows", .decision = "check_extra_rows",
        .title = "a weight with more rows than there are features is not refused: the rows beyond are ignored",
        .right = because, .symptom = silent, .question = "What becomes of the rows of w beyond D?",
        .make = [](Choices& c) { c.checking.extra_rows = false; });
MISTAKE(
        .id = "accepts_other_ranks", .decision = "check_ranks", .title = "a tensor of another rank is not refused",
        .right = because, .symptom = silent, .question = "What does your code do with a tensor that lacks an axis?",
        .make = [](Choices& c) { c.checking.ranks = false; });
MISTAKE(
        .id = "accepts_other_bias", .decision = "check_bias", .title = "a bias of another length is not refused",
        .right = because, .symptom = silent, .question = "What does your code do with a bias that is too short?",
        .make = [](Choices& c) { c.checking.bias = false; });
MISTAKE(
        .id = "accepts_other_residual", .decision = "check_residual",
        .title = "x and attended of different shapes are not refused", .right = because, .symptom = silent,
        .question = "What does your code do where attended has fewer tokens?",
        .make = [](Choices& c) { c.checking.residual = false; });

}  // namespace
}  // namespace headway::diagnosis
