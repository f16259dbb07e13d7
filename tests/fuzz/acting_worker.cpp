// A worker that does what the call tells it to: the other side of conversation_fuzzer. Its script is the text of the
// call's only argument; every string of bytes is one.
#include "wire/frame.hpp"
#include "wire_generated.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace headway;
namespace schema = wire::schema;

constexpr int channel = 3;

/// The script, read byte by byte; past its end there are zeros.
class Script {
public:
    explicit Script(std::string text) : text_(std::move(text)) {}
    bool ended() const { return at_ >= text_.size(); }
    unsigned byte() { return ended() ? 0 : static_cast<unsigned char>(text_[at_++]); }
    std::int64_t size() {
        constexpr std::array<std::int64_t, 8> sizes = {0, 1, 2, 3, 7, 1 << 20, std::int64_t{1} << 40, -1};
        return sizes[byte() % sizes.size()];
    }
    std::int64_t stride() {
        constexpr std::array<std::int64_t, 8> strides = {0, 1, 3, 21, -1, 1 << 30, std::int64_t{1} << 62, INT64_MIN};
        return strides[byte() % strides.size()];
    }

private:
    std::string text_;
    std::size_t at_ = 0;
};

template <class Make>
flatbuffers::Offset<void> strided(Script& script, Make make) {
    std::vector<std::int64_t> shape(script.byte() % 10);
    for (auto& size : shape) size = script.size();
    std::vector<std::int64_t> strides(script.byte() % 3 == 0 ? script.byte() % 10 : shape.size());
    for (auto& stride : strides) stride = script.stride();
    return make(shape, strides, script.byte() % 4 == 0 ? script.stride() : 0, script.byte() % 64).Union();
}

/// Any value of the schema, plausible or not.
std::pair<schema::Value, flatbuffers::Offset<void>> value(flatbuffers::FlatBufferBuilder& to, Script& script,
                                                          int depth) {
    switch (script.byte() % 10) {
        case 0:
            return {schema::Value_Integer, schema::CreateInteger(to, script.stride()).Union()};
        case 1:
            return {schema::Value_Real, schema::CreateReal(to, 0.5).Union()};
        case 2:
            return {schema::Value_Flag, schema::CreateFlag(to, script.byte() % 2 == 0).Union()};
        case 3:
            return {schema::Value_Text,
                    schema::CreateTextDirect(to, std::string(script.byte() * 300, 'x').c_str()).Union()};
        case 4:
            return {schema::Value_Handle, schema::CreateHandle(to, script.byte()).Union()};
        case 5: {
            const std::vector<std::int64_t> numbers(script.byte() * 20, script.size());
            return {schema::Value_Integers, schema::CreateIntegersDirect(to, &numbers).Union()};
        }
        case 6: {
            std::vector<flatbuffers::Offset<schema::Field>> fields;
            for (unsigned left = depth > 20 ? 0 : script.byte() % 4; left > 0; --left) {
                const auto [tag, one] = value(to, script, depth + 1);
                fields.push_back(schema::CreateFieldDirect(to, "context", tag, one));
            }
            return {schema::Value_Record, schema::CreateRecordDirect(to, &fields).Union()};
        }
        case 7:
            return {schema::Value_Mask, strided(script, [&](auto& shape, auto& strides, auto offset, auto size) {
                        const std::vector<std::uint8_t> storage(size, 2);
                        return schema::CreateMaskDirect(to, true, &shape, &strides, offset, &storage);
                    })};
        default:
            return {schema::Value_Tensor, strided(script, [&](auto& shape, auto& strides, auto offset, auto size) {
                        const std::vector<float> storage(size, 1.0F);
                        return schema::CreateTensorDirect(to, script.byte() % 8 != 1, &shape, &strides, offset,
                                                          &storage);
                    })};
    }
}

wire::Bytes answer(Script& script, std::uint64_t id) {
    flatbuffers::FlatBufferBuilder to;
    const auto [tag, result] = value(to, script, 0);
    flatbuffers::Offset<schema::Error> error;
    if (script.byte() % 8 == 1)
        error =
            schema::CreateErrorDirect(to, static_cast<schema::ErrorKind>(script.byte()), "std::bad_alloc", "\x1b[2J");
    to.Finish(schema::CreateMessage(to, 0, schema::CreateReply(to, id, tag, result, error)));
    const auto* begin = reinterpret_cast<const std::byte*>(to.GetBufferPointer());
    return wire::framed({begin, begin + to.GetSize()});
}

void send(const wire::Bytes& bytes, std::size_t size) { ::send(channel, bytes.data(), size, MSG_NOSIGNAL); }

/// Plays one call. A polite script (an even first byte) only answers; any other does one thing after the other.
void play(Script script, std::uint64_t id) {
    wire::Bytes last;
    if (script.byte() % 2 == 0) {
        last = answer(script, id);
        send(last, last.size());
        return;
    }
    while (!script.ended()) {
        switch (script.byte() % 12) {
            case 0:  // of the call before, or of one to come
                last = answer(script, id + script.byte() % 3 - 1);
                send(last, last.size());
                break;
            case 1:
                send(last, last.size());  // twice, or the answer that was held back
                break;
            case 2:
                last = answer(script, id);
                send(last, last.size() * (script.byte() % 16) / 16);
                break;
            case 3:
                ::usleep(1000 * (script.byte() % 8));
                break;
            case 4:
                std::printf("%s", std::string(script.byte() * 200, 'p').c_str());
                std::fflush(stdout);
                break;
            case 5:
                ::close(1);
                ::close(2);
                break;
            case 6:
                ::close(channel);
                ::_exit(0);
            case 7:
                ::_exit(static_cast<int>(script.byte()));
            case 8:
                ::raise(static_cast<int>(script.byte() % 32));
                break;
            case 9: {
                constexpr std::array<std::uint32_t, 6> sizes = {0, 1, 8, 64U << 20U, (64U << 20U) + 1, 0xffffffff};
                const std::uint32_t size = sizes[script.byte() % sizes.size()];
                ::send(channel, &size, sizeof size, MSG_NOSIGNAL);
                break;
            }
            case 10: {
                wire::Bytes raw(script.byte());
                for (std::byte& one : raw) one = static_cast<std::byte>(script.byte());
                send(raw, raw.size());
                break;
            }
            default:
                last = answer(script, id);
                send(last, last.size());
        }
    }
    if (id % 16 != 0) ::_exit(0);  // else it is waited for
}

}  // namespace

int main() {
    try {
        while (const auto frame = wire::read_frame(channel)) {
            const wire::Call call = wire::decode_call(*frame);
            play(Script(std::get<std::string>(call.arguments.at(0).value)), call.id);
        }
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "acting worker: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
