#pragma once

#include "student/relations.hpp"
#include "student/student.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::judge {

/// Draws its inputs from the stream that it is given and nowhere else, so that it can be asked once more.
using DrawAndAsk = std::function<void(Random&)>;
/// What the wrong ones among the questions have in common, in words; may be empty.
using Pattern = std::function<std::string(const std::vector<bool>& wrong)>;

/// Whether what is wrong stays so: of few that are wrong, each is asked again, and may be right once. Numbers or a mask
/// that were drawn may make a question wrong that is not wrong by its sizes.
/// @param is_wrong_again  asks the question of this number with other draws
bool stay_wrong(const std::vector<bool>& wrong, const std::function<bool(std::size_t)>& is_wrong_again);

/// Asks one question after the other. The test ends with the first that fails; its message says what the wrong ones
/// have in common. What passes leaves no trace in the record of the test, so that a story stays short. Nothing is asked
/// if an earlier answer of this test passed on credit: then something that it builds on is wrong.
void ask_in_turn(Student& student, Random& random, const std::vector<DrawAndAsk>& questions,
                 const Pattern& pattern = {});

/// Asks in turn with sizes in every relation; see every_relation().
/// @param text  as for Axes: "B H T S d D=H*d"
void for_every_relation(Student& student, Random& random, const std::string& text,
                        const std::function<void(const AxisSizes&, Random&)>& ask);

/// Asks in turn with a mask of every form; see all_mask_forms.
/// @param scores  (B, H, T, S)
void for_every_mask(Student& student, Random& random, const Shape& scores,
                    const std::function<void(const Mask&, Random&)>& ask);

/// How many ways there are to give a mask: of every rank, with every axis that may be 1, as views that are expanded,
/// transposed or cut from a larger mask, with a single key blocked, with whole queries blocked.
constexpr int mask_forms = 18;
/// With those that are cut from larger masks of other ranks, which mask_of_any_form() leaves out.
constexpr int all_mask_forms = 21;
/// @param form    below all_mask_forms
/// @param scores  (B, H, T, S)
Mask mask_of_form(int form, Random& random, const Shape& scores);
Mask mask_of_any_form(Random& random, const Shape& scores);

/// Expects a refusal of every `num_heads` up to D that does not divide it, and of some below 1 that do.
void refuses_uneven_heads(Student& student, Random& random, const std::string& function, const Arguments& arguments,
                          Index D);

/// Expects a refusal of every mask that nearly fits: one axis is longer by one, or stands where another belongs.
/// @param scores  (B, H, T, S)
void refuses_masks(Student& student, Random& random, const Shape& scores, const std::string& function,
                   const std::function<Arguments(const Mask&)>& with);

/// Whether what could be broadcast may be let through: where a header says so.
enum class Broadcast { refused, may_pass };

/// Expects a refusal for every way in which the tensors among `arguments` may fail to fit together.
/// @param arguments  which fit; sizes larger than 1
/// @param shapes     of tensors by name: "q: B H T d, k: B H S d". Axes of one name are alike in all. What stands in an
///                   argument that is no tensor as well, or in a product with such a number, has a mark: "w: D H*d!"
void refuses_misfits(Student& student, Random& random, const std::string& function, const Arguments& arguments,
                     const std::string& shapes, Broadcast broadcast = Broadcast::refused);

}  // namespace headway::judge
