#pragma once

#include "suites/05_module/attention_object.hpp"
#include "suites/05_module/module_choices.hpp"

#include "diagnosis/subject.hpp"

#include <string>
#include <utility>
#include <vector>

/// How diagnosis looks at a module: each question makes its own, so that no answer depends on an earlier one.
namespace headway::diagnosis {

/// The options and the call that a question has.
judge::ObjectOptions options_of(const judge::Arguments& arguments);
judge::Question call_of(const judge::Arguments& arguments);

/// What is said of parameters: the specified ones with their shapes, others by kind alone, since their names are free.
Answer facts_of(const judge::NamedShapes& parameters, const judge::ObjectOptions& asking);

/// Of q_proj, k_proj and v_proj: whatever is loaded, or until other numbers are.
inline constexpr const char* are_one = "q_proj, k_proj and v_proj hold the same numbers";
inline constexpr const char* begin_alike = "q_proj, k_proj and v_proj begin with the same numbers";

/// A fact that is a word.
void say(Answer& answer, const std::string& word);

/// Whether equal calls of one module may answer both: not the same digits, if threads of it finish in any order.
bool same_numbers(const Tensor& a, const Tensor& b);
bool same_numbers(const wire::Record& a, const wire::Record& b);
/// The arguments with another value under a name.
judge::Arguments changed(judge::Arguments arguments, const std::string& name, wire::Value value);

/// Kinds of questions about several calls, beside the one that asks about each argument.
inline constexpr const char* after_a_mask = "after a mask";
inline constexpr const char* after_forward = "after forward";
inline constexpr const char* after_more_keys = "after more keys";

// ---- what the functions are asked ------------------------------------------------------------------------------

AnswerAndChanges ask_factory(judge::Student& student, const judge::Arguments& arguments);
AnswerAndChanges ask_attention_weights(judge::Student& student, const judge::Arguments& arguments);
AnswerAndChanges ask_forward(judge::Student& student, const judge::Arguments& arguments);
AnswerAndChanges ask_loading(judge::Student& student, const judge::Arguments& arguments);
AnswerAndChanges ask_several_calls(judge::Student& student, const judge::Arguments& arguments);
AnswerAndChanges ask_dropout(judge::Student& student, const judge::Arguments& question);

Questions weights_questions(Random& random);
Questions forward_questions(Random& random);
/// The stages that questions of both show: see Function::stages.
std::vector<std::pair<Stage, std::string>> stages_of_questions();
std::vector<judge::Arguments> loading_questions(Random& random);
std::vector<judge::Arguments> several_calls_questions(Random& random);
judge::Arguments dropout_question(Random& random);

// ---- what they should answer, or would ---------------------------------------------------------------------------

Predict attention_weights_model(const judge::Arguments& arguments);
Predict forward_model(const judge::Arguments& arguments);
Answer several_calls_facts(const ModuleChoices& module);
/// Of the questions after a mask, after forward and after more keys, which single mistakes decide.
/// @throws Unpredictable  where other things are kept: some show here, some do not
Answer after_a_mask_facts(const ModuleChoices& module);
Answer after_forward_facts(const ModuleChoices& module);
Answer after_more_keys_facts(const ModuleChoices& module);
Answer dropout_facts(const ModuleChoices& module);
/// Scaled scores of a right module.
Array right_scores(const judge::Arguments& arguments);

}  // namespace headway::diagnosis
