// The worker: a submission, linked with the dispatcher of its exercise. It answers calls until the judge hangs up.
#include "wire/frame.hpp"
#include "worker/dispatcher.hpp"
#include "worker/interruption.hpp"
#include "worker/throw_trace.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace {

/// The socket to the judge; the judge's sandbox puts it there.
constexpr int channel = 3;

/// What the submission printed belongs to this call, so it must be out before the answer is.
void flush_output() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

headway::wire::Bytes encoded_answer(headway::worker::Dispatcher& dispatcher, const headway::wire::Call& call) {
    using namespace headway;
    try {
        wire::Bytes answer = wire::encode(dispatcher.answer(call));
        if (answer.size() > wire::max_frame_bytes)
            throw std::length_error("it takes " + std::to_string(answer.size() >> 20U) + " MiB, and " +
                                    std::to_string(wire::max_frame_bytes >> 20U) + " MiB are the most");
        return answer;
    } catch (const std::exception& error) {
        wire::Reply reply;
        reply.id = call.id;
        reply.error = wire::Error{wire::ErrorKind::other_exception, wire::not_sent, error.what()};
        return wire::encode(reply);
    }
}

/// What the judge waits for; null if it does not, or has been told of it.
std::atomic<const headway::wire::Call*> asked = nullptr;

std::terminate_handler usual_end = nullptr;

/// For an exception that nothing catches: says what it was and where, since the judge would only see a signal.
[[noreturn]] void say_why_it_ends() {
    using namespace headway;
    const wire::Call* const call = asked.exchange(nullptr);
    try {
        wire::Reply reply;
        if (call != nullptr) reply.error = worker::uncaught_error();
        if (reply.error) {
            reply.id = call->id;
            wire::write_frame(channel, wire::encode(reply));
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the signal says enough
    }
    usual_end();
    std::abort();
}

/// What the value of a static or global variable throws. The judge has asked, or is about to: that is answered.
[[noreturn]] void say_why_main_is_not_reached() {
    using namespace headway;
    constexpr int patience_milliseconds = 1000;
    try {
        // Not by fstat: the headers of newer glibcs make it a symbol that Debian 11's has not.
        int type = 0;
        socklen_t size = sizeof type;
        const bool is_socket = ::getsockopt(channel, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
        pollfd waiting{channel, POLLIN, 0};
        const bool is_asked = is_socket && ::poll(&waiting, 1, patience_milliseconds) == 1;
        wire::Reply reply;
        if (is_asked) reply.error = worker::uncaught_error();
        const auto frame = reply.error ? wire::read_frame(channel) : std::nullopt;
        if (frame) {
            reply.id = wire::decode_call(*frame).id;
            reply.error->before_main = true;
            wire::write_frame(channel, wire::encode(reply));
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the signal says enough
    }
    usual_end();
    std::abort();
}

/// Before all that the submission makes before main.
[[gnu::constructor(101)]] void listen_before_main() {
    headway::worker::forget_throw();
    usual_end = std::set_terminate(say_why_main_is_not_reached);
}

/// Answers the judge until it hangs up.
void serve(headway::worker::Dispatcher& dispatcher) {
    using namespace headway;
    std::set_terminate(say_why_it_ends);
    worker::tell_of_interruptions(channel, [] { return asked.exchange(nullptr) != nullptr; });
    while (const auto frame = wire::read_frame(channel)) {
        const wire::Call call = wire::decode_call(*frame);
        asked = &call;
        const wire::Bytes answer = encoded_answer(dispatcher, call);
        asked = nullptr;
        flush_output();
        wire::write_frame(channel, answer);
    }
}

/// Does once more what a test asked for, for a debugger to watch; the answers are told, and go nowhere.
void replay(headway::worker::Dispatcher& dispatcher, const char* file) {
    using namespace headway;
    const int calls = ::open(file, O_RDONLY | O_CLOEXEC);
    if (calls < 0) throw std::system_error(errno, std::generic_category(), file);
    while (const auto frame = wire::read_frame(calls)) {
        const wire::Call call = wire::decode_call(*frame);
        std::printf("%s(", call.function.c_str());
        for (const wire::Field& argument : call.arguments)
            std::printf("%s%s: %s", &argument == call.arguments.data() ? "" : ", ", argument.name.c_str(),
                        wire::describe(argument.value).c_str());
        std::printf(")\n");
        std::fflush(stdout);
        const wire::Reply reply = dispatcher.answer(call);
        flush_output();
        const std::string outcome = reply.error ? "threw " + reply.error->type + " " + reply.error->message
                                                : "gave " + wire::describe(reply.result);
        std::printf("  %s\n", outcome.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    using namespace headway;
    try {
        worker::Dispatcher dispatcher;
        worker::add_functions(dispatcher);
        if (argc == 3 && std::string_view(argv[1]) == "--replay")
            replay(dispatcher, argv[2]);
        else
            serve(dispatcher);
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "worker: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
