#pragma once

#include "diagnosis/only_where.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The parts of a result, such as the gradients of q, k and v, where each is wrong as a whole.
namespace headway::diagnosis {

inline constexpr const char* never_written = "part_never_written";
// Of what an argument held, or of what is added to it, another multiple than one.
inline constexpr const char* added_too_often = "part_added_too_often";
inline constexpr const char* added_by_a_factor = "part_added_by_a_factor";

/// Whether what this mistake says is true of the result, whatever in the program leads to it.
bool is_of_the_result(std::string_view mistake);

/// Every tensor of a call by its name; "grads.q_weight" for what lies in a record.
void each_tensor(judge::Arguments& arguments, const std::function<void(const std::string& name, Tensor&)>& visit);
/// Null if there is none of that name.
Tensor* tensor_named(judge::Arguments& arguments, const std::string& wanted);

/// "q, k and v"; what a function returns has no name.
std::string listed_parts(const std::vector<std::string>& names);

bool have_same_parts(const Answer& a, const Answer& b);

/// The names of the parts that are wrong here; none where all are.
std::vector<std::string> wrong_parts(const Observation& observation);

/// The right answer, with something made of it.
Explanation as_written(const char* id, std::string words, std::function<void(Answer&, const judge::Arguments&)> change);

/// The mistake that is made in some parts alone, by the words of made_in_these_parts(); null if there is none.
const Mistake* made_in_parts(std::string_view words);

/// Mistakes that are made in the parts of the result which are wrong here, while the others are right.
/// @param like  a call that was answered wrong
std::vector<Explanation> made_in_these_parts(const std::vector<const Mistake*>& mistakes, const Observation& like);

/// Parts that stay as they were, count twice, are in each other's place, or are added to one another.
/// @param like  a call that was answered wrong
std::vector<Explanation> miswritten_parts(const Observation& like);

}  // namespace headway::diagnosis
