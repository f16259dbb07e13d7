#include "suites/06_catch_the_bug/relay.hpp"

#include "suites/06_catch_the_bug/wire_form.hpp"

#include "wire/whereabouts.hpp"
#include "worker/test_report.hpp"
#include "worker/throw_trace.hpp"

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

namespace headway::worker {
namespace {

/// The question where the program is is for the tests, not for the thread that waits for them.
void leave_to_the_tests(bool yes) {
    sigset_t asked{};
    ::sigemptyset(&asked);
    ::sigaddset(&asked, wire::where_are_you);
    ::pthread_sigmask(yes ? SIG_BLOCK : SIG_UNBLOCK, &asked, nullptr);
}

}  // namespace

Relay& Relay::instance() {
    // Never destroyed: where a worker is ended while a test waits for an answer, its thread goes with the process.
    static auto& relay = *new Relay;
    return relay;
}

wire::Value Relay::run_tests() {
    started_ = ::getpid();
    tests_ = std::thread([this] {
        wire::Record outcomes, thrown;
        const auto now_in = +[](const std::string& test) {
            if (!test.empty()) forget_throw();
            Relay& relay = instance();
            if (relay.started_ == ::getpid()) relay.told(wire::Record{{{"now_in", test}}});
        };
        for (TestSaid& said : report_of_all_tests(now_in, &last_throw)) {
            outcomes.fields.push_back({said.test, said.words ? wire::Value(std::move(*said.words)) : wire::Value()});
            if (!said.thrown_at.empty())
                thrown.fields.push_back({said.test, Shape(said.thrown_at.begin(), said.thrown_at.end())});
        }
        wire::Record end{{{"report", std::move(outcomes)}, {"thrown", std::move(thrown)}}};
        const std::lock_guard lock(mutex_);
        out_ = std::move(end);
        changed_.notify_all();
    });
    leave_to_the_tests(true);
    return next();
}

wire::Value Relay::answer(const wire::Value& reply) {
    {
        const std::lock_guard lock(mutex_);
        in_ = reply;
        changed_.notify_all();
    }
    return next();
}

wire::Value Relay::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return out_.has_value(); });
    wire::Value out = std::move(*out_);
    out_.reset();
    const bool is_over = std::get<wire::Record>(out).find("report") != nullptr;
    lock.unlock();
    if (is_over) {
        tests_.join();
        leave_to_the_tests(false);
    }
    return out;
}

wire::Value Relay::told(wire::Value out) {
    const std::lock_guard alone(one_question_);
    std::unique_lock lock(mutex_);
    out_ = std::move(out);
    changed_.notify_all();
    changed_.wait(lock, [this] { return in_.has_value(); });
    wire::Value in = std::move(*in_);
    in_.reset();
    return in;
}

ex06::Attended Relay::ask(const ex06::Inputs& inputs) {
    if (started_ == 0)
        throw std::logic_error(
            "attention() was asked before any TEST runs, for the value of a static or global variable: move it into a "
            "TEST or SetUp");
    if (started_ != ::getpid()) {
        // Nobody would answer: this is a child of the tests.
        std::fprintf(stderr, "attention() can be asked inside a TEST only, and not in a process that it starts.\n");
        throw std::logic_error("attention() can be asked inside a TEST only");
    }
    const wire::Value reply = told(wire::Record{{{"asks", wire_form::to_record(inputs)}}});
    if (const auto* record = std::get_if<wire::Record>(&reply))
        if (const wire::Field* why = record->find("refused"))
            throw std::invalid_argument(std::get<std::string>(why->value));
    return wire_form::attended_from(reply);
}

}  // namespace headway::worker
