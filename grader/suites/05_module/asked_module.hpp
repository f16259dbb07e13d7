#pragma once

#include "suites/05_module/module_choices.hpp"

#include "diagnosis/subject.hpp"

#include <string>
#include <utility>
#include <vector>

/// How diagnosis looks at a module: each question makes its own, so that no answer depends on an earlier one.
namespace headway::diagnosis {

/// Something earlier is wrong already: the question proves nothing.
struct NotJudged {};

using NamedShapes = std::vector<std::pair<std::string, Shape>>;

/// What the factory is asked for.
struct Asking {
    Index D = 0, H = 1;
    std::optional<Index> head_dim = {};
    bool bias = true, causal = false;
    double dropout = 0;
    Index seed = 1;

    Index d() const { return head_dim.value_or(D / H); }
    Index E() const { return H * d(); }
    wire::Record record() const;
    static Asking from(const judge::Arguments& arguments);
};

/// Parameters by the specification.
NamedShapes specified(const Asking& asking);

/// What is said of parameters: the specified ones with their shapes, others by kind alone, since their names are free.
Answer facts_of(const NamedShapes& parameters, const Asking& asking);

/// A fact that is a word.
void say(Answer& answer, const std::string& word);

/// One module in the worker.
class AskedModule {
public:
    /// @throws NotJudged if the factory refuses
    AskedModule(judge::Student& student, const Asking& asking);
    /// @throws NotJudged if the state is refused
    void load(const wire::Record& state);
    void train();
    void eval();
    wire::Record state();
    judge::Outcome call(const std::string& function, const judge::Arguments& question);
    /// What forward gives.
    /// @throws NotJudged if it gives no tensor
    Tensor forward(const judge::Arguments& question);
    /// What forward(first) gave, read after forward(second).
    Tensor first_of_two(const judge::Arguments& first, const judge::Arguments& second);

private:
    judge::Arguments with_self(const std::string& function, const judge::Arguments& question) const;

    judge::Student& student_;
    wire::Handle handle_;
};

bool same_numbers(const Tensor& a, const Tensor& b);
bool same_numbers(const wire::Record& a, const wire::Record& b);
/// The arguments with another value under a name.
judge::Arguments changed(judge::Arguments arguments, const std::string& name, wire::Value value);

// ---- what the functions are asked ------------------------------------------------------------------------------

Asked ask_factory(judge::Student& student, const judge::Arguments& arguments);
Asked ask_attention_weights(judge::Student& student, const judge::Arguments& arguments);
Asked ask_forward(judge::Student& student, const judge::Arguments& arguments);
Asked ask_loading(judge::Student& student, const judge::Arguments& arguments);
Asked ask_several_calls(judge::Student& student, const judge::Arguments& arguments);
Asked ask_dropout(judge::Student& student, const judge::Arguments& arguments);

Questions weights_questions(Random& random);
Questions forward_questions(Random& random);
/// The stages that questions of both show: see Function::stages.
std::vector<std::pair<std::string, std::string>> stages_of_questions();
std::vector<judge::Arguments> loading_questions(Random& random);
std::vector<judge::Arguments> several_calls_questions(Random& random);
judge::Arguments dropout_question(Random& random);

// ---- what they should answer, or would ---------------------------------------------------------------------------

Predict attention_weights_model(const judge::Arguments& arguments);
Predict forward_model(const judge::Arguments& arguments);
Answer several_calls_facts(const ModuleChoices& module);
Answer dropout_facts(const ModuleChoices& module);
/// Scaled scores of a right module.
Array right_scores(const judge::Arguments& arguments);

}  // namespace headway::diagnosis
