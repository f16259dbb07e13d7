#pragma once

#include <headway/layout.hpp>

#include <vector>

namespace headway::diagnosis {

/// What is decided where keys and values of older tokens are kept (exercise 08).
struct Caching {
    using Lengths = std::vector<Index>;
    /// Where new token t of sequence b is written; `lengths` and `counts` are those before.
    Index (*position)(const Lengths& lengths, const Lengths& counts, std::size_t b, Index t);
    /// Whether new token t of sequence b, at position s of the keys, is hidden from it.
    bool (*hidden)(const Lengths& lengths, std::size_t b, Index t, Index s, Index n, Index S);
    /// What becomes of tokens for which there is no room.
    enum class Room { refused, overwrites_the_oldest, last_position_unused, refused_while_writing };
    Room room = Room::refused;
    bool padding_is_kept = false;
    bool lengths_stay = false;
    bool keys_for_values = false;  ///< k is written into both
    bool values_for_keys = false;  ///< v is written into both
    bool one_storage = false;      ///< k and v of a new cache are one tensor
    /// Heads of the cache are taken to lie as far apart as there are tokens.
    bool heads_lie_close = false;
    bool length_is_end = false;  ///< lengths[b] becomes the position behind the last token, wherever that was written
    /// What a new token attends to.
    enum class Sees { up_to_itself, what_was_before, whole_chunk, up_to_its_length_after, chunk_alone, whole_cache };
    Sees sees = Sees::up_to_itself;
    enum class Projects { new_tokens, whole_capacity, more_than_once };
    Projects projects = Projects::new_tokens;
    bool operator==(const Caching&) const = default;
};

Caching right_caching();

}  // namespace headway::diagnosis
