#include "suites/02_head_splitting/own_strides.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace headway::judge {
namespace {

/// Whether the call ended by the words in which as_strided refuses this shape with the student's strides of it.
bool says_refused(Student& student, const verdict::Failure& failure, const Shape& shape) {
    if (failure.kind != verdict::FailureKind::exception) return false;
    const Outcome asked = student.outside_story([&] {
        return student.outcome("contiguous_strides", {{"shape", shape}});
    });
    const auto* strides = std::get_if<Shape>(&asked.value);
    if (strides == nullptr || *strides == Layout::contiguous(shape).strides) return false;
    return failure.message.find(" threw std::invalid_argument: as_strided: shape " + headway::to_string(shape) +
                                " with strides " + headway::to_string(*strides) + " and offset ") != std::string::npos;
}

}  // namespace

std::optional<Strides> own_strides(Student& student, const Shape& shape, Index storage_size) {
    const Outcome asked = student.outcome("contiguous_strides", {{"shape", shape}});
    const auto* strides = std::get_if<Shape>(&asked.value);
    if (strides == nullptr || strides->size() != shape.size()) return std::nullopt;
    if (std::ranges::any_of(*strides, [&](Index one) { return one < 0 || one > storage_size; })) return std::nullopt;
    return *strides;
}

void beside_own_strides(Student& student, const Shape& shape, const std::function<void()>& check) {
    try {
        check();
    } catch (const StopTest& stop) {
        // A worker that is gone is asked nothing more.
        using Kind = verdict::FailureKind;
        if (!stop.failure || (stop.failure->kind != Kind::wrong_value && stop.failure->kind != Kind::wrong_behaviour))
            throw;
        const auto strides =
            student.outside_story([&] { return own_strides(student, shape, Layout::contiguous(shape).numel()); });
        if (strides != Layout::contiguous(shape).strides) student.test_record().waits_for = {"contiguous_strides"};
        throw;
    }
}

void RefusedStrides::beside(const Shape& shape, const std::function<void()>& check) {
    try {
        check();
        some_were_made_ = true;
    } catch (const StopTest& stop) {
        if (!stop.failure || !says_refused(student_, *stop.failure, shape)) throw;
        if (first_) return;
        TestRecord ended;  // as if the test had ended there
        ended.function = student_.test_record().function;
        ended.story = student_.test_record().story;
        ended.stopped_by(stop);
        first_ = std::move(ended.failure);
    }
}

void RefusedStrides::settle() {
    if (!first_) return;
    TestRecord& record = student_.test_record();
    if (some_were_made_) {
        record.credits.push_back({functions_, *first_});
        return;
    }
    record.waits_for = functions_;
    fail(*first_);
}

}  // namespace headway::judge
