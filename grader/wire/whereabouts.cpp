#include "wire/whereabouts.hpp"

#include "wire/frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <sys/socket.h>

namespace headway::wire {
namespace {

static_assert(std::endian::native == std::endian::little, "a frame's numbers are little-endian");

/// Bytes that stand nowhere else in so small a message.
constexpr std::int64_t place_of_an_address = 0x0123'4567'89ab'cdef;

std::array<std::byte, sizeof(std::int64_t)> bytes_of(std::int64_t number) {
    return std::bit_cast<std::array<std::byte, sizeof number>>(number);
}

}  // namespace

Whereabouts::Whereabouts(Stack stack) {
    Reply reply;
    reply.error = Error{.kind = ErrorKind::interrupted,
                        .type = stack == Stack::is_used_up ? stack_is_used_up : "",
                        .frames = std::vector(most_frames, place_of_an_address)};
    frame_ = framed(encode(reply));
    const auto mark = bytes_of(place_of_an_address);
    const auto first = std::search(frame_.begin(), frame_.end(), mark.begin(), mark.end());
    addresses_ = static_cast<std::size_t>(first - frame_.begin());
    if (frame_.size() > most_whereabouts_bytes || addresses_ + most_frames * mark.size() > frame_.size())
        throw std::logic_error("a message of another form");
    for (std::size_t i = 0; i < most_frames; ++i) set(i, 0);
}

void Whereabouts::set(std::size_t i, std::int64_t address) {
    std::memcpy(frame_.data() + addresses_ + i * sizeof address, &address, sizeof address);
}

void Whereabouts::send(int descriptor) const {
    ::send(descriptor, frame_.data(), frame_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace headway::wire
