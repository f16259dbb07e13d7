// The worker: a submission, linked with the dispatcher of its exercise. It answers calls until the judge hangs up.
#include "../wire/frame.hpp"
#include "dispatcher.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

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
        return wire::encode(dispatcher.answer(call));
    } catch (const std::exception& error) {
        wire::Reply reply;
        reply.id = call.id;
        reply.error = wire::Error{wire::ErrorKind::other_exception, "an answer that cannot be sent", error.what()};
        return wire::encode(reply);
    }
}

}  // namespace

int main() {
    using namespace headway;
    try {
        worker::Dispatcher dispatcher;
        worker::add_functions(dispatcher);
        while (const auto frame = wire::read_frame(channel)) {
            const wire::Bytes answer = encoded_answer(dispatcher, wire::decode_call(*frame));
            flush_output();
            wire::write_frame(channel, answer);
        }
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "worker: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
