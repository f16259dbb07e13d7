// Which keys the mask blocks.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include <stdexcept>
#include <utility>

namespace headway::diagnosis {
namespace {

/// Element of the mask at a coordinate that may be changed first; `Mask{}` blocks nothing.
Blocked read_at(const Mask& mask, const Shape& shape, void (*change)(std::vector<Index>&, const Shape&)) {
    Blocked blocked;
    if (!mask.defined()) return Blocked(zeros(shape).value.size(), false);
    const Mask full = mask.expand(shape);
    each(shape, [&](Coordinate at, std::size_t) {
        std::vector<Index> where(at.begin(), at.end());
        change(where, shape);
        blocked.push_back(full.data()[full.layout().locate(where.data(), where.size()) - full.layout().offset]);
    });
    return blocked;
}

/// As the mask says in entry 0 of an axis of the scores; elsewhere nothing is blocked.
Blocked read_in_first_alone(const Mask& mask, const Shape& shape, std::size_t axis) {
    Blocked blocked = right().masking.read(mask, shape);
    if (shape.size() != 4) return blocked;
    each(shape, [&](Coordinate at, std::size_t i) {
        if (at[axis] > 0) blocked[i] = false;
    });
    return blocked;
}

/// (H, T, S), or what may be taken for (B, T, S).
bool has_three_axes(const Mask& mask, const Shape& shape) {
    return mask.defined() && mask.rank() == 3 && shape.size() == 4 && mask.size(0) != 1;
}

/// A mask of three axes, of which the first is taken for that of the sequences.
Blocked read_by_sequence(const Mask& mask, const Shape& shape) {
    const Mask of_sequences = mask.expand({mask.size(0), shape[2], shape[3]});
    Blocked blocked;
    each(shape, [&](Coordinate at, std::size_t) { blocked.push_back(of_sequences(at[0], at[2], at[3])); });
    return blocked;
}

/// The mask's own numbers, in its own order, repeated until every score has one.
Blocked repeated(const Mask& mask, const Shape& shape) {
    Blocked blocked(zeros(shape).value.size(), false);
    if (!mask.defined() || mask.numel() == 0) return blocked;
    // In the order of its axes, or in that in which they lie in memory.
    if (mask.strides() != Layout::contiguous(mask.shape()).strides) throw Unpredictable{};
    const Mask dense = mask.clone();
    for (std::size_t i = 0; i < blocked.size(); ++i)
        blocked[i] = dense.data()[i % static_cast<std::size_t>(dense.numel())];
    return blocked;
}

/// With the strides that a fresh mask of its shape would have, broadcast rightly.
Blocked read_as_if_fresh(const Mask& mask, const Shape& shape) {
    if (!mask.defined()) return right().masking.read(mask, shape);
    const Layout fresh = Layout::contiguous(mask.shape());
    // Of an expanded mask there is less in memory than flags: what lies behind it is anybody's guess.
    if (mask.layout().offset + fresh.numel() > mask.storage_size()) throw Unpredictable{};
    const Layout wide = fresh.expand(shape);
    Blocked blocked;
    each(shape, [&](Coordinate at, std::size_t) { blocked.push_back(mask.data()[wide.locate(at.data(), at.size())]); });
    return blocked;
}

}  // namespace

Chapter chapters::mask_reading() {
    static constexpr Decision decisions[] = {
        {.id = "mask_read",
         .stage = Stage::mask,
         .lesson = {{"03", "Masks: which keys do not exist"}, {"05", "What people get wrong"}},
         .pseudocode = "mask broadcasts to (B,H,T,S); where mask[b,h,t,s] is true, key s does not exist for query t"},
        {.id = "asked",
         .stage = Stage::mask,
         .lesson = {{"01", "What people get wrong"}, {"03", "Masks: which keys do not exist"}},
         .pseudocode = "blocked (T,S) = what the mask blocks, and nothing more"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "mask_inverted",
         .decision = "mask_read",
         .title = "the mask is read the wrong way round: true lets attend",
         .right = "true means: may not attend",
         .symptom = "sees only what it should not; training looks fine, too fine",
         .question = "Which of true and false lets a query see a key? Compare the header with your code.",
         .shipped = {"halonet-pytorch: https://github.com/lucidrains/halonet-pytorch/pull/6",
                     "LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/pull/1062"},
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     Blocked blocked = right().masking.read(mask, shape);
                     if (mask.defined()) blocked.flip();
                     return blocked;
                 };
             }},
        {.id = "mask_ignored",
         .decision = "mask_read",
         .title = "the mask is not applied",
         .right = "blocked keys get weight 0",
         .symptom = "the future and the padding are seen; nothing crashes",
         .question = "Where does the result of masking go? masked_fill returns a new tensor.",
         .shipped = {"IndicBERT: https://github.com/AI4Bharat/IndicBERT/issues/20"},
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask&, const Shape& shape) { return right().masking.read(Mask{}, shape); };
             }},
        {.id = "mask_leaves_first_key_open",
         .decision = "mask_read",
         .title = "the first key is never blocked",
         .right = "mask[t, s] decides for key 0 as for any other",
         .symptom = "causal masks work; padding in front, and what a mask hides on purpose, does not",
         .question = "With which key does your loop over the mask begin?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     Blocked blocked = right().masking.read(mask, shape);
                     const auto S = static_cast<std::size_t>(shape.back());
                     for (std::size_t i = 0; i < blocked.size(); i += S) blocked[i] = false;
                     return blocked;
                 };
             }},
        {.id = "mask_of_first_head",
         .decision = "mask_read",
         .title = "every head gets the mask of head 0",
         .right = "the mask broadcasts to (B, H, T, S): each head has its own",
         .symptom = "invisible while all heads share one mask",
         .question = "Which head axis does your mask index use?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     return read_at(mask, shape, [](std::vector<Index>& at, const Shape&) {
                         if (at.size() == 4) at[1] = 0;
                     });
                 };
             }},
        {.id = "mask_of_first_sequence",
         .decision = "mask_read",
         .title = "every sequence of the batch gets the mask of sequence 0",
         .right = "the mask broadcasts to (B, H, T, S): each sequence has its own",
         .symptom = "right with batch 1; padding of the others is wrong",
         .question = "Which batch index does your mask use?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     return read_at(mask, shape, [](std::vector<Index>& at, const Shape&) {
                         if (at.size() == 4) at[0] = 0;
                     });
                 };
             }},
        {.id = "mask_in_first_sequence_alone",
         .decision = "mask_read",
         .title = "the mask is applied to sequence 0 alone: in the others every key is seen",
         .right = "the mask broadcasts to (B, H, T, S): it counts in every sequence",
         .symptom = "right with batch 1; all other sequences see the future and the padding",
         .question = "For which sequences of the batch does your code look at the mask?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     return read_in_first_alone(mask, shape, batch_axis);
                 };
             }},
        {.id = "mask_in_first_head_alone",
         .decision = "mask_read",
         .title = "the mask is applied in head 0 alone: in the others every key is seen",
         .right = "the mask broadcasts to (B, H, T, S): it counts in every head",
         .symptom = "right with one head; all other heads see the future and the padding",
         .question = "For which heads does your code look at the mask?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     return read_in_first_alone(mask, shape, heads_axis);
                 };
             }},
        {.id = "mask_of_first_query",
         .decision = "mask_read",
         .title = "every query gets the mask of query 0",
         .right = "the mask broadcasts to (B, H, T, S): each query has its own",
         .symptom = "padding works, causal masks do not",
         .question = "Which query index does your mask use?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     return read_at(mask, shape, [](std::vector<Index>& at, const Shape&) { at[at.size() - 2] = 0; });
                 };
             }},
        {.id = "mask_of_three_axes_read_by_sequence",
         .decision = "mask_read",
         .title = "a mask of three axes is read as (B, T, S), one for each sequence",
         .right = "the mask broadcasts to (B, H, T, S) from the right: three axes are (H, T, S), one for each head",
         .symptom = "right for every other mask; with one for each head, the wrong keys are seen",
         .question = "With which axis of (B, H, T, S) does the first axis of a mask (3, T, S) line up?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     if (!has_three_axes(mask, shape)) return right().masking.read(mask, shape);
                     // With fewer masks than sequences some refuse, and some take what they find.
                     if (mask.size(0) < shape[0]) throw Unpredictable{};
                     return read_by_sequence(mask, shape);
                 };
             }},
        {.id = "mask_of_three_axes_taken_for_sequences",
         .decision = "mask_read",
         .title = "a mask of three axes is taken for (B, T, S), one for each sequence, and refused where it is not",
         .right = "the mask broadcasts to (B, H, T, S) from the right: three axes are (H, T, S), one for each head",
         .symptom = "right for every other mask; one for each head is refused, or read by sequence where B is H",
         .question = "With which axis of (B, H, T, S) does the first axis of a mask (3, T, S) line up?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     if (!has_three_axes(mask, shape)) return right().masking.read(mask, shape);
                     if (mask.size(0) != shape[0]) throw std::out_of_range("mask");
                     return read_by_sequence(mask, shape);
                 };
             }},
        {.id = "mask_of_three_axes_read_by_sequence_if_it_can_be",
         .decision = "mask_read",
         .title = "a mask of three axes is read as (B, T, S), one for each sequence, wherever it has B of them",
         .right = "the mask broadcasts to (B, H, T, S) from the right: three axes are (H, T, S), one for each head",
         .symptom = "right where B differs from H; where they are equal, the wrong keys are seen",
         .question = "With B = H = 3: is the first axis of a mask (3, T, S) that of the sequences or of the heads?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     const bool is_taken = has_three_axes(mask, shape) && mask.size(0) == shape[0];
                     return is_taken ? read_by_sequence(mask, shape) : right().masking.read(mask, shape);
                 };
             }},
        {.id = "mask_transposed",
         .decision = "mask_read",
         .title = "the mask's numbers are read as (S, T) instead of (T, S)",
         .right = "mask[t, s] says whether query t may not see key s",
         .symptom = "the past is blocked instead of the future",
         .question = "Is the first index of your mask the query or the key?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     if (!mask.defined()) return right().masking.read(mask, shape);
                     // The (T, S) numbers in a row, taken as (S, T).
                     const Blocked straight = right().masking.read(mask, shape);
                     const auto T = static_cast<std::size_t>(shape[shape.size() - 2]);
                     const auto S = static_cast<std::size_t>(shape.back());
                     Blocked turned(straight.size());
                     for (std::size_t i = 0; i < straight.size(); ++i) {
                         const std::size_t matrix = i / (T * S) * T * S;
                         const std::size_t t = i % (T * S) / S;
                         const std::size_t s = i % S;
                         turned[i] = straight[matrix + s * T + t];
                     }
                     return turned;
                 };
             }},
        {.id = "mask_keys_first",
         .decision = "mask_read",
         .title = "the mask is read as mask[key, query]",
         .right = "mask[t, s] says whether query t may not see key s",
         .symptom = "the past is blocked instead of the future; fails where T and S differ",
         .question = "Is the first index of your mask the query or the key?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     if (mask.defined() && shape[shape.size() - 2] != shape.back()) throw std::out_of_range("mask");
                     return read_at(mask, shape, [](std::vector<Index>& at, const Shape&) {
                         std::swap(at[at.size() - 2], at[at.size() - 1]);
                     });
                 };
             }},
        {.id = "mask_strides_ignored",
         .decision = "mask_read",
         .title = "a mask with a flag for every score is read as if it were contiguous, such as through data()",
         .right = "go through mask(b, h, t, s): a mask may be a view, such as a transposed one",
         .symptom = "right for fresh masks, other keys are blocked for a transposed one",
         .question = "What does data()[1] hold of a mask whose last two axes were swapped?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     Blocked blocked = right().masking.read(mask, shape);
                     if (!mask.defined() || mask.numel() != static_cast<Index>(blocked.size())) return blocked;
                     // Of an expanded mask there is less in memory than flags: what lies behind it is anybody's guess.
                     if (mask.layout().offset + mask.numel() > mask.storage_size()) throw Unpredictable{};
                     for (std::size_t i = 0; i < blocked.size(); ++i) blocked[i] = mask.data()[i];
                     return blocked;
                 };
             }},
        {.id = "mask_strides_of_its_shape",
         .decision = "mask_read",
         .title = "where the flags of a mask lie is worked out from its shape, as if every mask were contiguous",
         .right = "go by mask.strides(), or through mask(b, h, t, s): a mask may be a view, such as a transposed one",
         .symptom = "right for fresh masks of every shape, other keys are blocked for a transposed one or a slice",
         .question = "What does data()[1] hold of a mask whose last two axes were swapped?",
         .make = [](Choices& c) { c.masking.read = &read_as_if_fresh; }},
        {.id = "mask_offset_ignored",
         .decision = "mask_read",
         .title = "a mask that is a view is read from the beginning of its storage, not from where the view begins",
         .right =
             "begin at data(), or at layout().offset of the storage: as_strided counts from the storage's beginning",
         .symptom = "right for fresh masks; a slice of a larger mask blocks the keys of its first rows",
         .question = "Where in its storage does a slice of a mask begin?",
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     if (!mask.defined()) return right().masking.read(mask, shape);
                     return right().masking.read(mask.as_strided(mask.shape(), mask.layout().strides, 0), shape);
                 };
             }},
        {.id = "mask_repeated",
         .decision = "mask_read",
         .title = "a smaller mask is repeated number by number instead of broadcast",
         .right = "axes of size 1 are repeated, axis by axis: mask.expand(shape)",
         .symptom = "right for (T, S) masks; a padding mask (B, 1, 1, S) hits the wrong keys",
         .question = "Which number of a (B, 1, 1, S) mask belongs to score [1, 2, 3, 4]?",
         .make = [](Choices& c) { c.masking.read = &repeated; }},
        {.id = "causal_unasked",
         .decision = "asked",
         .title = "the future is blocked although nobody asked for it",
         .right = "block only what you are asked to block",
         .symptom = "an encoder that cannot look ahead",
         .question = "Which argument says that a token may not look at what comes after it?",
         .shipped = {"TransformerEngine: https://github.com/NVIDIA/TransformerEngine/issues/629"},
         .make =
             [](Choices& c) {
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     Blocked blocked = right().masking.read(mask, shape);
                     const Index T = shape[shape.size() - 2];
                     const Index S = shape.back();
                     for (std::size_t i = 0; i < blocked.size(); ++i) {
                         const auto flat = static_cast<Index>(i);
                         if (flat % S > flat / S % T) blocked[i] = true;
                     }
                     return blocked;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
