#include "diagnosis/examination.hpp"

#include "diagnosis/fresh_memory.hpp"
#include "diagnosis/lost_worker.hpp"
#include "diagnosis/never_set.hpp"
#include "diagnosis/repeats.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/unwritten_part.hpp"

#include "student/behaviour.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::Student;
using verdict::FailureKind;

/// Questions that a function does not come to an end with, before it is asked no more.
constexpr std::size_t enough_hangs = 3;

/// Questions by which memory is looked for that is read too early.
constexpr int enough_searches = 3;

bool is_value(const Reply& reply) { return !reply.failure && reply.answer.is_value(); }

/// In how many sizes the tensors of two questions differ.
int differing_sizes(const Findings::Question& a, const Findings::Question& b) {
    int count = 0;
    for (std::size_t i = 0; i < std::min(a.arguments.size(), b.arguments.size()); ++i) {
        const auto* x = std::get_if<Tensor>(&a.arguments[i].value);
        const auto* y = std::get_if<Tensor>(&b.arguments[i].value);
        if (x == nullptr || y == nullptr || !x->defined() || !y->defined() || x->rank() != y->rank()) continue;
        for (std::size_t axis = 0; axis < x->shape().size(); ++axis) count += x->shape()[axis] != y->shape()[axis];
    }
    return count;
}

class Examination {
public:
    Examination(const Workers& workers, const Function& function, const Questions& questions)
        : workers_(workers), function_(function) {
        for (const auto& [arguments, name] : questions) findings_.questions.push_back({arguments, {}, true, name});
    }

    Findings take() {
        ask_all();
        if (!findings_.not_written) {
            look_for_changed_arguments();
            look_for_unassigned_results();
            look_at_sanitizers();
            const auto& all = findings_.questions;
            if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.clean; })) look_behind_refusals();
            look_for_other_answers();
        }
        return std::move(findings_);
    }

private:
    void name(const std::string& mistake, const std::string& sentence) {
        auto& named = findings_.mistakes;
        if (std::find(named.begin(), named.end(), mistake) != named.end()) return;
        named.push_back(mistake);
        findings_.sentences.push_back(sentence);
    }

    bool is_named(const std::string& mistake) const { return std::ranges::count(findings_.mistakes, mistake) > 0; }

    void forget(const std::string& mistake) {
        const auto found = std::ranges::find(findings_.mistakes, mistake);
        if (found == findings_.mistakes.end()) return;
        findings_.sentences.erase(findings_.sentences.begin() + (found - findings_.mistakes.begin()));
        findings_.mistakes.erase(found);
    }

    /// How long it was waited for here says nothing: the hidden tests were more patient.
    void name_timeout(const verdict::Failure& failure) {
        if (is_named("never_ends") || is_named("waits_without_end")) return;
        const std::string mistake = mistake_behind(failure);
        name(mistake, "your " + function_.name + " was stopped when its time was up: " +
                          (mistake == "never_ends" ? "a loop whose condition never becomes false?" : judge::waits));
    }

    void ask_all() {
        std::vector<Reply> hangs;
        for (auto& question : findings_.questions) {
            // Each is waited for, and says what the others said.
            question.reply =
                hangs.size() == enough_hangs ? hangs.back() : ask(workers_.plain, function_, question.arguments);
            if (comes_to_no_end(question.reply) && hangs.size() < enough_hangs) hangs.push_back(question.reply);
            if (question.reply.not_written) {
                findings_.not_written = true;
                return;
            }
        }
    }

    void look_for_changed_arguments() {
        for (const auto& question : findings_.questions)
            for (const std::string& argument : question.reply.changed_arguments)
                name("argument_changed", "after the call, " + argument + " holds other numbers than before");
    }

    /// Such an answer says nothing more: what else is wrong shows once there is one.
    void look_for_unassigned_results() {
        for (auto& question : findings_.questions) {
            const Answer& seen = question.reply.answer;
            if (!seen.is_value() || should_be_refused(question.arguments)) continue;
            const auto part = unassigned_part(seen, right_answer(question, seen));
            if (!part) continue;
            question.clean = false;
            name(std::string(part->mistake), "your " + function_.name + " returned " + part->words);
        }
    }

    /// Without a failure where only the time was too short: sanitizers take many times what the program does.
    Reply ask_sanitized(const Arguments& arguments) {
        Reply reply = ask(workers_.sanitized, function_, arguments);
        if (is_timeout(reply)) reply.failure.reset();
        return reply;
    }

    void look_at_sanitizers() {
        for (auto& question : findings_.questions) {
            const auto& failure = question.reply.failure;
            if (is_timeout(question.reply)) {
                question.clean = false;
                if (failure->message.find(judge::before_main) != std::string::npos) continue;  // it was never asked
                name_timeout(*failure);
                continue;
            }
            // Arguments that should be refused may break anything in a function that does not look at them.
            if (should_be_refused(question.arguments)) continue;
            if (comes_to_no_end(question.reply) && uses_up_the_stack(findings_)) {
                question.clean = false;
                continue;
            }
            const Reply sanitized = ask_sanitized(question.arguments);
            ended_.add(function_.call ? function_.call(question.arguments) : question.arguments, sanitized);
            if (sanitized.failure) {
                // Integers wrap around in the plain build: what it answers is what the program does.
                const bool wraps = sanitized.failure->sanitizer &&
                                   sanitized.failure->sanitizer->kind.find("signed integer") != std::string::npos;
                question.clean = wraps && is_value(question.reply);
                const std::string mistake = mistake_behind(*sanitized.failure);
                question.overran = mistake == "reads_out_of_bounds";
                if (!mistake.empty()) name(mistake, sanitized.failure->message);
            } else if (failure) {
                question.clean = false;
                if (const std::string mistake = mistake_behind(*failure); !mistake.empty())
                    name(mistake, failure->message);
            }
        }
        for (const char* consequence : consequences(findings_)) forget(consequence);
        if (const std::string where = ended_.where(); is_named(points_nowhere) && !where.empty()) {
            forget(points_nowhere);
            name("nothing_given_indexed", where);
        }
        // Code that fails where an answer is due may do so before it checks what it should refuse.
        const auto is_clean = [](const auto& question) { return question.clean; };
        if (findings_.mistakes.empty() && std::ranges::all_of(findings_.questions, is_clean)) return;
        for (auto& question : findings_.questions)
            if (question.reply.failure && should_be_refused(question.arguments)) question.clean = false;
    }

    /// Memory misused only where arguments should be refused: they were not looked at, and what came back, a refusal
    /// included, is luck.
    void look_behind_refusals() {
        for (auto& question : findings_.questions) {
            if (question.reply.failure || !should_be_refused(question.arguments)) continue;
            Reply sanitized = ask_sanitized(question.arguments);
            if (!sanitized.failure) continue;
            findings_.refuses_by_luck |= question.reply.answer.kind == Answer::Kind::refused;
            question.reply = std::move(sanitized);
        }
    }

    bool should_be_refused(const Arguments& arguments) const {
        try {
            const Answer::Kind kind = function_.model(arguments)(right()).kind;
            return kind == Answer::Kind::refused || kind == Answer::Kind::impossible;
        } catch (const std::exception&) {
            return true;
        }
    }

    /// The answers to the same questions in the opposite order, the first of them asked twice, of a worker that has not
    /// been asked for this function before.
    std::vector<Reply> answers_in_reverse(Student& student) {
        std::vector<Reply> replies;
        for (const Findings::Question* question : values_) {
            if (replies.empty()) replies.push_back(ask(student, function_, question->arguments));
            replies.push_back(ask(student, function_, question->arguments));
        }
        return replies;
    }

    const Findings::Question& asked_in_reverse(std::size_t i) const { return *values_[i == 0 ? 0 : i - 1]; }

    Answer right_answer(const Findings::Question& question, const Answer& seen) const {
        return predicted({question.arguments, seen, function_.model(question.arguments)}, right());
    }

    /// Whether one of the answers in reverse does.
    bool show_unset_variable(const std::vector<Reply>& replies) const {
        for (std::size_t i = 0; i < replies.size(); ++i)
            if (shows_unset_variable(replies[i].answer, right_answer(asked_in_reverse(i), replies[i].answer)))
                return true;
        return false;
    }

    /// Whether a program that neither remembers nor guesses may give both.
    bool agree(const Findings::Question& question, const Reply& a, const Reply& b) const {
        return is_value(a) && is_value(b) &&
               may_repeat(a.answer, b.answer, [&] { return right_answer(question, a.answer); });
    }

    /// Whether two rounds of answers_in_reverse() do.
    bool agree(const std::vector<Reply>& a, const std::vector<Reply>& b) const {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!agree(asked_in_reverse(i), a[i], b[i])) return false;
        return true;
    }

    /// Whether the answers in reverse are those that were given before.
    bool agree_with_the_first(const std::vector<Reply>& reversed) const {
        if (!agree(asked_in_reverse(0), reversed[0], reversed[1])) return false;
        for (std::size_t i = 1; i < reversed.size(); ++i)
            if (!agree(asked_in_reverse(i), asked_in_reverse(i).reply, reversed[i])) return false;
        return true;
    }

    /// Memory that was never written to, and what one call leaves for the next, both change answers to questions that
    /// have not changed.
    void look_for_other_answers() {
        auto& all = findings_.questions;
        for (auto question = all.rbegin(); question != all.rend(); ++question)
            if (question->clean && is_value(question->reply)) values_.push_back(&*question);
        if (values_.empty()) return;
        // What is kept from the first call shows most after another first call, unlike the one before.
        const auto other_first = std::max_element(values_.begin(), values_.end(), [&](const auto* a, const auto* b) {
            return differing_sizes(*a, all.front()) < differing_sizes(*b, all.front());
        });
        std::rotate(values_.begin(), other_first, other_first + 1);
        const std::vector<Reply> plain = answers_in_reverse(workers_.reversed);
        const std::vector<Reply> refilled = answers_in_reverse(workers_.refilled);
        if (agree(plain, refilled) && !show_unset_variable(plain) && agree_with_the_first(plain))
            return look_for_reused_memory();
        tell_why_they_differ({plain, refilled});
    }

    std::vector<Reply> answers_anew(Student& student) {
        student.fresh_worker();
        return answers_in_reverse(student);
    }

    /// The first call of a process is answered as ever, the second is not: that is no chance, even where what is kept
    /// leads beyond the end of memory.
    bool only_the_first_is_sure(const std::vector<std::vector<Reply>>& rounds) const {
        const Findings::Question& first = asked_in_reverse(0);
        return std::ranges::all_of(rounds, [&](const std::vector<Reply>& round) {
            return agree(first, rounds.front()[0], round[0]) && !agree(first, round[0], round[1]);
        });
    }

    /// Chance, memory and state are told apart by workers that were asked nothing before: what these two were asked of
    /// other functions need not have been the same, and what threads race for is another number each time.
    void tell_why_they_differ(std::vector<std::vector<Reply>> rounds) {
        constexpr int most_rounds = 4;
        std::vector<std::vector<Reply>> plain, refilled;
        bool by_chance = false;
        for (int round = 0; round < most_rounds && !by_chance; ++round) {
            plain.push_back(answers_anew(workers_.reversed));
            by_chance = !agree(plain.front(), plain.back());
            if (round > 1) continue;
            refilled.push_back(answers_anew(workers_.refilled));
            by_chance |= !agree(refilled.front(), refilled.back());
        }
        std::ranges::copy(plain, std::back_inserter(rounds));
        if (only_the_first_is_sure(rounds)) return name_state();
        const bool by_memory = !agree(plain.front(), refilled.front());
        findings_.unreliable = true;
        if (by_chance)
            return name("answers_by_chance", "the same program, started anew and asked the same, gives another answer");
        if (by_memory || show_unset_variable(plain.front())) look_where_memory_is_made(plain.front(), refilled.front());
        if (by_memory) return name("uninitialised_memory", what_other_memory_changes(plain.front(), refilled.front()));
        if (show_unset_variable(plain.front()))
            return name("uninitialised_memory",
                        "an answer shows the number that a variable holds here as long as nobody has set it");
        name_state();
    }

    /// By questions whose answers depend on what fresh memory holds, be it in last digits. What a variable holds shows
    /// in none.
    void look_where_memory_is_made(const std::vector<Reply>& plain, const std::vector<Reply>& refilled) {
        const bool differ_little = agree(plain, refilled);
        int left = enough_searches;
        for (std::size_t i = 0; i < plain.size() && findings_.frames.empty() && left > 0; ++i) {
            const Findings::Question& question = asked_in_reverse(i);
            const Agree alike = [&](const Reply& a, const Reply& b) {
                return differ_little ? are_identical(a, b) : agree(question, a, b);
            };
            if (alike(plain[i], refilled[i])) continue;
            --left;
            findings_.frames = maker_of_unwritten_memory(workers_.reversed, function_, question.arguments, alike);
        }
    }

    void name_state() {
        findings_.unreliable = false;
        name("state_kept_between_calls", "the same question gets another answer after another call");
        // What the function computes is seen where nothing went before.
        for (Findings::Question* question : values_) {
            workers_.plain.fresh_worker();
            question->reply = ask(workers_.plain, function_, question->arguments);
        }
    }

    void look_for_reused_memory() {
        if (function_.ask) return;  // its questions are no calls
        try {
            if (!judge::result_lasts(workers_.reversed, function_.name, values_.front()->arguments))
                name("result_overwritten", "a result that was returned changes when the function is called again");
            if (!judge::sees_what_was_overwritten(workers_.reversed, function_.name, values_.front()->arguments))
                name("state_kept_between_calls", "numbers of an argument that were overwritten are still answered");
        } catch (const judge::StopTest&) {
            workers_.reversed.fresh_worker();  // it was asked with other numbers
        }
    }

    const Workers& workers_;
    const Function& function_;
    Findings findings_;
    EndedCalls ended_;
    std::vector<Findings::Question*> values_;  ///< what was answered with numbers, last question first
};

}  // namespace

Findings examine(const Workers& workers, const Function& function, const Questions& questions) {
    return Examination(workers, function, questions).take();
}

}  // namespace headway::diagnosis
