#pragma once

#include "wire/message.hpp"

#include <optional>

namespace headway::wire {

/// Length of a frame's header: the payload size as four bytes, little-endian.
inline constexpr std::size_t frame_header_bytes = 4;

/// The type of the error that takes the place of a reply which no frame holds.
inline constexpr const char* not_sent = "an answer that cannot be sent";

/// `payload` with its header in front.
Bytes framed(const Bytes& payload);

/// The payload size that a header announces. @throws MalformedMessage if it exceeds max_frame_bytes
std::size_t payload_size(std::span<const std::byte> header);

/// Blocking input and output, for the worker's side (the judge never blocks on a worker).
/// @return nothing at the end of the stream   @throws std::system_error
std::optional<Bytes> read_frame(int descriptor);
void write_frame(int descriptor, const Bytes& payload);

}  // namespace headway::wire
