#pragma once

#include "student/test_record.hpp"
#include "student/worker_link.hpp"

#include <headway/tensor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

using Arguments = std::vector<wire::Field>;

/// What a call gives: a value or an exception.
struct Outcome {
    wire::Value value;
    std::optional<wire::Error> error;
    std::vector<std::string> changed_arguments;
};

/// Whether it was refused memory or threads, by its own limits or by the machine.
bool lacks_resources(const wire::Error& error);

/// The submission, as a hidden test sees it: functions to call by name. A call that gets no proper answer fails the
/// test, with the cause in words, and the next test gets a new worker.
class Student {
public:
    Student(sandbox::Launch worker, CallLimits limits);

    /// The answer must be of the kind that is asked for.
    Tensor tensor(const std::string& function, const Arguments& arguments);
    Mask mask(const std::string& function, const Arguments& arguments);
    Shape list(const std::string& function, const Arguments& arguments);
    wire::Record record(const std::string& function, const Arguments& arguments);
    /// The result stays in the worker.
    wire::Handle keep(const std::string& function, const Arguments& arguments);
    void run(const std::string& function, const Arguments& arguments);

    /// The submission must refuse the arguments with std::invalid_argument.
    /// If it answers instead, the test goes on and fails at its end, with all that was let through.
    /// @param because completes the story: "D = 7 is not divisible by 3 heads"
    /// @param kind  of several that one check refuses, the first is told; none: this one is told by itself
    void refuses(const std::string& function, const Arguments& arguments, const std::string& because,
                 const std::string& kind = {});
    /// The submission must refuse the arguments, with std::invalid_argument or std::out_of_range.
    void refuses_index(const std::string& function, const Arguments& arguments, const std::string& because,
                       const std::string& kind = {});

    /// Any answer, exceptions included; only a lost worker or a stub ends the test.
    Outcome outcome(const std::string& function, const Arguments& arguments, bool keep_result = false);

    /// What has happened in the test that is running. The code that runs a test empties it first.
    TestRecord& test_record() { return test_; }

    /// Runs `ask`, whose calls only serve to judge an answer that was given before: they stay out of the story that
    /// the student reads, except for a call in which the worker is lost.
    template <class Ask>
    auto outside_story(Ask ask) {
        struct Guard {
            bool& outside;
            bool before = std::exchange(outside, true);
            ~Guard() { outside = before; }
        };
        const Guard guard{test_.outside_story};
        return ask();
    }

    /// Runs `ask` with another worker of the submission, which is asked nothing else but what is asked this way.
    template <class Ask>
    auto apart(Ask ask) {
        struct Guard {
            Student& student;
            explicit Guard(Student& of) : student(of) { std::swap(student.link_, student.apart_); }
            ~Guard() { std::swap(student.link_, student.apart_); }
        };
        const Guard guard(*this);
        return outside_story(ask);
    }
    /// The call that was added to the story last.
    const wire::Call& told_last() const { return told_last_; }

    // ---- tensors that stay in the worker: the course's own code, not the student's -----------------------------
    wire::Handle store(const Tensor& tensor);
    Tensor read(wire::Handle handle);
    /// Another view of its storage.
    wire::Handle view(wire::Handle handle, const Layout& layout);
    void write(wire::Handle handle, const Shape& index, double number);
    bool share_storage(wire::Handle a, wire::Handle b);
    /// Whether an element of a tensor or mask in `a` is one in `b`.
    bool overlap(wire::Handle a, wire::Handle b);
    void forget(wire::Handle handle);

    /// A tensor that `function` answers, and the memory and the processor time that it took, measured from outside.
    /// Meaningful in the plain build only.
    struct Measured {
        Tensor answer;
        bool is_known = false;     ///< or the kernel does not tell
        std::uint64_t before = 0;  ///< what the worker had written to when it was asked, static data included
        std::uint64_t growth = 0;  ///< at the peak
        std::chrono::nanoseconds computed{0};  ///< by all threads, whatever else the machine did
        bool started_processes = false;        ///< whose time is not in it
    };
    Measured measured(const std::string& function, const Arguments& arguments);

    /// Called for every call of a student's function that was answered.
    using Witness = std::function<void(const std::string& function, const Arguments&, const Outcome&)>;
    void witnessed_by(Witness witness) { witness_ = std::move(witness); }

    /// Called for every call of the story, before it is made, and first for the calls that led to it, of the worker's
    /// own functions too.
    using Recorder = std::function<void(const wire::Call&)>;
    void recorded_by(Recorder recorder) { recorder_ = std::move(recorder); }

    /// Who knows how far rounding goes in the answers to a call: whether equal calls may get both outcomes.
    using Repeats =
        std::function<bool(const std::string& function, const Arguments&, const Outcome& first, const Outcome& second)>;
    void repeats_judged_by(Repeats repeats) { repeats_ = std::move(repeats); }
    /// Whether equal calls may get these two outcomes, which differ. Nothing may, as long as nobody knows.
    bool may_repeat(const std::string& function, const Arguments& arguments, const Outcome& first,
                    const Outcome& second) const {
        return repeats_ && repeats_(function, arguments, first, second);
    }

    /// Another worker of the submission, for callers with a protocol of their own; calls here know nothing of it.
    std::unique_ptr<WorkerLink> another_worker() const { return std::make_unique<WorkerLink>(launch_, limits_); }
    const CallLimits& limits() const { return limits_; }
    /// Whether all calls together have used up their time: nothing more is answered.
    bool is_out_of_time() const { return limits_.budget && limits_.budget->is_spent(); }

    /// A program that is known to answer, locked up as the submission is: where a worker may have been ended by
    /// something outside, it shows whether this machine can run any.
    void compared_with(std::function<sandbox::Launch()> known_good) { known_good_ = std::move(known_good); }
    /// Notes that something outside may have had a part in what failed. The machine is at fault, and the test ends, if
    /// it runs no worker now; else the test is run once more.
    void in_doubt();
    /// From now on trouble of the machine's is no matter of one test: ask() throws std::runtime_error.
    void ends_with_trouble() { trouble_ends_all_ = true; }

    /// Notes that `function` ran into the time limit in another worker: it gets less time from now on.
    void has_hung(const std::string& function) { slow_.insert(function); }

    /// From now on nothing is asked only to see whether it computes: another build of it shows that.
    void needs_no_evidence() { owes_evidence_ = false; }
    bool owes_evidence() const { return owes_evidence_; }
    /// Names of answers that were shown to be computed from all parts of their arguments: see computes().
    std::set<std::string>& computed() { return computed_; }

    /// A process without memory of earlier calls.
    void fresh_worker();
    /// One for measured(), which can hide nothing that it takes in processes that it starts.
    void fresh_measured_worker(sandbox::Offspring offspring);
    /// Who knows how to lock one up. As long as nobody does, workers that are measured are as others.
    void measured_in(std::function<sandbox::Launch(sandbox::Offspring)> lock) { measured_in_ = std::move(lock); }
    /// The next test's worker may do what any may; its record is empty.
    void begin_test();
    /// Moves what the worker printed into the record of the current test.
    void collect_output();
    /// From now on a worker that is no longer needed ends by itself, and writes what it counted, instead of being
    /// killed.
    /// @param after  called when one has ended
    void let_workers_end(std::function<void()> after) { after_worker_ = std::move(after); }

private:
    WorkerLink& link();
    bool machine_runs_workers() const;
    [[noreturn]] void unavailable(const std::string& why);
    Outcome ask(const std::string& function, const Arguments& arguments, bool keep_result);
    /// Adds the last call to the story, and hands it to the recorder with the calls that led to it.
    void add_to_story();
    wire::Value answer(const std::string& function, const Arguments& arguments, bool keep_result = false);
    template <class T>
    T expect(const std::string& function, const Arguments& arguments, const char* kind);
    std::chrono::milliseconds time_limit(const std::string& function) const;
    void keep_account(const wire::Reply& reply);
    [[noreturn]] void lost(const std::string& function, const NoAnswer& why);
    void expect_refusal(const std::string& function, const Arguments& arguments, LetThrough if_answered,
                        std::initializer_list<wire::ErrorKind> accepted);

    sandbox::Launch launch_;
    std::function<sandbox::Launch()> known_good_;
    std::function<sandbox::Launch(sandbox::Offspring)> measured_in_;
    std::map<sandbox::Offspring, sandbox::Launch> measured_launches_;
    const sandbox::Launch* measured_ = nullptr;  ///< one of these, while a worker is measured
    CallLimits limits_;
    TestRecord test_;
    std::unique_ptr<WorkerLink> link_;
    std::unique_ptr<WorkerLink> apart_;
    wire::Call told_last_;
    std::uint64_t last_call_ = 0;
    Witness witness_;
    Recorder recorder_;
    Repeats repeats_;
    std::vector<wire::Call> not_in_story_;  ///< calls since the last one that was added to it
    std::set<std::string> slow_;            ///< functions that ran into the limit once, here or in another worker
    std::set<std::string> computed_;
    bool owes_evidence_ = true;
    bool trouble_ends_all_ = false;
    int hung_here_ = 0;                   ///< how many of them did so first here
    bool all_end_ = true;                 ///< workers, by themselves
    std::function<void()> after_worker_;  ///< let_workers_end()
};

}  // namespace headway::judge
