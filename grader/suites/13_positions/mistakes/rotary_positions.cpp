// Where a token stands, and how far its pairs are turned.
#include "suites/13_positions/rotary.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

using Token = Rotary::Token;
using Pair = Rotary::Pair;

double number(Index n) { return static_cast<double>(n); }

const double whole_turn = 2 * std::acos(-1.0);

constexpr const char* own_padding = "the first token that is no padding has position 0: max(0, first + t - padding[b])";
constexpr const char* any_padding = "any count from 0 on is answered, however few tokens there are so far: zeros";
constexpr const char* right_power = "pair i is turned by position · base^(-2i/d), d the width of one head";
constexpr const char* loaded = "trains as well as the right one; loaded weights give nonsense";

}  // namespace

namespace chapters {

Chapter rotary_positions() {
    static constexpr Decision decisions[] = {
        {.id = "token_position",
         .stage = Stage::none,
         .lesson = {{"13", "Padding on the left"}},
         .pseudocode = "positions (B,T): max(0, first + t - padding[b])"},
        {.id = "rotary_angle",
         .stage = Stage::none,
         .lesson = {{"13", "As a formula"}},
         .pseudocode = "angles (B,T,d/2): positions[b,t] · base^(-2i/d), divided as floating-point numbers"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- positions ----
        {.id = "position_padding_ignored",
         .decision = "token_position",
         .title = "padding on the left is not counted: a token's position is its column",
         .right = own_padding,
         .symptom = "the longest text of a batch is right; shorter ones begin at a position that is not 0",
         .question = "Which position has the first real token of a text with three tokens of padding?",
         .shipped = {"unsloth: https://github.com/unslothai/unsloth/issues/3699",
                     "nnsight: https://github.com/ndif-team/nnsight/pull/673"},
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) { return number(token.first + token.t); };
             }},
        {.id = "position_padding_on_the_right",
         .decision = "token_position",
         .title = "padding is taken to stand on the right: the last tokens get position 0",
         .right = own_padding,
         .symptom = "right without padding; else the real tokens at the end are told that they come first",
         .question = "At which end of a row does a model append the next token?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return token.t >= token.T - token.padded() ? 0 : number(token.first + token.t);
                 };
             }},
        {.id = "position_padding_capped",
         .decision = "token_position",
         .title = "padding counts up to T at most",
         .right = own_padding,
         .symptom = "right for a whole text; token by token, padding is taken for one token",
         .question = "Must all padding be among these T tokens?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(std::max<Index>(0, token.first + token.t - std::min(token.padded(), token.T)));
                 };
             }},
        {.id = "position_padding_counts_at_the_beginning",
         .decision = "token_position",
         .title = "padding is taken off only where first = 0",
         .right = own_padding,
         .symptom = "the prompt is right; then positions jump by the padding",
         .question = "Which position follows that of the prompt's last token?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     if (token.first > 0) return number(token.first + token.t);
                     return number(std::max<Index>(0, token.t - token.padded()));
                 };
             }},
        {.id = "position_counts_from_one",
         .decision = "token_position",
         .title = "the first real token has position 1",
         .right = own_padding,
         .symptom = "distances are right; a cache that was filled by others does not fit",
         .question = "How far is the first token turned?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(std::max<Index>(0, token.first + token.t - token.padded() + 1));
                 };
             }},
        {.id = "position_of_all_counts_from_one",
         .decision = "token_position",
         .title = "every position is larger by one, that of padding too",
         .right = own_padding,
         .symptom = "distances are right; a cache that was filled by others does not fit",
         .question = "How far is the first token turned?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(std::max<Index>(0, token.first + token.t - token.padded()) + 1);
                 };
             }},
        {.id = "position_below_zero",
         .decision = "token_position",
         .title = "padding has positions below 0",
         .right = own_padding,
         .symptom = "harmless where positions turn; where they look up a row of a table, an index out of range",
         .question = "What is 0 - padding[b]?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(token.first + token.t - token.padded());
                 };
             }},
        {.id = "position_below_zero_behind_others",
         .decision = "token_position",
         .title = "padding has positions below 0 where tokens came before: only in the first call it has position 0",
         .right = own_padding,
         .symptom = "the prompt is right, and so is padding that ends with it",
         .question = "A text begins with 5 of padding, and 3 tokens came before these: is the next one no padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     const Index at = token.first + token.t - token.padded();
                     return token.first == 0 && at < 0 ? 0 : number(at);
                 };
             }},
        {.id = "position_of_padding_is_one",
         .decision = "token_position",
         .title = "padding has position 1",
         .right = own_padding,
         .symptom = "nothing, as long as padding is masked",
         .question = "Which position do you give to tokens that are padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     const Index at = token.first + token.t - token.padded();
                     return at < 0 ? 1 : number(at);
                 };
             }},
        {.id = "position_padding_set_to_zero_alone",
         .decision = "token_position",
         .title = "padding has position 0, but the real tokens after it keep the number of their column",
         .right = own_padding,
         .symptom = "the longest text of a batch is right; shorter ones begin at a position that is not 0",
         .question = "Which position has the first real token of a text with three tokens of padding?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     const Index column = token.first + token.t;
                     return column < token.padded() ? 0 : number(column);
                 };
             }},
        {.id = "position_forgets_what_came_before",
         .decision = "token_position",
         .title = "positions begin anew with each call: the tokens before these are not counted",
         .right = own_padding,
         .symptom = "the prompt is right; every token that is decoded stands at the beginning",
         .question = "How many tokens came before the first of these?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(std::max<Index>(0, token.t - token.padded()));
                 };
             }},
        {.id = "position_adds_first_afterwards",
         .decision = "token_position",
         .title =
             "`first` is added after padding was cut off at 0: of a later chunk, the first padding[b] tokens stand "
             "too far on",
         .right = own_padding,
         .symptom = "right for a prompt in one piece; in a later chunk, distances to these tokens are wrong",
         .question =
             "What does max(0, t - padding[b]) give where all these tokens are real, and the padding came before?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(token.first + std::max<Index>(0, token.t - token.padded()));
                 };
             }},
        {.id = "position_padding_of_first_text",
         .decision = "token_position",
         .title = "the padding of the first text is taken off from the positions of all",
         .right = own_padding,
         .symptom = "right while all texts are equally long",
         .question = "Which entry of padding do you read for text 1?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().position = [](const Token& token) {
                     return number(std::max<Index>(0, token.first + token.t - token.padding.front()));
                 };
             }},
        {.id = "position_refuses_long_padding",
         .decision = "token_position",
         .title = "padding of more than first + T tokens is refused: a text that is padding so far",
         .right = any_padding,
         .symptom = "a prompt in chunks ends with an exception where one text is much shorter than another",
         .question = "Which positions has a text whose first real token comes in the next chunk?",
         .make = [](Choices& c) { c.change<Rotary>().most_padding = [](Index first, Index T) { return first + T; }; }},
        {.id = "position_refuses_padding_alone",
         .decision = "token_position",
         .title = "padding of first + T tokens or more is refused: a text that is padding so far",
         .right = any_padding,
         .symptom = "a prompt in chunks ends with an exception where one text is much shorter than another",
         .question = "Which positions has a text whose first real token comes in the next chunk?",
         .make =
             [](Choices& c) { c.change<Rotary>().most_padding = [](Index first, Index T) { return first + T - 1; }; }},
        {.id = "position_refuses_more_padding_than_tokens",
         .decision = "token_position",
         .title = "padding of more than T tokens is refused",
         .right = any_padding,
         .symptom = "the prompt is right; the first token behind it ends with an exception",
         .question = "Must all padding be among these T tokens?",
         .make = [](Choices& c) { c.change<Rotary>().most_padding = [](Index, Index T) { return T; }; }},
        // ---- angles ----
        {.id = "angle_exponent_not_divided",
         .decision = "rotary_angle",
         .title = "the exponent is -2i: it is not divided by d",
         .right = right_power,
         .symptom = "all pairs but the first stand nearly still: positions are told apart by a few features alone",
         .question = "With d = 6, what is the exponent of the last pair?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) { return std::pow(p.base, -2 * number(p.i)); };
             }},
        {.id = "angle_exponent_divided_by_half",
         .decision = "rotary_angle",
         .title = "the exponent is -4i / d: i is doubled twice, or divided by d/2, the number of pairs",
         .right = right_power,
         .symptom = loaded,
         .question = "How many numbers does your loop over 0, 2, 4, ... go through, and which is the last?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return std::pow(p.base, -4 * number(p.i) / number(p.d));
                 };
             }},
        {.id = "angle_exponent_not_doubled",
         .decision = "rotary_angle",
         .title = "the exponent is -i/d, half of what it should be",
         .right = right_power,
         .symptom = loaded,
         .question = "Is your i the number of a pair or that of its first feature?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return std::pow(p.base, -number(p.i) / number(p.d));
                 };
             }},
        {.id = "angle_exponent_positive",
         .decision = "rotary_angle",
         .title = "the exponent is 2i/d: later pairs turn faster and faster",
         .right = right_power,
         .symptom = "angles of thousands of turns, of which float32 keeps no decimals",
         .question = "Which pair turns fastest, the first or the last?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return std::pow(p.base, 2 * number(p.i) / number(p.d));
                 };
             }},
        {.id = "angle_of_first_pair_for_all",
         .decision = "rotary_angle",
         .title = "every pair is turned by the position itself, as the first is, as if 2i/d were divided in integers",
         .right = right_power,
         .symptom = "after six tokens all pairs are round the circle: far and near look alike",
         .question = "What is 2 / 6 in C++?",
         .make = [](Choices& c) { c.change<Rotary>().frequency = [](const Pair&) { return 1.0; }; }},
        {.id = "angle_reaches_the_base",
         .decision = "rotary_angle",
         .title = "the exponent is -i / (d/2 - 1): the last pair's wavelength is the base itself",
         .right = right_power,
         .symptom = loaded,
         .question = "Which exponent has the last pair, -1 or a little less?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return std::pow(p.base, -number(p.i) / number(std::max<Index>(1, p.d / 2 - 1)));
                 };
             }},
        {.id = "angle_counts_pairs_from_one",
         .decision = "rotary_angle",
         .title = "the exponent is -2(i + 1)/d: pairs are counted from 1",
         .right = right_power,
         .symptom = loaded,
         .question = "By how much is pair 0 turned from one token to the next?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return std::pow(p.base, -2 * number(p.i + 1) / number(p.d));
                 };
             }},
        {.id = "angle_in_whole_turns",
         .decision = "rotary_angle",
         .title = "angles are multiplied by 2π, as if position · base^(-2i/d) counted turns",
         .right = right_power,
         .symptom = "the first pair is turned all the way round by each token, and so not at all",
         .question = "By which angle is the first pair turned from one token to the next?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().frequency = [](const Pair& p) {
                     return whole_turn * std::pow(p.base, -2 * number(p.i) / number(p.d));
                 };
                 c.change<Rotary>().frequency_is_unsure = 1 - 6.28 / whole_turn;  // some write 6.28 or 6.283
             }},
        {.id = "angle_less_whole_turns",
         .decision = "rotary_angle",
         .title = "whole turns are taken off: angles stay below 2π",
         .right = right_power,
         .symptom = "turned features are right as long as what is taken off is 2π to the last digit",
         .question = "What is the angle of pair 0 at position 7?",
         .make = [](Choices& c) { c.change<Rotary>().turn_taken_off = whole_turn; }},
        {.id = "angle_of_first_text",
         .decision = "rotary_angle",
         .title = "the positions of the first text are taken for those of all texts",
         .right = "angles[b, t] are those of positions[b, t]",
         .symptom = "right for one text, and for a batch without padding",
         .question = "Which row of positions does your code read for text 1?",
         .make = [](Choices& c) { c.change<Rotary>().positions_of_first_text = true; }},
        {.id = "angle_base_fixed",
         .decision = "rotary_angle",
         .title = "the base is 10000, whatever is asked for",
         .right = "take the base that is handed over: models differ in it",
         .symptom = "right for models of base 10000; long contexts of others give nonsense",
         .question = "Where does your code read base?",
         .make = [](Choices& c) { c.change<Rotary>().base_is_fixed = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
