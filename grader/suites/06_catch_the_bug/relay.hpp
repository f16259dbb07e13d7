#pragma once

#include "wire/value.hpp"

#include <catch_the_bug.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include <sys/types.h>

namespace headway::worker {

/// The submitted tests, and their conversation with the judge: they run in a thread that stops at each question, until
/// the judge hands in the answer. What goes out is a Record: {"now_in": the test that begins, or "" after one}, which
/// any answer lets go on, {"asks": the inputs} or, in the end, {"report": ..., "thrown": by test, where the exception
/// was thrown that ended it}.
class Relay {
public:
    static Relay& instance();

    /// Starts the tests. @return what goes out first
    wire::Value run_tests();
    /// @param reply  the answer, or {"refused": why}   @return what goes out next
    wire::Value answer(const wire::Value& reply);

    /// Called by the tests, from whatever thread. @throws std::invalid_argument if the question is refused
    ex06::Attended ask(const ex06::Inputs& inputs);

private:
    wire::Value next();
    /// Puts it out, and waits for what comes in.
    wire::Value told(wire::Value out);

    std::thread tests_;
    std::atomic<pid_t> started_ = 0;  ///< the process whose tests run
    std::mutex one_question_;         ///< at a time
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<wire::Value> out_, in_;
};

}  // namespace headway::worker
