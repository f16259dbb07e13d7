// What diagnosis knows of exercise 02.                  B batch · T tokens · D model width · H num_heads · d = D / H
#include "suites/02_head_splitting/own_strides.hpp"

#include "diagnosis/moving.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "student/inputs.hpp"

#include <optional>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;
using judge::Student;

// ---- what is seen of a result -----------------------------------------------------------------------------------

/// A question with this argument asks not for the numbers alone: afterwards a number is written to x, and shows in the
/// result or not. The tests of the suite ask without it.
constexpr const char* watch = "then";

bool is_watched(const Arguments& arguments) { return !arguments.empty() && arguments.back().name == watch; }

constexpr float written = 987654;

enum class Demand { numbers, numbers_and_strides };

/// What a call did to x and its result.
struct Scene {
    Tensor result;
    Array x_before, x_after;
    Array later;  ///< the result after something was written to x
    bool same_storage = true;
};

Answer answer_to(const Scene& scene, Demand demand) {
    Answer answer = Answer::of(reference::exact(scene.result));
    const bool shares = scene.same_storage && answer.parts[0].second.value != scene.later.value;
    if (demand == Demand::numbers_and_strides) {
        Answer strides = answer_of(wire::Value(scene.result.strides()));
        answer.parts.emplace_back("strides", std::move(strides.parts[0].second));
    }
    answer.parts.push_back({shares ? "shares storage" : "copies", {}});
    if (scene.x_after.value != scene.x_before.value) answer.parts.push_back({"x changed", {}});
    return answer;
}

/// A call whose result stays in the worker.
using Call = std::function<judge::Outcome(const wire::Value& x)>;

/// Makes the call with an x that is stored in the worker, and looks at both.
Answer watch_call(Student& student, const Tensor& x, Demand demand, const Call& call) {
    const wire::Handle stored = student.store(x);
    const judge::Outcome outcome = call(stored);
    const auto* result = std::get_if<wire::Handle>(&outcome.value);
    if (result == nullptr) return answer_of(outcome);
    Scene scene{student.read(*result), reference::exact(x), reference::exact(student.read(stored)), {}, true};
    if (!scene.result.defined()) return Answer::without_value(Answer::Kind::undefined);
    student.write(stored, Shape(x.shape().size(), 0), written);
    scene.later = reference::exact(student.read(*result));
    scene.same_storage = student.share_storage(stored, *result);
    student.forget(*result);
    student.forget(stored);
    return answer_to(scene, demand);
}

Answer ask_and_watch(Student& student, const std::string& function, Arguments arguments, Demand demand) {
    if (!is_watched(arguments)) return answer_of(student.outcome(function, arguments));
    arguments.pop_back();
    return watch_call(student, tensor(arguments, "x"), demand, [&](const wire::Value& x) {
        arguments[0].value = x;
        return student.outcome(function, arguments, true);
    });
}

std::function<Answer(Student&, const Arguments&)> watching(const std::string& function, Demand demand) {
    return [=](Student& student, const Arguments& arguments) {
        return ask_and_watch(student, function, arguments, demand);
    };
}

/// The answer to watching(), from what the model makes of x.
Answer played(const Tensor& x, bool watched, Demand demand, const Checking& checking,
              const std::function<Tensor(const Tensor&)>& function) {
    try {
        Tensor own = x.clone();
        Scene scene{function(own), reference::exact(x), {}, {}, true};
        if (!watched) return Answer::of(reference::exact(scene.result));
        scene.x_after = reference::exact(own);
        const Tensor shown = scene.result;
        scene.result = shown.clone();
        own.data()[0] = written;
        scene.later = reference::exact(shown);
        return answer_to(scene, demand);
    } catch (const Refusal&) {
        return Answer::without_value(checking.invalid_argument ? Answer::Kind::refused : Answer::Kind::threw);
    } catch (const std::invalid_argument&) {
        Answer refused = Answer::without_value(Answer::Kind::refused);  // by as_strided, which everybody calls
        refused.refused_by_as_strided = true;
        return refused;
    }
}

/// Tests also pass tensors that stay in the worker; what they hold is not known here.
bool is_known(const Arguments& arguments) { return std::holds_alternative<Tensor>(argument(arguments, "x")); }

// ---- the functions under any choices ----------------------------------------------------------------------------

Predict contiguous_strides_model(const Arguments& arguments) {
    const Shape shape = std::get<Shape>(argument(arguments, "shape"));
    return [shape](const Choices& c) { return answer_of(wire::Value(c.moving.strides(shape))); };
}

Predict view_model(const Arguments& arguments) {
    if (!is_known(arguments)) return nullptr;
    const Tensor x = tensor(arguments, "x");
    const Shape shape = std::get<Shape>(argument(arguments, "shape"));
    return [x, shape, watched = is_watched(arguments)](const Choices& c) {
        return played(x, watched, Demand::numbers, c.checking,
                      [&](const Tensor& own) { return view(own, shape, c.moving); });
    };
}

Predict transpose_model(const Arguments& arguments) {
    if (!is_known(arguments)) return nullptr;
    const Tensor x = tensor(arguments, "x");
    const Index axis0 = integer(arguments, "axis0");
    const Index axis1 = integer(arguments, "axis1");
    return [x, axis0, axis1, watched = is_watched(arguments)](const Choices& c) {
        const auto exists = [&](Index axis) { return axis >= 0 && axis < x.rank(); };
        const auto is_optional = [&](Index axis) { return axis < 0 && axis >= -x.rank(); };
        if (is_optional(axis0) || is_optional(axis1)) return Answer::without_value(Answer::Kind::unpredicted);
        if (!c.moving.transposing.checks_axes && !(exists(axis0) && exists(axis1)))
            return Answer::without_value(Answer::Kind::accepted);
        return played(x, watched, Demand::numbers, c.checking, [&](const Tensor& own) {
            if (!exists(axis0) || !exists(axis1)) throw Refusal("transpose");
            return transpose(own, static_cast<std::size_t>(axis0), static_cast<std::size_t>(axis1), c.moving);
        });
    };
}

Predict contiguous_model(const Arguments& arguments) {
    if (!is_known(arguments)) return nullptr;
    const Tensor x = tensor(arguments, "x");
    return [x, watched = is_watched(arguments)](const Choices& c) {
        return played(x, watched, Demand::numbers_and_strides, c.checking,
                      [&](const Tensor& own) { return contiguous(own, c.moving); });
    };
}

Predict split_heads_model(const Arguments& arguments) {
    if (!is_known(arguments)) return nullptr;
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    return [x, H, watched = is_watched(arguments)](const Choices& c) {
        return checked(x.rank() == 3, c.checking, &Checking::ranks, [&] {
            // Where nothing is checked, as_strided still refuses a negative number of heads.
            if (H < 0) return refusal(c.checking, &Checking::negative_heads);
            return checked(H > 0, c.checking, &Checking::heads, [&] {
                if (H < 1) throw std::invalid_argument("no heads can be computed");
                return checked(x.size(2) % H == 0, c.checking, &Checking::divisible, [&] {
                    return played(x, watched, Demand::numbers, c.checking,
                                  [&](const Tensor& own) { return split_heads(own, H, c.moving); });
                });
            });
        });
    };
}

/// x seen with the student's own strides of this shape, if they have as many numbers and x lies in row-major order.
std::optional<Answer> laid_over(Student& student, const Tensor& x, const Shape& shape, bool watched, Demand demand) {
    if (!x.is_contiguous() || Layout::contiguous(shape).numel() != x.numel()) return std::nullopt;
    const auto strides = judge::own_strides(student, shape, x.storage_size());
    if (!strides) return std::nullopt;
    return played(x, watched, demand, right().checking,
                  [&](const Tensor& own) { return own.as_strided(shape, *strides, own.offset()); });
}

std::optional<Answer> view_given_own(Student& student, const Arguments& arguments) {
    if (!is_known(arguments)) return std::nullopt;
    const Shape shape = std::get<Shape>(argument(arguments, "shape"));
    return laid_over(student, tensor(arguments, "x"), shape, is_watched(arguments), Demand::numbers);
}

std::optional<Answer> contiguous_given_own(Student& student, const Arguments& arguments) {
    if (!is_known(arguments)) return std::nullopt;
    const Tensor x = tensor(arguments, "x");
    return laid_over(student, x, x.shape(), is_watched(arguments), Demand::numbers_and_strides);
}

/// transpose(view(x)) by the student's own functions, in that order of the two axes which split_heads agrees with: a
/// wrong transpose may not take both alike.
std::optional<Answer> split_given_own(Student& student, const Arguments& arguments) {
    const Tensor given = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    if (!is_watched(arguments) || given.rank() != 3 || H < 1 || given.size(2) % H != 0) return std::nullopt;
    const auto built = [&](Index axis0, Index axis1) {
        return watch_call(student, given, Demand::numbers, [&](const wire::Value& x) {
            const Shape by_token{given.size(0), given.size(1), H, given.size(2) / H};
            judge::Outcome viewed = student.outcome("view", {{"x", x}, {"shape", by_token}}, true);
            if (viewed.error) return viewed;
            return student.outcome("transpose", {{"x", viewed.value}, {"axis0", axis0}, {"axis1", axis1}}, true);
        });
    };
    const Answer split = watch_call(student, given, Demand::numbers, [&](const wire::Value& x) {
        return student.outcome("split_heads", {{"x", x}, {"num_heads", H}}, true);
    });
    Answer turned = built(2, 1);
    return fit(turned, split) ? turned : built(1, 2);
}

// ---- small questions --------------------------------------------------------------------------------------------

Arguments watched(Arguments arguments) {
    arguments.push_back({watch, std::string("a number is written to x")});
    return arguments;
}

std::vector<Arguments> ask_contiguous_strides(Random& random) {
    const auto n = small_sizes(random);
    const auto ask = [](const Shape& shape) { return Arguments{{"shape", shape}}; };
    return {ask({}),
            ask({3, 70'000, 90'000}),  // strides beyond 32 bits
            ask({3, 50'000, 60'000}),  // strides beyond 31 bits
            ask({n.T}),
            ask({n.B, 1, n.d}),
            ask({n.B, 0, n.d}),
            ask({n.T, n.d}),
            ask({n.B, n.T, n.D()}),
            ask({n.B, n.H, n.T, n.d})};
}

std::vector<Arguments> ask_view(Random& random) {
    const auto n = small_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
    const Tensor front = random_tensor(random, {n.B + 2, n.T, n.D()}).slice(0, 0, n.B);
    const Tensor later = random_tensor(random, {n.B + 2, n.T, n.D()}).slice(0, 2, n.B + 2);
    const auto ask = [](const Tensor& tensor, const Shape& shape) {
        return watched({{"x", tensor}, {"shape", shape}});
    };
    return {ask(x, {n.B * n.T * n.D() - 1}),
            ask(front, {n.B + 1, n.T, n.D()}),  // its storage would hold them
            ask(x.transpose(0, 2), {n.B * n.T * n.D()}),
            ask(x.transpose(0, 1), {n.T * n.B, n.D()}),
            ask(x.slice(2, 1, n.d + 1), {n.B * n.T * n.d}),
            ask(front, {n.B * n.T, n.D()}),
            ask(x, {n.B, n.T, n.H, n.d}),
            ask(x, {n.d, n.B * n.T, n.H}),
            ask(later, {n.B * n.T, n.D()}),
            ask(random_tensor(random, {1, 1}), {}),
            ask(random_tensor(random, {n.T, 1}).transpose(0, 1), {n.T}),
            {{"x", Tensor::zeros({0, n.d})}, {"shape", Shape{n.d, 0}}}};
}

std::vector<Arguments> ask_transpose(Random& random) {
    const auto n = small_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.H, n.d});
    const Tensor later = random_tensor(random, {n.T, n.B, n.d + 2}).transpose(0, 1).slice(2, 2, n.d + 2);
    const auto ask = [](const Tensor& tensor, Index axis0, Index axis1) {
        return watched({{"x", tensor}, {"axis0", axis0}, {"axis1", axis1}});
    };
    return {ask(x, 1, 4), ask(x, 4, 0), ask(x, 2, 3), ask(x, 2, 2),
            ask(x, 1, 2), ask(x, 3, 1), ask(x, 0, 3), ask(later, 0, 2)};
}

std::vector<Arguments> ask_contiguous(Random& random) {
    const auto n = small_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
    const Tensor heads = random_tensor(random, {n.B, n.T, n.H, n.d});
    const auto ask = [](const Tensor& tensor) { return watched({{"x", tensor}}); };
    return {ask(x), ask(x.slice(0, 0, n.B - 1)), ask(x.slice(0, 1, n.B)), ask(x.transpose(1, 2)),
            ask(x.transpose(0, 2)), ask(x.transpose(0, 1)), ask(x.slice(2, 1, n.d)), ask(x.select(1, 2)),
            ask(x.slice(0, 1, n.B).transpose(0, 2)),
            // It takes any number of axes.
            ask(x.select(1, 2).select(1, 1)), ask(x.select(0, 1).transpose(0, 1)), ask(heads.transpose(1, 2)),
            ask(heads.slice(3, 1, n.d)), ask(random_tensor(random, {n.B, 2, n.T, n.H, n.d}).transpose(1, 3))};
}

std::vector<Arguments> ask_split_heads(Random& random) {
    const auto n = small_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
    const Tensor later = random_tensor(random, {n.B + 2, n.T, n.D()}).slice(0, 2, n.B + 2);
    const auto ask = [](const Tensor& tensor, Index H) { return watched({{"x", tensor}, {"num_heads", H}}); };
    return {ask(x, 0), ask(x, -1), ask(random_tensor(random, {n.B, n.T, n.D() + 1}), n.H), ask(x.select(0, 1), n.H),
            ask(x, 1), ask(x, n.H), ask(x, n.d), ask(later, n.H),
            // Answered by what refuses every other.
            ask(random_tensor(random, {n.B, 1, n.D()}), n.H), ask(random_tensor(random, {1, 1, 1}), 1)};
}

const SubjectRegistration registration("02_head_splitting",
                                       {{{.name = "contiguous_strides",
                                          .model = &contiguous_strides_model,
                                          .questions = &ask_contiguous_strides,
                                          .stage = Stage::memory},
                                         {.name = "view",
                                          .model = &view_model,
                                          .questions = &ask_view,
                                          .given_own = &view_given_own,
                                          .ask = watching("view", Demand::numbers),
                                          .stage = Stage::memory},
                                         {.name = "transpose",
                                          .model = &transpose_model,
                                          .questions = &ask_transpose,
                                          .ask = watching("transpose", Demand::numbers),
                                          .stage = Stage::memory},
                                         {.name = "contiguous",
                                          .model = &contiguous_model,
                                          .questions = &ask_contiguous,
                                          .given_own = &contiguous_given_own,
                                          .calls_them_in_any_order = true,  // it copies with strides or without
                                          .ask = watching("contiguous", Demand::numbers_and_strides),
                                          .stage = Stage::memory},
                                         {.name = "split_heads",
                                          .model = &split_heads_model,
                                          .questions = &ask_split_heads,
                                          .given_own = &split_given_own,
                                          .ask = watching("split_heads", Demand::numbers),
                                          .stage = Stage::split}}});

}  // namespace
}  // namespace headway::diagnosis
