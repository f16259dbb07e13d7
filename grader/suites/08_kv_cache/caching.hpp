#pragma once

#include <headway/layout.hpp>

#include <vector>

namespace headway::diagnosis {

/// What is decided where keys and values of older tokens are kept (exercise 08).
struct Caching {
    using Lengths = std::vector<Index>;
    /// Where new token t of sequence b is written; `lengths` and `counts` are those before.
    Index (*position)(const Lengths& lengths, const Lengths& counts, std::size_t b, Index t);
    /// Which token of the n of a chunk is written as the t-th of sequence b.
    Index (*token)(const Lengths& counts, std::size_t b, Index t, Index n);
    /// Whether new token t of sequence b, at position s of the keys, is hidden from it.
    bool (*hidden)(const Lengths& lengths, std::size_t b, Index t, Index s, Index n, Index S);
    /// What becomes of tokens for which there is no room.
    enum class WhenFull {
        refused,
        overwrites_the_oldest,
        last_position_unused,
        refused_for_padding,              ///< padding asks for room too
        refused_while_writing,            ///< sequences before the full one are written
        refused_while_writing_one_by_one  ///< so are the tokens of the full one that fit
    };
    WhenFull when_full = WhenFull::refused;
    bool padding_is_kept = false;
    bool padding_is_kept_in_room = false;       ///< as much of it as there is room for behind the tokens
    bool padding_is_written = false;            ///< where there is room, but lengths move on by counts
    bool padding_of_values_is_written = false;  ///< that of v alone; where there is no room for it, that throws
    bool values_by_strides_of_keys = false;     ///< v is read with the strides of k
    bool heads_read_by_counts = false;          ///< new heads are taken to lie counts[b] tokens apart, not n
    bool adds_to_what_is_there = false;         ///< in place of writing over it
    /// What the length of sequence b moves on by, whatever was written.
    Index (*grows_by)(const Lengths& counts, std::size_t b, Index n);
    bool moves_on_for_each_head = false;  ///< each head is written behind the one before it
    bool writes_keys = true;              ///< into the cache, not into a copy of it
    bool writes_values = true;
    bool copies_slices = false;        ///< writes into slice(...).contiguous(): a copy, unless the slice has no gaps
    bool keys_for_values = false;      ///< k is written into both
    bool values_for_keys = false;      ///< v is written into both
    bool values_from_keys = false;     ///< decode reads values where keys are
    bool one_storage = false;          ///< k and v of a new cache are one tensor
    bool shared_places = false;        ///< k and v of a new cache overlap, or numbers of one of them do
    bool one_for_all = false;          ///< all new caches of the same sizes are one
    bool tokens_before_heads = false;  ///< a new cache is (B, C, H, d)
    bool length_of_each_head = false;  ///< a new cache holds B·H lengths
    bool lengths_in_braces = false;    ///< a new cache holds the two lengths B and 0
    bool length_in_braces = false;     ///< a new cache holds the one length B
    /// What becomes of the storage that the cache had.
    enum class Storage { kept, replaced, replaced_by_a_chunk_that_fills_it };
    Storage storage = Storage::kept;
    /// How far apart heads of the cache are taken to lie.
    enum class Apart { capacity, tokens_so_far, new_tokens };
    Apart heads = Apart::capacity;       ///< where they are written
    Apart heads_read = Apart::capacity;  ///< where decode reads them
    bool length_is_end = false;  ///< lengths[b] becomes the position behind the last token, wherever that was written
    /// What a new token attends to.
    enum class Sees {
        up_to_itself,
        what_was_before,
        whole_chunk,
        up_to_its_length_after,
        all_if_it_comes_alone,  ///< up to itself in chunks
        chunk_alone,
        one_offset,                    ///< S - n for the whole batch, nothing past the end of a sequence
        one_offset_for_equal_lengths,  ///< the same where all lengths are equal; else up to itself
        offset_of_first_sequence,      ///< its length for the whole batch, nothing past the end of a sequence
        back_from_the_last_token,  ///< of the n: token t at n - 1 - t before the end of its sequence, padding included
        whole_cache,
        whole_cache_after_the_first_chunk
    };
    Sees sees = Sees::up_to_itself;
    bool keys_of_the_first_alone = false;  ///< no more of them than the first sequence holds
    Index sees_last = 0;                   ///< so many positions alone, its own included; 0: however many there are
    /// Where the mask has fewer positions than tokens need, it is written past its end.
    enum class MaskEnds { anywhere, behind_every_token, behind_further_tokens };
    MaskEnds mask_ends = MaskEnds::anywhere;
    bool keys_counted_with_padding = false;       ///< it looks at as many positions as before and n more
    bool counts_of_zero_refused = false;          ///< a sequence that gets no token
    bool append_ends_at_a_count_of_zero = false;  ///< sequences after one that gets no token get none either
    /// What decode has for sequences after one that gets no token.
    enum class AfterNone { their_outputs, zeros, zeros_before_the_projection };
    AfterNone after_none = AfterNone::their_outputs;
    bool chunk_begins_anew = false;    ///< decode takes more than one new token for the beginning of all sequences
    bool decode_moves_lengths = true;  ///< where it writes into the cache itself
    enum class Projects { new_tokens, whole_capacity, more_than_once };
    Projects projects = Projects::new_tokens;
    bool projects_without_biases = false;
    static const Caching& right();
};

}  // namespace headway::diagnosis
