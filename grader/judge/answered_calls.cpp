#include "judge/answered_calls.hpp"

#include "sandbox/descriptor.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fcntl.h>

namespace headway::judge {
namespace {

/// With every element written out. Diagnosis holds all of it at once, at some times as much.
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;

/// What lives in the worker is not at hand.
bool stayed(const wire::Value& value) { return std::holds_alternative<wire::Handle>(value); }

}  // namespace

void AnsweredCallsFile::add(const std::string& function, const Arguments& arguments, const Outcome& outcome) {
    if (stayed(outcome.value) ||
        std::any_of(arguments.begin(), arguments.end(), [](const wire::Field& field) { return stayed(field.value); }))
        return;
    unfolded_ += wire::bytes_to_unfold(outcome.value);
    for (const wire::Field& argument : arguments) unfolded_ += wire::bytes_to_unfold(argument.value);
    if (unfolded_ > most_bytes) return;
    const wire::Bytes call =
        wire::encode(wire::Call{.id = 0, .function = function, .arguments = arguments, .keep = false});
    const wire::Bytes reply =
        wire::encode(wire::Reply{.id = 0, .result = outcome.value, .error = outcome.error, .changed_arguments = {}});
    // Views of a storage take more than their numbers, and what came as a little may be written at length.
    written_ += call.size() + reply.size();
    if (written_ > most_bytes || std::max(call.size(), reply.size()) > wire::max_frame_bytes) return;
    write(call);
    write(reply);
}

void AnsweredCallsFile::write(const wire::Bytes& message) {
    const wire::Bytes frame = wire::framed(message);
    file_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
}

void AnsweredCallsFile::close() {
    file_.close();
    if (!file_) throw std::runtime_error("cannot write " + name_.string());
}

std::vector<diagnosis::AnsweredCall> read_answered_calls(const std::filesystem::path& file) {
    const sandbox::Descriptor frames(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<diagnosis::AnsweredCall> answered_calls;
    while (const auto frame = wire::read_frame(frames.get())) {
        wire::Call call = wire::decode_call(*frame);
        const auto answer = wire::read_frame(frames.get());
        if (!answer) throw std::runtime_error(file.string() + " ends with a call that has no answer");
        wire::Reply reply = wire::decode_reply(*answer);
        Outcome outcome{std::move(reply.result), std::move(reply.error), {}};
        answered_calls.push_back({std::move(call.function), std::move(call.arguments), diagnosis::answer_of(outcome)});
    }
    return answered_calls;
}

}  // namespace headway::judge
