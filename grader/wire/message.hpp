#pragma once

#include "wire/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headway::wire {

struct Call {
    std::uint64_t id = 0;
    std::string function;
    std::vector<Field> arguments;
    /// Answer with a Handle and keep the result in the worker.
    bool keep = false;
};

enum class ErrorKind {
    not_implemented,
    invalid_argument,
    out_of_range,
    other_exception,
    no_such_function,
    interrupted,  ///< a signal came, which asks where the call is, or ends it: no exception
};

/// Of the calls that led to a throw or to an interruption, how many are told.
inline constexpr std::size_t most_frames = 16;

/// What kept a student's function from answering: an exception, or a signal.
struct Error {
    ErrorKind kind = ErrorKind::other_exception;
    std::string type = {};     ///< "std::invalid_argument"
    std::string message = {};  ///< what(), at most 4 KiB
    /// Where: addresses within the calls that led there, as the worker's program file counts them, the innermost first.
    /// The worker's own word, which may show a line and decides nothing.
    std::vector<std::int64_t> frames = {};
    bool uncaught = false;     ///< nothing catches it: the worker ends
    bool before_main = false;  ///< with that: main was not reached
};

struct Reply {
    std::uint64_t id = 0;
    Value result;
    std::optional<Error> error;                  ///< set instead of result
    std::vector<std::string> changed_arguments;  ///< whose numbers were different after the call
};

using Bytes = std::vector<std::byte>;

/// No frame, in either direction, is larger.
inline constexpr std::size_t max_frame_bytes = 64U << 20U;

/// Bytes that are not a message: the other side is broken or hostile.
struct MalformedMessage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Bytes encode(const Call& call);
Bytes encode(const Reply& reply);

/// Every size, nesting depth, shape, stride and offset is checked before it is used.
/// @throws MalformedMessage
Call decode_call(std::span<const std::byte> bytes);
/// @param most_unfolded  bytes that it may take with every element written out, whatever was sent of it
Reply decode_reply(std::span<const std::byte> bytes, std::size_t most_unfolded = max_frame_bytes);

}  // namespace headway::wire
