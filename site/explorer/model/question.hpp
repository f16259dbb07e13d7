#pragma once

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <string>
#include <vector>

// What the explorer asks: a sentence, sizes, a mask and the mistakes to make.
namespace headway::explorer {

enum class Numbers { lesson, random };
enum class Blocking { nothing, future, last_token };

struct Question {
    std::vector<std::string> tokens;
    Index D = 6;
    Index H = 2;
    Numbers numbers = Numbers::lesson;  ///< those of lesson 04, or drawn
    Blocking blocking = Blocking::nothing;
    std::vector<std::string> mistakes = {};  ///< of the grader's catalogue, by their ids
};

/// What attention starts from; a batch of one.
struct Inputs {
    Tensor x;                   ///< (1, T, D)
    Tensor w_q, w_k, w_v, w_o;  ///< (D, D)
};

/// A word's row depends on the word alone, as in an embedding table: equal words have equal rows.
/// @throws std::invalid_argument, with a sentence for the person who chose the sizes
Inputs inputs_of(const Question& question);

}  // namespace headway::explorer
