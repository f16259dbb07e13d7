#pragma once

#include "diagnosis/answer.hpp"
#include "diagnosis/choices.hpp"
#include "diagnosis/invariants.hpp"
#include "verdict/stage.hpp"

#include <headway/random.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::diagnosis {

using verdict::Stage;

struct Explanation;  // in only_where.hpp

/// What a function would answer to one question under any choices.
using Predict = std::function<Answer(const Choices&)>;

/// What a function is asked, in order. Those that stages refer to have a name.
class Questions {
public:
    struct Question {
        judge::Arguments arguments;
        std::string name = {};
    };

    Questions() = default;
    Questions(std::vector<judge::Arguments> without_names);

    void add(judge::Arguments arguments, std::string name = {});
    /// The one that was added last.
    judge::Arguments& last() { return all_.back().arguments; }

    const judge::Arguments& operator[](std::size_t number) const { return all_[number].arguments; }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

private:
    std::vector<Question> all_;
};

/// An answer, and the arguments that the call changed.
struct AnswerAndChanges {
    Answer answer;
    std::vector<std::string> changed_arguments = {};
    AnswerAndChanges(Answer given) : answer(std::move(given)) {}
    AnswerAndChanges(Answer given, std::vector<std::string> changed)
        : answer(std::move(given)), changed_arguments(std::move(changed)) {}
};

/// In what Function::call gives: whether the question is asked by more than one call.
inline constexpr const char* several_calls = "several calls";

/// A function of an exercise, as the model knows it.
struct Function {
    std::string name = {};
    /// The model's answer to a call with these arguments, or nothing where it has none.
    std::function<Predict(const judge::Arguments&)> model = nullptr;
    /// Whether the header promises what it is given there; the default is that it does. Hidden tests change a number to
    /// see whether something is kept from call to call: what comes back then says nothing of the formula.
    bool (*is_promised)(const judge::Arguments&) = nullptr;
    /// Questions that show every decision in it, the ones that show fewest first; small, so that a search is quick.
    std::function<Questions(Random&)> questions = nullptr;
    /// Whether the model reads all that is decided otherwise there; the default is that it does. A mistake of which it
    /// reads a part would be told by what is left of it, and is none of this function's.
    bool (*reads)(const Choices&) = nullptr;
    /// What should come back given the student's own answers from earlier functions; empty where they are of no use.
    std::function<std::optional<Answer>(judge::Student&, const judge::Arguments&)> given_own = nullptr;
    /// How often and in what order it calls these is the student's choice: one of them that is wrong may then give
    /// another result than given_own, and says nothing of this function.
    bool calls_them_in_any_order = false;
    /// given_own where it decides otherwise itself: a mistake of its own on top of what it calls.
    std::function<std::optional<Answer>(judge::Student&, const judge::Arguments&, const Choices&)> given_own_and =
        nullptr;
    /// Where it only shows what another function computes: what follows of a mistake that this one does not make.
    std::string shown_beside = {};
    /// Mistakes that have another name then.
    std::map<std::string, std::string> named_beside = {};
    /// How its result is asked for; the default is a plain call.
    std::function<AnswerAndChanges(judge::Student&, const judge::Arguments&)> ask = nullptr;
    /// What the function itself is given in a question that is no call of it, of the first call if there are several:
    /// what is said of sizes is said of these. The default is the question's own arguments.
    std::function<judge::Arguments(const judge::Arguments&)> call = nullptr;
    /// Its right result has been rounded to sixteen bits: that digits are lost on the way is no mistake there.
    bool rounds_to_sixteen_bits = false;
    Stage stage = Stage::none;  ///< where it stands in the order of attention
    /// Where each part of its result stands in that order, if its parts do not stand together.
    std::map<std::string, Stage> stage_of_part = {};
    /// Stages, each with the name of questions that hardly show what comes after it: the first that is answered wrong
    /// tells the stage that goes wrong, given that those before it are right. The name ends "wrong already where ...".
    std::vector<std::pair<Stage, std::string>> stages = {};
    /// What may explain it besides the model's mistakes: those with a number in them that is the student's own choice.
    std::vector<Explanation> (*explanations)() = nullptr;
    /// What must hold of it, asked where nothing explains it.
    std::vector<Invariant> invariants = {};
};

/// given_own of a function that may decide otherwise: with everything right that is its own.
template <std::optional<Answer> (*given_own_and)(judge::Student&, const judge::Arguments&, const Choices&)>
std::optional<Answer> rightly(judge::Student& student, const judge::Arguments& arguments) {
    return given_own_and(student, arguments, right());
}

/// Function::reads of a model that does nothing to weights before they meet the values.
bool takes_weights_as_they_are(const Choices& choices);

/// The model's answer to a call that somebody else made. Nothing for arguments that no model knows: they do not fit
/// together, and should have been refused.
Predict known_prediction(const Function& function, const judge::Arguments& arguments);

/// What diagnosis knows of one exercise: its functions, each after those that it may call.
struct Subject {
    std::vector<Function> functions;
};

std::map<std::string, Subject>& subjects();

struct SubjectRegistration {
    SubjectRegistration(const std::string& exercise, Subject subject);
};

// ---- reading a call ---------------------------------------------------------------------------------------------

/// @throws std::out_of_range if there is no such argument
const wire::Value& argument(const judge::Arguments& arguments, const std::string& name);
Tensor tensor(const judge::Arguments& arguments, const std::string& name);
Mask mask(const judge::Arguments& arguments, const std::string& name);
Index integer(const judge::Arguments& arguments, const std::string& name);

/// The answer to arguments that do not fit.
Answer refusal(const Checking& checking, bool Checking::*check);

/// Arguments that do not fit are refused, or accepted if `check` is not made.
Answer checked(bool fits, const Checking& checking, bool Checking::*check, const std::function<Answer()>& otherwise);

}  // namespace headway::diagnosis
