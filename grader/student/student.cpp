#include "student/student.hpp"

#include "student/harness.hpp"
#include "student/sanitizer_report.hpp"
#include "student/what_to_change.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using verdict::Failure;
using verdict::FailureKind;
using wire::ErrorKind;

/// A test that keeps every answer keeps as much as this many of the largest.
constexpr std::uint64_t answers_of_a_test = 64;

bool lacks_threads(const wire::Error& error) {
    return error.type == "std::system_error" && error.message.starts_with("Resource temporarily unavailable");
}

/// Where it was thrown, for the grading to find the line, and what to change if that is known.
void tell_of(Failure& failure, const wire::Error& error, const std::string& function, const Arguments& asked) {
    if (!error.frames.empty()) failure.frames = error.frames;
    failure.advice = what_to_change(error, whose(function), asked);
}

Failure thrown(const std::string& function, const Arguments& asked, const wire::Error& error,
               const CallLimits& limits) {
    Failure failure;
    tell_of(failure, error, function, asked);
    if (error.type == "std::bad_alloc") {
        failure.kind = FailureKind::memory;
        failure.message = "your " + whose(function) + " asked for more memory than there is (std::bad_alloc)";
        return failure;
    }
    failure.kind = FailureKind::exception;
    failure.message = "your " + whose(function) + (error.type == wire::not_sent ? " gave " : " threw ") + error.type;
    if (!error.message.empty()) failure.message += ": " + error.message;
    if (lacks_threads(error))
        failure.message += " (does it start more threads than the " + std::to_string(limits.threads) +
                           " that it may have at once? A thread counts until it is joined)";
    return failure;
}

}  // namespace

bool lacks_resources(const wire::Error& error) { return error.type == "std::bad_alloc" || lacks_threads(error); }

Student::Student(sandbox::Launch worker, CallLimits limits) : launch_(std::move(worker)), limits_(std::move(limits)) {}

/// A machine that has no process, descriptor or memory left at one moment may have some at the next.
WorkerLink& Student::link() {
    constexpr int most_attempts = 3;
    for (int attempt = 1; !link_; ++attempt) try {
            link_ = std::make_unique<WorkerLink>(measured_ != nullptr ? *measured_ : launch_, limits_);
        } catch (const std::system_error&) {
            if (attempt == most_attempts) throw;
            std::this_thread::sleep_for(attempt * milliseconds(100));
        }
    return *link_;
}

bool Student::machine_runs_workers() const {
    if (!known_good_) return true;
    try {
        WorkerLink(known_good_(), {}).exchange({1, "answers anything", {}}, CallLimits{}.time);
        return true;
    } catch (const NoAnswer&) {
    } catch (const MachineTooBusy&) {
    } catch (const std::system_error&) {
    }
    return false;
}

void Student::unavailable(const std::string& why) {
    link_.reset();
    if (trouble_ends_all_) throw std::runtime_error(why);
    test_.unavailable = why;
    throw StopTest{};
}

void Student::fresh_worker() {
    const bool is_orderly = link_ && after_worker_;
    // Once one does not end, the others would not: each would be waited for in vain.
    const bool has_ended = is_orderly && all_end_ && link_->finish();
    if (is_orderly) all_end_ = has_ended;
    link_.reset();
    measured_ = nullptr;
    if (has_ended) after_worker_();
}

void Student::fresh_measured_worker(sandbox::Offspring offspring) {
    fresh_worker();
    if (!measured_in_) return;
    auto found = measured_launches_.find(offspring);
    if (found == measured_launches_.end()) found = measured_launches_.emplace(offspring, measured_in_(offspring)).first;
    measured_ = &found->second;
}

void Student::begin_test() {
    if (measured_ != nullptr) fresh_worker();
    test_ = {};
}

void Student::collect_output() {
    if (!link_) return;
    Printed printed = link_->take_output();
    const std::size_t room = limits_.output_kept - std::min(limits_.output_kept, test_.output.size());
    test_.output.append(printed.text, 0, room);
    test_.output_truncated |= printed.truncated || printed.text.size() > room;
}

milliseconds Student::time_limit(const std::string& function) const {
    // A function without end would cost the student its limit in every test that calls it; and where several have
    // none, the next one seldom has.
    const milliseconds least = std::min(limits_.time, limits_.time_after_timeout);
    if (slow_.contains(function)) return least;
    return hung_here_ == 0 ? limits_.time : std::max(least, limits_.time / (3 * hung_here_));
}

/// Of what a test is answered, since it may keep it all, and much more of it than came over the wire.
void Student::keep_account(const wire::Reply& reply) {
    test_.answered_bytes += wire::bytes_to_unfold(reply.result);
    if (test_.answered_bytes > limits_.answer_bytes * answers_of_a_test)
        throw NoAnswer{FailureKind::memory, "answered with more than " +
                                                std::to_string(limits_.answer_bytes * answers_of_a_test >> 20U) +
                                                " MiB of numbers in one test"};
}

void Student::lost(const std::string& function, const NoAnswer& why) {
    Failure failure;
    failure.kind = why.kind;
    failure.message = "your " + whose(function) + " " + why.message;
    if (why.kind == FailureKind::sanitizer) {
        failure.sanitizer = parse_sanitizer_report(link_->last_words());
        failure.message = describe(*failure.sanitizer, whose(function));
        failure.advice = what_to_change(*failure.sanitizer, whose(function));
    }
    if (why.thrown)
        tell_of(failure, *why.thrown, function, (not_in_story_.empty() ? told_last_ : not_in_story_.back()).arguments);
    if (!why.frames.empty()) failure.frames = why.frames;
    if (test_.outside_story && !is_courses_own(function)) add_to_story();
    if (why.kind == FailureKind::timeout && !link_->has_begun()) {
        // The next worker is the same program.
        if (limits_.start <= limits_.time_after_timeout)
            failure.message = "your " + whose(function) + " was never reached: " + before_main +
                              ", the program takes longer than it may, as it did when it was started before";
        limits_.start = std::min(limits_.start, limits_.time_after_timeout);
    } else if (why.kind == FailureKind::timeout && slow_.insert(function).second)
        ++hung_here_;
    collect_output();
    link_.reset();
    if (why.in_doubt) in_doubt();
    fail(std::move(failure));
}

void Student::in_doubt() {
    if (!machine_runs_workers())
        unavailable("this machine cannot run programs now: one that is known to answer did not. Grade again.");
    test_.in_doubt = true;
}

void Student::add_to_story() {
    // Once the test has failed, what else is asked is no part of how it came to that.
    const bool has_failed = !test_.let_through.empty();
    for (const wire::Call& call : not_in_story_)
        if (recorder_ && !has_failed) recorder_(call);
    const wire::Call& last = not_in_story_.back();
    told_last_ = last;
    if (const Harness* harness = harness_of(last.function); harness == nullptr || !harness->function.empty()) {
        test_.function = whose(last.function);
        test_.asked.insert(test_.function);
    }
    if (!has_failed) test_.add_to_story(told(last.function, last.arguments), last.arguments);
    not_in_story_.clear();
}

Outcome Student::ask(const std::string& function, const Arguments& arguments, bool keep_result) {
    not_in_story_.push_back({++last_call_, function, arguments, keep_result});
    if (!test_.outside_story && !is_courses_own(function)) add_to_story();
    const wire::Call call{last_call_, function, arguments, keep_result};
    try {
        const milliseconds time = time_limit(function);
        wire::Reply reply =
            link().exchange(call, time, time < limits_.time ? WorkerLink::Time::shortened : WorkerLink::Time::usual);
        collect_output();
        keep_account(reply);
        if (reply.error && reply.error->kind == ErrorKind::not_implemented) {
            test_.not_implemented = reply.error->message;
            throw StopTest{};
        }
        if (reply.error && reply.error->kind == ErrorKind::no_such_function) {
            // The course's own dispatchers know every function that is asked: something of the submission answers.
            throw NoAnswer{FailureKind::protocol, "is not what answers: the program does not know that function"};
        }
        Outcome outcome{std::move(reply.result), std::move(reply.error), std::move(reply.changed_arguments)};
        if (!outcome.error) test_.answered.insert(function);
        if (const auto* made = std::get_if<wire::Handle>(&outcome.value); made != nullptr && not_in_story_.empty())
            if (!test_.objects.empty() && !is_courses_own(function) && test_.let_through.empty())
                test_.objects.back().made = made->id;
        if (witness_ && !is_courses_own(function) && test_.let_through.empty()) witness_(function, arguments, outcome);
        return outcome;
    } catch (const NoAnswer& why) {
        lost(function, why);
    } catch (const MachineTooBusy& why) {
        unavailable(why.what());
    } catch (const OutOfTime&) {
        link_.reset();
        throw;
    } catch (const std::system_error& error) {
        unavailable(std::string("the worker cannot be run: ") + error.what());
    }
}

Outcome Student::outcome(const std::string& function, const Arguments& arguments, bool keep_result) {
    return ask(function, arguments, keep_result);
}

wire::Value Student::answer(const std::string& function, const Arguments& arguments, bool keep_result) {
    Outcome outcome = ask(function, arguments, keep_result);
    if (outcome.error) {
        if (test_.outside_story && !is_courses_own(function)) add_to_story();
        if (lacks_resources(*outcome.error)) in_doubt();
        fail(thrown(function, arguments, *outcome.error, limits_));
    }
    return std::move(outcome.value);
}

template <class T>
T Student::expect(const std::string& function, const Arguments& arguments, const char* kind) {
    wire::Value value = answer(function, arguments);
    if (T* held = std::get_if<T>(&value)) return std::move(*held);
    Failure failure;
    failure.kind = FailureKind::protocol;
    failure.message = "your " + whose(function) + " answered with " + wire::describe(value) + " instead of " + kind;
    fail(std::move(failure));
}

Tensor Student::tensor(const std::string& function, const Arguments& arguments) {
    auto tensor = expect<Tensor>(function, arguments, "a tensor");
    if (tensor.defined()) return tensor;
    Failure failure;
    failure.kind = FailureKind::wrong_shape;
    failure.message = "your " + whose(function) + " returned an undefined tensor (Tensor{})";
    fail(std::move(failure));
}

Mask Student::mask(const std::string& function, const Arguments& arguments) {
    auto mask = expect<Mask>(function, arguments, "a mask");
    if (mask.defined()) return mask;
    Failure failure;
    failure.kind = FailureKind::wrong_shape;
    failure.message = "your " + whose(function) + " returned Mask{}, which blocks nothing and has no shape";
    fail(std::move(failure));
}

Shape Student::list(const std::string& function, const Arguments& arguments) {
    return expect<Shape>(function, arguments, "a list of integers");
}

wire::Record Student::record(const std::string& function, const Arguments& arguments) {
    return expect<wire::Record>(function, arguments, "a record");
}

wire::Handle Student::keep(const std::string& function, const Arguments& arguments) {
    wire::Value value = answer(function, arguments, true);
    if (const auto* handle = std::get_if<wire::Handle>(&value)) return *handle;
    Failure failure;
    failure.kind = FailureKind::wrong_behaviour;
    failure.message = "your " + whose(function) + " returned nothing (a null pointer)";
    fail(std::move(failure));
}

void Student::run(const std::string& function, const Arguments& arguments) { answer(function, arguments); }

wire::Handle Student::store(const Tensor& tensor) { return expect<wire::Handle>("keep", {{"x", tensor}}, "a handle"); }

Tensor Student::read(wire::Handle handle) { return expect<Tensor>("read", {{"x", handle}}, "a tensor"); }

wire::Handle Student::view(wire::Handle handle, const Layout& layout) {
    return expect<wire::Handle>(
        "view_of_kept",
        {{"x", handle}, {"shape", layout.shape}, {"strides", layout.strides}, {"offset", layout.offset}}, "a handle");
}

void Student::write(wire::Handle handle, const Shape& index, double number) {
    answer("write", {{"x", handle}, {"index", index}, {"number", number}});
}

bool Student::share_storage(wire::Handle a, wire::Handle b) {
    return expect<bool>("share_storage", {{"a", a}, {"b", b}}, "yes or no");
}

bool Student::overlap(wire::Handle a, wire::Handle b) {
    return expect<bool>("overlap", {{"a", a}, {"b", b}}, "yes or no");
}

void Student::forget(wire::Handle handle) { answer("forget", {{"x", handle}}); }

namespace {

[[noreturn]] void fail_unmeasured(std::string message) {
    Failure failure;
    failure.kind = FailureKind::wrong_behaviour;
    failure.message = std::move(message);
    fail(std::move(failure));
}

}  // namespace

Student::Measured Student::measured(const std::string& function, const Arguments& arguments) {
    Measured result;
    const auto mark = link().process().mark_memory();
    const std::chrono::nanoseconds before = link().process().cpu_time();
    const wire::Handle answer = keep(function, arguments);
    const sandbox::Process& process = link().process();
    result.computed = process.cpu_time() - before;
    if (mark) {
        result.started_processes = process.has_started_processes_since(*mark);
        if (!mark->group_counts && result.started_processes)
            fail_unmeasured("your " + whose(function) +
                            " starts processes, whose memory cannot be measured here; compute in the one that was "
                            "called (threads are fine)");
        if (mark->is_shut)
            fail_unmeasured("what memory your " + whose(function) +
                            " takes cannot be measured, since your program keeps its memory from the grader "
                            "(prctl with PR_SET_DUMPABLE does that); leave that out");
        result.is_known = true;
        result.before = mark->written;
        result.growth = process.growth_since(*mark);
    }
    result.answer = read(answer);
    forget(answer);
    return result;
}

}  // namespace headway::judge
