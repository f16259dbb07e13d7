// What a cache takes.
#include "suites/12_small_numbers/eight.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

using Sizes = Eights::Sizes;

double as_number(Index n) { return static_cast<double>(n); }
double rows_in(const Sizes& n) { return as_number(n.B * n.H * n.S); }
double numbers_in(const Sizes& n) { return rows_in(n) * as_number(n.d + n.d_v); }
double right_bytes(const Sizes& n, const std::string& kept) { return Eights::right().bytes(n, kept); }

constexpr const char* what_is_stored =
    "numbers · 4, 2 or 1 bytes, and for int8 4 bytes more for each row of k and each of v";

/// As it should be, but for int8.
template <double (*of_int8)(const Sizes&)>
void counts_int8(Choices& c) {
    c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
        return how == "as_int8" ? of_int8(n) : right_bytes(n, how);
    };
}
/// Of other sizes.
template <Sizes (*other)(const Sizes&)>
void counts_for(Choices& c) {
    c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) { return right_bytes(other(n), how); };
}

Sizes values_as_wide(const Sizes& n) { return {n.B, n.H, n.S, n.d, n.d}; }
Sizes one_head(const Sizes& n) { return {n.B, 1, n.S, n.d, n.d_v}; }

double without_scales(const Sizes& n) { return numbers_in(n); }
double one_scale_a_row(const Sizes& n) { return numbers_in(n) + 4 * rows_in(n); }
double one_scale_a_token(const Sizes& n) { return numbers_in(n) + 8 * as_number(n.B * n.S); }
double byte_scales(const Sizes& n) { return numbers_in(n) + 2 * rows_in(n); }
double double_scales(const Sizes& n) { return numbers_in(n) + 16 * rows_in(n); }

/// As it should be, and a float for each row also where none is kept.
template <bool of_floats>
void counts_scales_of_others(Choices& c) {
    c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
        const bool has_more = how == "as_half" || (of_floats && how == "as_float");
        return right_bytes(n, how) + (has_more ? 8 * rows_in(n) : 0);
    };
}

/// What is left in 32 bits.
double as_int(double bytes) {
    const double left = std::fmod(bytes, 0x1p32);
    return left < 0x1p31 ? left : left - 0x1p32;
}
double half_of_scales(const Sizes& n, const std::string& how) { return how == "as_int8" ? 4 * rows_in(n) : 0; }
double of_keys(const Sizes& n, const std::string& how) {
    return right_bytes({n.B, n.H, n.S, n.d, 0}, how) - half_of_scales(n, how);
}
double of_values(const Sizes& n, const std::string& how) {
    return right_bytes({n.B, n.H, n.S, 0, n.d_v}, how) - half_of_scales(n, how);
}

}  // namespace

namespace chapters {

Chapter eight_bytes() {
    static constexpr Decision decisions[] = {
        {.id = "eight_bytes",
         .stage = Stage::none,
         .lesson = {{"12", "What it costs, what it saves"}},
         .pseudocode = "rows = B·H·S;  rows·(d + d_v)·(4, 2 or 1), and rows·2·4 for the scales of int8"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "bytes_without_scales",
         .decision = "eight_bytes",
         .title = "scales are not counted",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_int8<&without_scales>},
        {.id = "bytes_with_one_scale_for_k_and_v",
         .decision = "eight_bytes",
         .title = "scales take half of their bytes: one for a row of keys and its values, or two bytes for each",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_int8<&one_scale_a_row>},
        {.id = "bytes_with_a_scale_a_token",
         .decision = "eight_bytes",
         .title = "a scale is counted for each token, not for each of its heads",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_int8<&one_scale_a_token>},
        {.id = "bytes_with_scales_of_one",
         .decision = "eight_bytes",
         .title = "a scale is counted as one byte",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_int8<&byte_scales>},
        {.id = "bytes_with_scales_of_eight",
         .decision = "eight_bytes",
         .title = "a scale is counted as eight bytes",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_int8<&double_scales>},
        {.id = "bytes_with_d_for_both",
         .decision = "eight_bytes",
         .title = "values are taken to be as wide as keys",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_for<&values_as_wide>},
        {.id = "bytes_of_one_head",
         .decision = "eight_bytes",
         .title = "heads are not counted",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_for<&one_head>},
        {.id = "bytes_of_keys_alone",
         .decision = "eight_bytes",
         .title = "values are not counted",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
                     return right_bytes({n.B, n.H, n.S, n.d, 0}, how) - (how == "as_int8" ? 4 * rows_in(n) : 0);
                 };
             }},
        {.id = "bytes_with_scales_of_halves",
         .decision = "eight_bytes",
         .title = "scales are counted for halves, too, which have none",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_scales_of_others<false>},
        {.id = "bytes_with_scales_of_all",
         .decision = "eight_bytes",
         .title = "scales are counted whatever is kept: floats and halves have none",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make = &counts_scales_of_others<true>},
        {.id = "bytes_in_an_int",
         .decision = "eight_bytes",
         .title = "bytes are counted in an int: from 2^31 on they do not fit",
         .right = "an Index has 64 bits, and so must all that leads to it",
         .symptom = "right for short texts; long ones take a negative number of bytes",
         .question = "How large is the largest int?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
                     return as_int(right_bytes(n, how));
                 };
             }},
        {.id = "bytes_of_keys_and_of_values_in_an_int",
         .decision = "eight_bytes",
         .title = "the bytes of keys and those of values are each counted in an int: from 2^31 on they do not fit",
         .right = "an Index has 64 bits, and so must all that leads to it",
         .symptom = "right for short texts; long ones take a negative number of bytes",
         .question = "How large is the largest int?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
                     return as_int(of_keys(n, how)) + as_int(of_values(n, how));
                 };
             }},
        {.id = "bytes_counted_as_bits",
         .decision = "eight_bytes",
         .title = "8 times too many, as where bits are counted, not bytes",
         .right = what_is_stored,
         .symptom = "the cache needs other memory than was planned",
         .question = "What is stored for one token of one head, byte by byte?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().bytes = [](const Sizes& n, const std::string& how) {
                     return 8 * right_bytes(n, how);
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
