// What must hold of decode, whatever the numbers are.
#include "suites/08_kv_cache/questions.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

Tensor& tensor_in(Arguments& arguments, const std::string& name) {
    return std::get<Tensor>(std::find_if(arguments.begin(), arguments.end(), [&](const wire::Field& field) {
                                return field.name == name;
                            })->value);
}

/// Where `change` is made, the output stays what it was, as far as `kept` shows it.
Invariant unchanged_by(std::string broken, std::function<bool(const Arguments&)> applies,
                       std::function<void(Arguments&)> change, std::function<Array(const Array&)> kept) {
    Invariant invariant;
    invariant.broken = std::move(broken);
    invariant.first = [applies](const Arguments& question) {
        return applies(question) ? std::optional(question) : std::nullopt;
    };
    invariant.second = [change](const Arguments& first) {
        Arguments arguments = first;
        change(arguments);
        return arguments;
    };
    invariant.of_first = invariant.of_second = std::move(kept);
    return invariant;
}

/// What is not at the end of the axis (begin = 0), or not at its beginning (begin = 1).
Array all_but_one(const Array& rows, std::size_t axis, Index begin) {
    Shape shape = rows.shape;
    --shape[axis];
    return gathered(rows, shape, [&](Coordinate at) {
        std::vector<Index> from(at.begin(), at.end());
        from[axis] += begin;
        return position(rows.shape, from);
    });
}

Invariant future_of_the_chunk() {
    return unchanged_by(
        "a change of the last token of a chunk changes outputs of earlier ones",
        [](const Arguments& question) { return tensor(question, "x").size(1) > 1; },
        [](Arguments& question) {
            Tensor& x = tensor_in(question, "x");
            x = x.contiguous().clone();
            x.select(1, x.size(1) - 1) += 1.5F;
        },
        [](const Array& rows) { return all_but_one(rows, 1, 0); });
}

Invariant behind_the_end() {
    const auto end = [](const Arguments& question, std::size_t b) {
        return std::get<Shape>(argument(question, "lengths"))[b] + std::get<Shape>(argument(question, "counts"))[b];
    };
    return unchanged_by(
        "a change of what lies behind the end of a sequence changes its outputs",
        [end](const Arguments& question) {
            return end(question, 0) < tensor(question, "cache.k").size(2) ||
                   end(question, 1) < tensor(question, "cache.k").size(2);
        },
        [end](Arguments& question) {
            for (const char* name : {"cache.k", "cache.v"}) {
                Tensor& cached = tensor_in(question, name);
                cached = cached.clone();
                for (Index b = 0; b < cached.size(0); ++b)
                    cached[b].slice(1, end(question, as_size(b)), cached.size(2)) += 1.5F;
            }
        },
        [](const Array& rows) { return rows; });
}

Invariant other_sequences() {
    return unchanged_by(
        "a change of what sequence 0 holds changes outputs of other sequences",
        [](const Arguments& question) { return tensor(question, "x").size(0) > 1; },
        [](Arguments& question) {
            for (const char* name : {"cache.k", "cache.v", "x"}) {
                Tensor& some = tensor_in(question, name);
                some = some.contiguous().clone();
                some.select(0, 0) += 1.5F;
            }
        },
        [](const Array& rows) { return all_but_one(rows, 0, 1); });
}

}  // namespace

std::vector<Invariant> invariants_of_decode() { return {future_of_the_chunk(), behind_the_end(), other_sequences()}; }

}  // namespace headway::diagnosis
