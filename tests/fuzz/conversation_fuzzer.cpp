// The judge's side of the wire, with a worker that answers plausibly wrong: late, twice, by half, in another order, of
// another kind, with strides that lead nowhere. acting_worker.cpp plays what the input says, for up to three calls.
#include "text_in.hpp"

#include "student/worker_link.hpp"

#include <chrono>
#include <memory>

namespace {

using namespace headway;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

volatile float sink = 0;

void touch(const wire::Value& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->numel() > 0)
        sink = tensor->data()[0];
    if (const auto* mask = std::get_if<Mask>(&value); mask != nullptr && mask->numel() > 0)
        sink = mask->data()[0] ? 1 : 0;
    if (const auto* record = std::get_if<wire::Record>(&value))
        for (const wire::Field& field : record->fields) touch(field.value);
}

const judge::CallLimits limits{.time = milliseconds(100),
                               .wall = milliseconds(10'000),
                               .resident_bytes = std::uint64_t{1} << 30U,
                               .output_kept = 1024,
                               .output_flood = 16384};

sandbox::Launch worker() {
    sandbox::Command command;
    command.arguments = {HEADWAY_ACTING_WORKER};
    return sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
}

/// @return whether the worker can be asked again
bool ask(judge::WorkerLink& link, std::string script) {
    static std::uint64_t id = 0;
    const wire::Call call{++id, "play", {{"script", std::move(script)}}, false};
    const auto begin = steady_clock::now();
    bool answered = false;
    try {
        const wire::Reply reply = link.exchange(call, limits.time);
        fuzz::require(reply.id == call.id);
        touch(reply.result);
        wire::encode(reply);
        answered = true;
    } catch (const judge::NoAnswer& why) {
        fuzz::require(!why.message.empty());
        // A worker that broke the rules is gone.
        fuzz::require(const_cast<sandbox::Process&>(link.process()).ended().has_value());
    } catch (const judge::MachineTooBusy&) {  // nobody's fault
    }
    // The link waits a second for the end of a process that has closed its connection; the rest is for a loaded
    // machine.
    fuzz::require(steady_clock::now() - begin < std::chrono::seconds(20));
    fuzz::require(link.last_words().size() <= std::size_t{64} << 10U);
    fuzz::require(link.take_output().text.size() <= limits.output_kept);
    return answered;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static std::unique_ptr<judge::WorkerLink> link;
    std::string_view scripts = fuzz::as_text(data, size);
    for (int i = 0; i < 3 && !scripts.empty(); ++i) {
        const std::size_t end = std::min(scripts.find('\xff'), scripts.size());
        const std::string script(scripts.substr(0, end));
        scripts.remove_prefix(std::min(end + 1, scripts.size()));
        if (!link) link = std::make_unique<judge::WorkerLink>(worker(), limits);
        const bool is_polite = script.empty() || static_cast<unsigned char>(script.front()) % 2 == 0;
        // What is left in the socket by an impolite one is for the next call of this input, not of the next input.
        if (!ask(*link, script) || (!is_polite && (i == 2 || scripts.empty()))) link.reset();
        if (!link) break;
    }
    return 0;
}
