#include "student/what_to_change.hpp"

#include "student/positions_out_of_range.hpp"
#include "student/shapes_that_differ.hpp"
#include "verdict/phrases.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string_view>
#include <vector>

namespace headway::judge {
namespace {

/// The library's own messages are shorter; a regular expression takes the stack for each character.
constexpr std::size_t longest_message = 600;

using Match = std::smatch;
using Advice = std::optional<std::string>;
using Fields = std::vector<wire::Field>;

/// The call that threw.
struct Asked {
    const std::string& function;
    const Fields& arguments;
};

struct Refusal {
    const char* type;     ///< of the exception
    const char* message;  ///< all of it; S stands for a shape, N for a size that is not negative
    Advice (*advice)(const Match& match, const Asked& asked);
};

/// Functions of 02 that take a tensor of whatever number of axes.
bool takes_any_rank(const std::string& function) { return function == "contiguous" || function == "view"; }

bool repeats_numbers(const std::vector<long>& shape, const std::vector<long>& strides) {
    for (std::size_t i = 0; i < std::min(shape.size(), strides.size()); ++i)
        if (shape[i] > 1 && strides[i] == 0) return true;
    return false;
}

/// Of a view that was refused, of `shape` as `becomes`, and that would put numbers into wrong rows after contiguous().
std::string of_other_order(const std::string& shape, const std::vector<long>& strides, const std::string& becomes) {
    const std::string no_merge = fmt::format(
        "{} as {} neither merges neighbouring axes nor splits single ones: with .contiguous() before it, it would "
        "pass, but most likely give the numbers in an order that is not meant. ",
        shape, becomes);
    const std::vector<long> sizes = sizes_in(shape), rows = sizes_in(becomes);
    const bool first_two_axes_merge =
        sizes.size() == 3 && rows.size() == 2 && strides.size() == 3 && strides[1] < strides[2] && rows[0] == sizes[1];
    if (first_two_axes_merge)
        return no_merge +
               fmt::format(
                   "Flatten first, then transpose: if it is x.transpose(1, 2), write x.contiguous().view({{-1, "
                   "{}}}).transpose(0, 1).",
                   sizes[1]);
    return no_merge + "First transpose, so that the axes that become one are neighbours in the right order.";
}

/// What does not fit in given attention's arguments, which have four axes.
Advice of_attention(const std::vector<long>& q, const std::vector<long>& k, const std::vector<long>& v) {
    if (q.size() != 4 || k.size() != 4 || v.size() != 4)
        return "Four axes are (B, H, length, width): given::split_heads(x, num_heads) makes them of (B, T, D).";
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
        if (q[axis] != k[axis] || k[axis] != v[axis])
            return fmt::format("Axis {}, {}, is {} in q, {} in k and {} in v, and must be the same in all.", axis,
                               axis == 0 ? "the sequences" : "the heads", q[axis], k[axis], v[axis]);
    if (q[3] != k[3])
        return fmt::format(
            "The last axis is {} in q and {} in k, and must be the same: look at where each is cut into heads.", q[3],
            k[3]);
    return fmt::format("Axis 2, the keys, is {} in k and {} in v, and must be the same.", k[2], v[2]);
}

const Refusal refusals[] = {
    {"std::invalid_argument",
     R"(view: (S) as (S): the tensor is not contiguous \(its strides are (S), row-major would be S\), so a view would put its numbers in another order; call contiguous\(\) first)",
     [](const Match& match, const Asked&) -> Advice {
         if (!merges_or_splits(sizes_in(match[1]), sizes_in(match[2])))
             return of_other_order(match[1], sizes_in(match[3]), match[2]);
         if (repeats_numbers(sizes_in(match[1]), sizes_in(match[3])))
             return "A stride of 0, as expand() makes it, repeats numbers that are held once, which view() cannot "
                    "follow: write .contiguous() between that and this view().";
         return "A transposed or sliced tensor only walks over the same numbers in another way, which view() cannot "
                "follow: write .contiguous() before it.";
     }},
    {"std::invalid_argument", R"(view: S as S: (N) elements cannot become N)",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format("A view keeps every number: the sizes of the new shape must multiply to {}.",
                            match[1].str());
     }},
    {"std::invalid_argument", R"(view: S as S: no size in place of -1 gives (N) elements)",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format("The other sizes must multiply to a divisor of {}: a view keeps every number.",
                            match[1].str());
     }},
    {"std::invalid_argument", R"(masked_fill: the mask: (S) does not broadcast to (S))",
     [](const Match& match, const Asked&) -> Advice { return of_mask(match[1], match[2]); }},
    {"std::invalid_argument", R"(([^:]+): (S) does not broadcast to (S))",
     [](const Match& match, const Asked&) -> Advice { return of_broadcast(match[1], match[2], match[3]); }},
    {"std::invalid_argument", R"(shape S: a size must not be negative)",
     [](const Match&, const Asked&) -> Advice {
         return "A size came out negative: look at what is subtracted there.";
     }},
    {"std::invalid_argument",
     R"([^:]+: axis N of the target S repeats the same numbers \(stride 0\); write to a tensor that is not expanded)",
     [](const Match&, const Asked&) -> Advice {
         return "expand() repeats numbers without room of their own: write into a copy of it, expand(…).clone().";
     }},
    {"std::invalid_argument", R"(matmul: S x S: each needs at least two axes, rows and columns)",
     [](const Match&, const Asked&) -> Advice {
         return "x[i] has one axis less than x. To keep it, write x.slice(0, i, i + 1): of a matrix that is a row.";
     }},
    {"std::invalid_argument", R"(scaled_dot_product_attention: q (S), k (S), v (S): .*)",
     [](const Match& match, const Asked&) {
         return of_attention(sizes_in(match[1]), sizes_in(match[2]), sizes_in(match[3]));
     }},
    {"std::invalid_argument", R"(Linear: (S) does not end in (N) features; the weight is S, stored \(out, in\))",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format(
             "A Linear maps the last axis, which must be {}. Is {} what you meant to give it? Heads, for one, are "
             "merged "
             "first.",
             match[2].str(), match[1].str());
     }},
    {"std::invalid_argument", "cat: there is no tensor to join",
     [](const Match&, const Asked&) -> Advice { return "The list is empty: nothing was put into it before."; }},
    {"std::invalid_argument", R"(max: axis -?N of S is empty, so there is no largest number)",
     [](const Match&, const Asked&) -> Advice {
         return "It has no positions along that axis. If it is a slice, its begin is its end.";
     }},
    {"std::invalid_argument",
     R"([^:]+: (S) and (S) do not broadcast: sizes (N) and (N) of axis (-N) differ and neither is 1)",
     [](const Match& match, const Asked& asked) -> Advice {
         return fmt::format(
             "Shapes are compared from their last axis on: axis {} is {} in one and {} in the other, and these must be "
             "equal, or one of them 1.{}",
             match[5].str(), match[3].str(), match[4].str(), axis_behind(match[1], match[2], asked.arguments));
     }},
    {"std::invalid_argument", R"(the name (\w+) is registered already)",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format("Each child and each parameter has a name of its own: this line gives {} to a second one.",
                            match[1].str());
     }},
    {"std::invalid_argument", R"(copy_from: a tensor is undefined \(a Tensor\{\} has no shape and no storage\))",
     [](const Match&, const Asked&) -> Advice {
         return "copy_from() writes into a tensor that is there. Where none is yet, as in a struct that was only "
                "declared, assign in its place: y = x.clone();";
     }},
    {"std::invalid_argument",
     R"(the name (\w+)\.(?:weight|bias) contains a dot, which separates a module from its parameters)",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format(
             "Register the module itself, register_module(\"{}\", …): its weight and bias come behind the dot by "
             "themselves.",
             match[1].str());
     }},
    {"std::invalid_argument", R"(cat: (S) and (S) differ in more than axis (N))",
     [](const Match& match, const Asked&) -> Advice {
         const std::string dropped = dropped_axis(match[1], match[2]);
         if (const auto axis = only_axis_that_differs(match[1], match[2]))
             return fmt::format(
                 "They differ in axis {0} alone, and cat joins along an axis in which they may differ: join along {0}, "
                 "or transpose each of them first.",
                 *axis);
         return dropped.empty() ? "cat joins tensors of one rank, whose sizes are equal but for those of the axis that "
                                  "is joined."
                                : dropped.substr(1);
     }},
    {"std::invalid_argument",
     R"(matmul: (S) x (S): inner sizes (N) and (N) differ(?:; did you mean ([ab])\.transpose\(-2, -1\)\?)?)",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format(
             "matmul(a, b) sums over the columns of a and the rows of b: here these are {} and {}, and must be "
             "equal.{}",
             match[3].str(), match[4].str(), other_product(match[1], match[2], match[5]));
     }},
    {"std::invalid_argument", R"(matmul: (S) x (S): leading axes S and S do not broadcast)",
     [](const Match& match, const Asked&) -> Advice {
         if (auto unsplit = without_axis_of_heads(match[1], match[2])) return unsplit;
         return "The axes before the last two say which matrices are multiplied with each other: they must be equal, "
                "or 1.";
     }},
    {"std::invalid_argument",
     R"(as_strided: shape S with strides S and offset N reaches position N of a storage that holds (N))",
     [](const Match& match, const Asked&) -> Advice {
         return fmt::format(
             "as_strided takes the sizes first, then the strides. Its last element lies at offset + the sum of "
             "(size - 1) * stride, which must be below {}.",
             match[1].str());
     }},
    {"std::invalid_argument", R"([^:]+: the mask is undefined \(a Mask\{\} has no shape\))",
     [](const Match&, const Asked&) -> Advice {
         return "A Mask{} has no shape. As an argument it means that nothing is masked: look into it only if "
                "mask.defined(). One that you make needs a shape: Mask::allow_all({T, S}).";
     }},
    {"std::invalid_argument", R"([^:]+: a tensor is undefined \(a Tensor\{\} has no shape and no storage\))",
     [](const Match&, const Asked&) -> Advice {
         return "Tensor{} holds nothing. What was declared, also in a struct, and never given a value gets one first, "
                "as by x = Tensor::zeros(shape); an argument that may be left out is asked defined().";
     }},
    {"std::out_of_range", R"((?:[^:]+: )?axis -?N is out of range for rank 0, shape \(\))",
     [](const Match&, const Asked&) -> Advice {
         return "Tensor{} and Mask{} have no axes: if it may be one of them, ask defined() first.";
     }},
    {"std::out_of_range", R"((?:[^:]+: )?axis (-?N) is out of range for rank (N), shape (S))",
     [](const Match& match, const Asked& asked) -> Advice {
         const std::string last = std::to_string(std::stoi(match[2]) - 1);
         if (takes_any_rank(asked.function) && !match[1].str().starts_with('-'))
             return fmt::format(
                 "This tensor has {} ax{}, and {} takes any number of them: does your code count on {}, or does a loop "
                 "over the axes end too late?",
                 match[2].str(), match[2] == "1" ? "is" : "es", asked.function, std::stoi(match[1]) + 1);
         auto fewer = of_an_argument_with_fewer_axes(match[3], match[2], asked.arguments);
         constexpr int most_axes = 4;  // of what the course hands over
         if (is_one_too_far(match[1], match[2]))
             return "Axes are counted from 0: the last one is " + last + ", or -1." +
                    (fewer && std::stoi(match[2]) < most_axes ? " If that is not it: " + *fewer : std::string());
         if (fewer) return fewer;
         return "Its axes are 0 to " + last +
                ", or from the last one on -1, -2 and so forth: it has fewer than you count on.";
     }},
    {"std::out_of_range", R"(index (-?N) is out of range for axis (N) of size (N), shape (S))",
     [](const Match& match, const Asked& asked) {
         return of_index({match[1], match[2], match[3], match[4]}, asked.arguments);
     }},
    {"std::out_of_range", R"((N) ind(?:ex|ices) given, but rank (N) needs N, shape S)",
     [](const Match& match, const Asked& asked) -> Advice {
         if (takes_any_rank(asked.function))
             return fmt::format(
                 "Each index stands for one axis, and {} takes any number of axes: your code counts on {}, and this "
                 "tensor has {}.",
                 asked.function, match[1].str(), match[2].str());
         if (std::stoi(match[1]) <= std::stoi(match[2])) return "Each index stands for one axis: none may be left out.";
         return "Each index stands for one axis. What may have fewer axes, as a mask may, first needs all of them: "
                "expand() it to the shape that is indexed.";
     }},
    {"std::out_of_range", R"(select: position (-?N) is out of range for axis (N) of size (N), shape (S))",
     [](const Match& match, const Asked& asked) {
         return of_index({match[1], match[2], match[3], match[4]}, asked.arguments);
     }},
    {"std::out_of_range", R"(slice: \[(-?N), (-?N)\) is out of range for axis N of size (N), shape S)",
     [](const Match& match, const Asked& asked) { return of_slice(match[1], match[2], match[3], asked.function); }},
    {"std::out_of_range", R"(vector::_M_range_check: __n \(which is (N)\) >= this->size\(\) \(which is (N)\))",
     [](const Match& match, const Asked&) -> Advice {
         if (!is_one_too_far(match[1], match[2])) return {};
         return fmt::format(
             "at({}) of a vector with {}: its elements are counted from 0. Does a loop end too late, or is the place "
             "of an element worked out wrong?",
             match[1].str(), match[2].str());
     }},
    {"std::out_of_range",
     R"(vector::_M_range_check: __n \(which is 1844674407[0-9]{10}\) >= this->size\(\) \(which is N\))",
     [](const Match&, const Asked&) -> Advice {
         return "That is a number below 0, which std::size_t cannot hold: it begins anew at the largest. i >= 0 is "
                "always "
                "true of it. Count with Index, or write for (std::size_t i = n; i-- > 0;).";
     }},
    {"std::length_error", R"(cannot create std::vector larger than max_size\(\)|vector::_M_[a-z_]+|vector::reserve)",
     [](const Match&, const Asked&) -> Advice {
         return "A std::vector of a negative size, which counts as a huge one, or of far too many elements: look at "
                "where its size comes from.";
     }},
    {"std::bad_function_call", "bad_function_call",
     [](const Match&, const Asked&) -> Advice { return "A std::function was called before it was given a function."; }},
    {"std::bad_optional_access", "bad optional access",
     [](const Match&, const Asked&) -> Advice {
         return "A std::optional that holds nothing was asked for its value: ask has_value() first, or take "
                "value_or(…).";
     }},
};

/// The patterns of `refusals` with S and N written out.
std::vector<std::regex> written_out() {
    std::vector<std::regex> patterns;
    for (const Refusal& one : refusals) {
        std::string text;
        for (const char c : std::string_view(one.message))
            text += c == 'S' ? R"(\([0-9, -]*\))" : c == 'N' ? "[0-9]{1,9}" : std::string(1, c);
        patterns.emplace_back(text);
    }
    return patterns;
}

}  // namespace

std::optional<std::string> what_to_change(const wire::Error& error, const std::string& function,
                                          const Fields& arguments) {
    static const std::vector<std::regex> patterns = written_out();
    if (error.message.size() > longest_message) return {};
    Match match;
    for (std::size_t i = 0; i < patterns.size(); ++i)
        if (error.type == refusals[i].type && std::regex_match(error.message, match, patterns[i]))
            return refusals[i].advice(match, {function, arguments});
    return {};
}

}  // namespace headway::judge
