#include "diagnosis/repeated_rows.hpp"

#include "diagnosis/examination.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

/// An axis along which the same number in memory is met again.
bool repeats_itself(const Tensor& tensor) {
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
        if (tensor.strides()[axis] == 0 && tensor.shape()[axis] > 1) return true;
    return false;
}

/// The arguments with what repeats itself written out; nothing where nothing does.
std::optional<judge::Arguments> written_out(const judge::Arguments& arguments) {
    judge::Arguments dense = arguments;
    bool changed = false;
    for (wire::Field& argument : dense)
        if (auto* tensor = std::get_if<Tensor>(&argument.value))
            if (tensor->defined() && repeats_itself(*tensor)) {
                *tensor = tensor->contiguous();
                changed = true;
            }
    return changed ? std::optional(dense) : std::nullopt;
}

}  // namespace

bool misreads_only_repeated_rows(const std::vector<Observation>& observations, const Function& function,
                                 judge::Student& student) {
    int misread = 0;
    for (const Observation& one : observations) {
        if (fit(predicted(one, right()), one.seen)) continue;
        const auto arguments = written_out(one.arguments);
        if (!arguments || !fit(predicted(one, right()), ask(student, function, *arguments).answer)) return false;
        ++misread;
    }
    return misread > 0;
}

}  // namespace headway::diagnosis
