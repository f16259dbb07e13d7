#include "wire/frame.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/socket.h>
#include <unistd.h>

namespace headway::wire {
namespace {

/// @return false at the end of the stream
bool read_exactly(int descriptor, std::span<std::byte> into) {
    while (!into.empty()) {
        const ssize_t got = ::read(descriptor, into.data(), into.size());
        if (got == 0) return false;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category(), "reading a frame");
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

}  // namespace

Bytes framed(const Bytes& payload) {
    if (payload.size() > max_frame_bytes)
        throw MalformedMessage("a frame of " + std::to_string(payload.size()) + " bytes");
    Bytes frame(frame_header_bytes);
    for (std::size_t i = 0; i < frame_header_bytes; ++i) frame[i] = static_cast<std::byte>(payload.size() >> (8 * i));
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
}

std::size_t payload_size(std::span<const std::byte> header) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < frame_header_bytes; ++i) size |= std::to_integer<std::size_t>(header[i]) << (8 * i);
    if (size > max_frame_bytes) throw MalformedMessage("a frame of " + std::to_string(size) + " bytes");
    return size;
}

std::optional<Bytes> read_frame(int descriptor) {
    Bytes header(frame_header_bytes);
    if (!read_exactly(descriptor, header)) return std::nullopt;
    Bytes payload(payload_size(header));
    if (!read_exactly(descriptor, payload)) return std::nullopt;
    return payload;
}

void write_frame(int descriptor, const Bytes& payload) {
    const Bytes frame = framed(payload);
    std::span<const std::byte> left = frame;
    while (!left.empty()) {
        // MSG_NOSIGNAL: a judge that has gone away is an error to report, not a SIGPIPE.
        const ssize_t sent = ::send(descriptor, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) throw std::system_error(errno, std::generic_category(), "writing a frame");
        left = left.subspan(static_cast<std::size_t>(sent));
    }
}

}  // namespace headway::wire
