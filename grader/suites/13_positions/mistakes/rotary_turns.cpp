// How pairs are turned, which features are a pair, and how columns go from one order into the other.
#include "suites/13_positions/rotary.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <utility>

namespace headway::diagnosis {
namespace {

using Term = Rotary::Term;

/// The right turns, to be changed.
Term pair_of_neighbours(Index j, Index d) { return Rotary::right().pairs(j, d); }
Term half_a_head_apart(Index j, Index d) { return Rotary::right().halves(j, d); }

template <Rotary::Turn turn>
Term clockwise(Index j, Index d) {
    const Term term = turn(j, d);
    return {term.angle, term.along, term.across, -term.sign};
}

template <Rotary::Turn turn>
Term without_minus(Index j, Index d) {
    const Term term = turn(j, d);
    return {term.angle, term.along, term.across, 1};
}

/// Features get the angle of number j % (d/2), or j / 2.
Term neighbours_with_tiled_angles(Index j, Index d) {
    const Term term = pair_of_neighbours(j, d);
    return {j % (d / 2), term.along, term.across, term.sign};
}
Term halves_with_repeated_angles(Index j, Index d) {
    const Term term = half_a_head_apart(j, d);
    return {j / 2, term.along, term.across, term.sign};
}

/// Neighbours are turned, and written half a head apart.
Term neighbours_written_as_halves(Index j, Index d) {
    const Index half = d / 2;
    return j < half ? Term{j, 2 * j, 2 * j + 1, -1} : Term{j - half, 2 * (j - half) + 1, 2 * (j - half), 1};
}

/// Of the pairs, the first half is turned.
template <Rotary::Turn turn>
Term first_half_of_pairs(Index j, Index d) {
    const Term term = turn(j, d);
    return term.angle < std::max<Index>(1, d / 4) ? term : Term{Rotary::no_angle, j, j, 0};
}

/// Columns of all heads are taken for one head.
Index to_halves_of_one_head(Index j, Index H, Index d) { return Rotary::right().to_halves(j, 1, H * d); }
Index to_pairs_of_one_head(Index j, Index H, Index d) { return Rotary::right().to_pairs(j, 1, H * d); }
Index unchanged(Index j, Index, Index) { return j; }

/// Columns 1, 3, 5, ... of a head come first.
Index odd_to_the_front(Index j, Index, Index d) {
    const Index in_head = j % d, half = d / 2;
    return j - in_head + (in_head < half ? 2 * in_head + 1 : 2 * (in_head - half));
}
Index odd_from_the_front(Index j, Index, Index d) {
    const Index in_head = j % d;
    return j - in_head + in_head / 2 + (1 - in_head % 2) * (d / 2);
}

constexpr const char* right_turn = "(x, y) becomes (x·cos - y·sin, x·sin + y·cos), with the x and y from before";
constexpr const char* right_halves = "features i and i + d/2 are a pair, and have the i-th angle";
constexpr const char* right_neighbours = "features 2i and 2i + 1 are a pair, and have the i-th angle";
constexpr const char* right_columns = "within each head, columns 0, 2, 4, ... come first, then 1, 3, 5, ..., and back";
constexpr const char* other_pairs = "trains as well as the right one; loaded weights give nonsense";

}  // namespace

namespace chapters {

Chapter rotary_turns() {
    static constexpr Decision decisions[] = {
        {.id = "rotary_turn",
         .stage = Stage::split,
         .lesson = {{"13", "As a formula"}},
         .pseudocode = "for each pair (x, y) of a head: (x·cos - y·sin, x·sin + y·cos), both from the old x and y"},
        {.id = "rotary_pair",
         .stage = Stage::split,
         .lesson = {{"13", "Two conventions"}},
         .pseudocode = "neighbours: pair i is features (2i, 2i + 1); halves: (i, i + d/2); both have angles[b,t,i]"},
        {.id = "rotary_columns",
         .stage = Stage::project,
         .lesson = {{"13", "Two conventions"}},
         .pseudocode =
             "w (...,H·d) view→ (...,H,d/2,2) transpose→ (...,H,2,d/2) contiguous, view→ (...,H·d); the way back "
             "begins with (...,H,2,d/2)"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- turning ----
        {.id = "turned_clockwise",
         .decision = "rotary_turn",
         .title = "pairs are turned the other way, clockwise",
         .right = right_turn,
         .symptom = "scores depend on the distance alone, but with its sign exchanged; loaded caches do not fit",
         .question = "Where does (1, 0) go by a quarter turn: to (0, 1) or to (0, -1)?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().pairs = &clockwise<&pair_of_neighbours>;
                 c.change<Rotary>().halves = &clockwise<&half_a_head_apart>;
             }},
        {.id = "turned_without_minus",
         .decision = "rotary_turn",
         .title = "the minus is missing: x becomes x·cos + y·sin, and y becomes x·sin + y·cos",
         .right = right_turn,
         .symptom = "no rotation: lengths change with the position, and scores depend on more than the distance",
         .question = "How long is (1, 1) after a turn?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().pairs = &without_minus<&pair_of_neighbours>;
                 c.change<Rotary>().halves = &without_minus<&half_a_head_apart>;
             }},
        {.id = "turned_clockwise_in_halves",
         .decision = "rotary_turn",
         .title = "halves are turned the other way, clockwise; neighbours are not",
         .right = right_turn,
         .symptom = "what one convention turns, the other turns back: converted weights give nonsense",
         .question = "Where does rotate_halves turn (1, 0) by a quarter turn: to (0, 1) or to (0, -1)?",
         .make = [](Choices& c) { c.change<Rotary>().halves = &clockwise<&half_a_head_apart>; }},
        {.id = "turned_without_minus_in_halves",
         .decision = "rotary_turn",
         .title = "the minus is missing in halves alone: x becomes x·cos + y·sin, and y becomes x·sin + y·cos",
         .right = right_turn,
         .symptom = "no rotation: lengths change with the position; neighbours are turned as they should be",
         .question = "How long is (1, 1) after a turn by rotate_halves?",
         .make = [](Choices& c) { c.change<Rotary>().halves = &without_minus<&half_a_head_apart>; }},
        {.id = "turned_by_the_new_feature",
         .decision = "rotary_turn",
         .title = "the second feature of a pair is computed from the first after that was turned",
         .right = right_turn,
         .symptom = "no rotation: lengths change with the position",
         .question = "What does x hold when you compute the new y?",
         .make = [](Choices& c) { c.change<Rotary>().turns_by_the_new = true; }},
        {.id = "turned_with_sin_for_cos",
         .decision = "rotary_turn",
         .title = "sine and cosine are taken for each other: x becomes x·sin - y·cos, and y becomes x·cos + y·sin",
         .right = right_turn,
         .symptom = "scores depend on the distance alone, but with its sign exchanged; loaded caches do not fit",
         .question = "Where does (1, 0) go by an angle of 0?",
         .make = [](Choices& c) { std::swap(c.change<Rotary>().along, c.change<Rotary>().across); }},
        {.id = "turned_by_sines_alone",
         .decision = "rotary_turn",
         .title = "what is taken for cosines are sines too: x becomes (x - y)·sin, and y becomes (x + y)·sin",
         .right = right_turn,
         .symptom = "no rotation: at position 0 nothing is left of a feature",
         .question = "Where does (1, 0) go by an angle of 0?",
         .make = [](Choices& c) { c.change<Rotary>().along = Rotary::right().across; }},
        {.id = "turned_by_cosines_alone",
         .decision = "rotary_turn",
         .title = "what is taken for sines are cosines too: x becomes (x - y)·cos, and y becomes (x + y)·cos",
         .right = right_turn,
         .symptom = "no rotation: lengths change with the position",
         .question = "Where does (1, 0) go by an angle of 0?",
         .make = [](Choices& c) { c.change<Rotary>().across = Rotary::right().along; }},
        {.id = "turned_less_turns_of_6_283",
         .decision = "rotary_turn",
         .title = "whole turns are taken off angles as 6.283, not as 2π: each leaves an error of 0.0002",
         .right = "cos and sin take any angle; what is taken off must be 2π to the last digit",
         .symptom = "right for short texts; after thousands of tokens every pair is turned too far",
         .question = "By how much do 1000 turns of 6.283 differ from 1000 turns of 2π?",
         .make = [](Choices& c) { c.change<Rotary>().turn_taken_for_whole = 6.283; }},
        {.id = "turned_less_turns_of_6_28",
         .decision = "rotary_turn",
         .title = "whole turns are taken off angles as 6.28, not as 2π: each leaves an error of 0.003",
         .right = "cos and sin take any angle; what is taken off must be 2π to the last digit",
         .symptom = "right for short texts; after hundreds of tokens every pair is turned too far",
         .question = "By how much do 100 turns of 6.28 differ from 100 turns of 2π?",
         .make = [](Choices& c) { c.change<Rotary>().turn_taken_for_whole = 6.28; }},
        {.id = "half_of_the_pairs_turned",
         .decision = "rotary_turn",
         .title = "only the first half of the pairs is turned",
         .right = "all d/2 pairs are turned",
         .symptom = "some models do so, and say it; here loaded weights give nonsense",
         .question = "To which i does your loop over pairs go, if d = 8?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().pairs = &first_half_of_pairs<pair_of_neighbours>;
                 c.change<Rotary>().halves = &first_half_of_pairs<half_a_head_apart>;
             }},
        {.id = "angles_of_first_text",
         .decision = "rotary_turn",
         .title = "all texts are turned by the angles of the first",
         .right = "token t of text b is turned by angles[b, t]",
         .symptom = "right without padding, where all texts have the same positions",
         .question = "Which axes do x and angles share?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().row = [](Index, Index, Index t, const Shape&) { return Rotary::Row{0, t}; };
             }},
        {.id = "angles_read_with_tokens_first",
         .decision = "rotary_turn",
         .title = "angles are read as if they were (T, B, d/2)",
         .right = "token t of text b is turned by angles[b, t]",
         .symptom = "right for one text and for one token; else tokens get the turns of others",
         .question = "By how many rows does the place of angles[b, t] move when b grows by one?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().row = [](Index b, Index, Index t, const Shape& x) {
                     const Index place = t * x[0] + b, T = x[2];
                     return Rotary::Row{place / T, place % T};
                 };
             }},
        // ---- which features are a pair ----
        {.id = "neighbours_taken_for_halves",
         .decision = "rotary_pair",
         .title = "neighbours are not turned: features i and i + d/2 are",
         .right = right_neighbours,
         .symptom = other_pairs,
         .question = "With d = 6, which feature is turned together with feature 0?",
         .make = [](Choices& c) { c.change<Rotary>().pairs = &half_a_head_apart; }},
        {.id = "halves_taken_for_neighbours",
         .decision = "rotary_pair",
         .title = "halves are not turned: neighbours 2i and 2i + 1 are",
         .right = right_halves,
         .symptom = other_pairs,
         .question = "With d = 6, which feature is turned together with feature 0?",
         .shipped = {"SHAInet: https://github.com/NeuraLegion/shainet/pull/111"},
         .make = [](Choices& c) { c.change<Rotary>().halves = &pair_of_neighbours; }},
        {.id = "neighbours_get_tiled_angles",
         .decision = "rotary_pair",
         .title = "feature j gets the angle of number j % (d/2): the two neighbours of a pair get different angles",
         .right = right_neighbours,
         .symptom = "no rotation: angles are laid out for halves, features for neighbours",
         .question = "With three angles a, b, c: which six do the features 0 to 5 get?",
         .make = [](Choices& c) { c.change<Rotary>().pairs = &neighbours_with_tiled_angles; }},
        {.id = "halves_get_repeated_angles",
         .decision = "rotary_pair",
         .title = "feature j gets the angle of number j / 2: the two halves of a pair get different angles",
         .right = right_halves,
         .symptom = "no rotation: angles are laid out for neighbours, features for halves",
         .question = "With three angles a, b, c: which six do the features 0 to 5 get?",
         .make = [](Choices& c) { c.change<Rotary>().halves = &halves_with_repeated_angles; }},
        {.id = "neighbours_written_as_halves",
         .decision = "rotary_pair",
         .title = "neighbours are turned, but the results are written half a head apart",
         .right = "both features of a pair stay where they were",
         .symptom = "scores are right as long as queries and keys are written alike; caches of others do not fit",
         .question = "Where does your result have the second feature of pair 0?",
         .make = [](Choices& c) { c.change<Rotary>().pairs = &neighbours_written_as_halves; }},
        // ---- conversion ----
        {.id = "columns_converted_the_other_way",
         .decision = "rotary_columns",
         .title = "columns are converted the other way: as the other one of pairs_to_halves and halves_to_pairs should "
                  "do it",
         .right = right_columns,
         .symptom = "right for heads of width 2 and 4, where both ways are the same",
         .question = "With d = 6, which column of w is column 1 of pairs_to_halves(w)?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().to_halves = Rotary::right().to_pairs;
                 c.change<Rotary>().to_pairs = Rotary::right().to_halves;
             }},
        {.id = "columns_odd_ones_first",
         .decision = "rotary_columns",
         .title = "columns 1, 3, 5, ... are taken to be the first half of a head, and 0, 2, 4, ... the second",
         .right = right_columns,
         .symptom = "each pair is whole, but its features have changed places: it is turned the other way",
         .question = "With d = 4, which column of neighbours is column 0 of halves?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().to_halves = &odd_to_the_front;
                 c.change<Rotary>().to_pairs = &odd_from_the_front;
             }},
        {.id = "columns_of_all_heads_converted_together",
         .decision = "rotary_columns",
         .title = "all columns are converted together, as if they were those of one wide head",
         .right = right_columns,
         .symptom = "right for one head alone; else features of different heads are mixed",
         .question = "With two heads of width 4, from which head is column 1 of the result?",
         .make =
             [](Choices& c) {
                 c.change<Rotary>().to_halves = &to_halves_of_one_head;
                 c.change<Rotary>().to_pairs = &to_pairs_of_one_head;
             }},
        {.id = "rows_converted",
         .decision = "rotary_columns",
         .title = "the rows of a matrix are converted, not its columns",
         .right = "this course's functions compute x·w: a feature of the result is a column",
         .symptom = "biases are right; matrices are nonsense, or refused where their rows do not divide",
         .question = "Is a feature of x·w a row or a column of w?",
         .make = [](Choices& c) { c.change<Rotary>().converts_rows = true; }},
        {.id = "columns_not_converted",
         .decision = "rotary_columns",
         .title = "columns stay where they are",
         .right = right_columns,
         .symptom = "right for heads of width 2 alone",
         .question = "With d = 4, where does column 1 go?",
         .make = [](Choices& c) { c.change<Rotary>().to_halves = c.change<Rotary>().to_pairs = &unchanged; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
