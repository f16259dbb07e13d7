#pragma once

#include "wire/message.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace headway::wire {

/// The signal that asks a worker where its call is. A program that has no handler for it does not notice it.
inline constexpr int where_are_you = SIGURG;

/// The type of such an error where the stack is used up; else it has none.
inline constexpr const char* stack_is_used_up = "stack is used up";

/// No frame of Whereabouts is longer.
inline constexpr std::size_t most_whereabouts_bytes = 1024;

/// The frame that tells where an interrupted call is, made ahead: a signal handler only has to put the addresses in and
/// to send it, for which it needs no memory. Its reply has the number 0 and an error of the kind `interrupted`.
class Whereabouts {
public:
    enum class Stack { has_room, is_used_up };
    explicit Whereabouts(Stack stack = Stack::has_room);

    /// @param i  less than most_frames; what is never set is the address 0, where no program has code
    void set(std::size_t i, std::int64_t address);
    /// Once, and without waiting: who asks does not wait long either.
    void send(int descriptor) const;

private:
    Bytes frame_;
    std::size_t addresses_ = 0;  ///< where they begin in it
};

}  // namespace headway::wire
