#pragma once

#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include "student/student.hpp"
#include "verdict/verdict.hpp"

#include <optional>
#include <vector>

namespace headway::diagnosis {

/// What is told of a mistake that is seen beside those of earlier functions.
inline constexpr const char* beside_earlier_ones =
    "its answers are those of your own earlier functions with this mistake beside theirs";
inline constexpr const char* where_they_do_no_harm =
    "where your own earlier functions give what is right, its answers are those of this mistake";
inline constexpr const char* right_where_it_answers = "where it answers, it is right given your own earlier functions";

/// What the wrong answers of a function owe to the student's own earlier functions, which it calls.
class OwnFunctions {
public:
    /// @param keeps_state  one of them does: each question is asked afresh
    OwnFunctions(const Function& function, judge::Student& student, bool keeps_state)
        : function_(function), student_(student), keeps_state_(keeps_state) {}

    /// Whether every wrong answer is what comes of them; and whether there is any, and one of them was not right in it:
    /// of right answers nothing wrong follows.
    bool explain(const std::vector<Observation>& observations);

    /// Whether they give values for each part of the result that was explained: not only that both refuse, nor a part
    /// that may hold anything.
    bool explain_values() const { return in_values_; }

    /// Notes which of the mistakes in its name are theirs.
    /// @param own  those of `set` that they do not have
    /// @param all  the hidden tests' too: some may have nothing to do with `own`
    void tell_whose(verdict::FunctionDiagnosis& diagnosis, const MistakeSet& set, const MistakeSet& own,
                    const std::vector<Observation>& observations, const std::vector<Observation>& all);

    /// The mistakes of which each, beside these functions, explains every wrong answer; of several those that explain
    /// the hidden tests' too, whose sizes tell more apart.
    MistakeSet explain_beside_one_of(const std::vector<const Mistake*>& candidates,
                                     const std::vector<Observation>& observations,
                                     const std::vector<Observation>& of_hidden_tests);

    /// The mistakes of which each, with nothing beside it, explains every wrong answer to a question for which they
    /// give what is right, and disturbs no right answer. Of several wrong answers, or there are none.
    MistakeSet explain_where_harmless(const MistakeSet& candidates, const std::vector<Observation>& observations);

    /// The wrong answers with a value to questions for which they give what is right: those are no fault of theirs.
    std::vector<Observation> wrong_given_right(const std::vector<Observation>& observations);

    /// Whether it threw where an answer is due and they give all that it needs: then it threw of itself.
    bool give_what_it_threw_at(const std::vector<Observation>& observations);

    /// The same, where what should come is what they give, in each part that is not right as it was seen; nothing if no
    /// part that was seen wrong follows of them.
    std::vector<Observation> measured(std::vector<Observation> observations);

private:
    bool explain_beside(const MistakeSet& own, const std::vector<Observation>& observations);
    bool explain_what_shows_none_of(const MistakeSet& own, const std::vector<Observation>& observations);
    MistakeSet each_explains(const std::vector<const Mistake*>& candidates,
                             const std::vector<Observation>& observations);
    using GivenOwn = std::function<std::optional<Answer>(const judge::Arguments&)>;
    std::optional<Answer> theirs(const Observation& one);
    std::optional<Answer> due(const Observation& observation, const GivenOwn& given_own);
    void look_at(const std::string& name, const judge::Arguments& arguments, const judge::Outcome& outcome);

    const Function& function_;
    judge::Student& student_;
    bool keeps_state_;
    bool in_values_ = false;
    /// What they gave since that was set.
    enum class Given { nothing, right, wrong_or_not_known } given_ = Given::nothing;
};

}  // namespace headway::diagnosis
