// What does not fit, and must be refused.
#include "suites/14_block/misfits.hpp"

#include "student/behaviour.hpp"
#include "student/expect.hpp"
#include "student/sweep.hpp"

#include <algorithm>
#include <limits>

namespace headway::judge::block {
namespace {

void refuse_with(Student& student, const std::string& function, Arguments arguments, const std::string& name,
                 wire::Value value, const std::string& because) {
    std::ranges::find(arguments, name, &wire::Field::name)->value = std::move(value);
    student.refuses(function, arguments, because);
}

void expect_eps_checked(Student& student, const std::string& function, const Arguments& fits) {
    refuse_with(student, function, fits, "eps", 0.0, "eps is 0");
    refuse_with(student, function, fits, "eps", -1e-3, "eps is negative");
    refuse_with(student, function, fits, "eps", std::numeric_limits<double>::quiet_NaN(), "eps is no number");
}

/// A sequence taken out of a batch has two axes.
void expect_three_axes_wanted(Student& student, const std::string& function, const Arguments& fits) {
    Arguments flat = fits;
    for (wire::Field& argument : flat)
        if (argument.name == "x" || argument.name == "grad_y") argument.value = std::get<Tensor>(argument.value)[0];
    student.refuses_index(function, flat, "x must be of shape (B, T, D)");
}

/// As many numbers, but an axis of size 1 more, in front or behind: PyTorch would broadcast it.
/// @param names  of arguments; the call may lack some of them
void expect_axes_counted(Student& student, const std::string& function, const Arguments& fits,
                         const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto found = std::ranges::find(fits, name, &wire::Field::name);
        if (found == fits.end()) continue;
        const Tensor& whole = std::get<Tensor>(found->value);
        Shape in_front = whole.shape(), behind = whole.shape();
        in_front.insert(in_front.begin(), 1);
        behind.push_back(1);
        for (const Shape& shape : {in_front, behind})
            refuse_with(student, function, fits, name, whole.contiguous().view(shape),
                        name + " is " + headway::to_string(shape) + " where " + headway::to_string(whole.shape()) +
                            " would fit");
    }
}

}  // namespace

void expect_what_attention_returns_left_alone(Student& student, const BlockInputs& in) {
    const BlockInputs idle = in.idle();
    const FunctionCall calls[] = {{"block_forward", idle.forward()}, {"block_backward", idle.backward()}};
    // Both are asked before the test ends: they often share what writes.
    std::vector<std::string> functions, changes;
    for (const auto& [function, arguments] : calls) {
        const Outcome outcome = student.outcome(function, arguments);
        if (outcome.changed_arguments.empty()) continue;
        functions.push_back(function);
        changes.push_back("your " + function + " changes its argument " + outcome.changed_arguments.front());
    }
    if (!functions.empty()) {
        verdict::Failure failure;
        failure.kind = verdict::FailureKind::wrong_behaviour;
        failure.function = functions.front();
        failure.message = "where the order is " + idle.order +
                          " and attention.forward returns the very tensor that it was given, " + changes.front() +
                          (changes.size() > 1 ? ", and " + changes.back() : "") +
                          ": what attention returned may be a view, so do not write into it";
        fail(std::move(failure));
    }
    expect_untouched(student, {calls[0], calls[1]});
}

void expect_norms_checked(Student& student, Random& random, const BlockSizes& n) {
    const NormInputs in(random, n);
    const auto check = [&](const std::string& function, const Arguments& fits, const std::string& shapes) {
        refuses_misfits(student, random, function, fits, shapes);
        expect_eps_checked(student, function, fits);
        expect_three_axes_wanted(student, function, fits);
        expect_axes_counted(student, function, fits, {"x", "grad_y", "gain", "bias"});
    };
    check("layer_norm", in.forward(Kind::layer), "x: B T D, gain: D, bias: D");
    check("rms_norm", in.forward(Kind::rms), "x: B T D, gain: D");
    check("layer_norm_backward", in.backward(), "x: B T D, gain: D, grad_y: B T D");
    check("rms_norm_backward", in.backward(), "x: B T D, gain: D, grad_y: B T D");
}

void expect_mlps_checked(Student& student, Random& random, const BlockSizes& n) {
    const MlpInputs in(random, n, "exact");
    const Arguments slopes{{"x", in.x}, {"grad_y", in.grad_y}, {"formula", in.formula}};
    refuses_misfits(student, random, "gelu_backward", slopes, "x: B T D, grad_y: B T D");
    expect_axes_counted(student, "gelu_backward", slopes, {"x", "grad_y"});
    refuses_misfits(student, random, "mlp", in.forward(), "x: B T D, w_in: D F, b_in: F, w_out: F D, b_out: D");
    refuses_misfits(student, random, "mlp_backward", in.backward(),
                    "x: B T D, grad_y: B T D, w_in: D F, b_in: F, w_out: F D");
    expect_axes_counted(student, "mlp", in.forward(), {"x", "w_in", "b_in", "w_out", "b_out"});
    expect_axes_counted(student, "mlp_backward", in.backward(), {"x", "grad_y", "w_in", "b_in", "w_out"});
    expect_three_axes_wanted(student, "mlp", in.forward());
    expect_three_axes_wanted(student, "mlp_backward", in.backward());
}

void expect_blocks_checked(Student& student, Random& random, const BlockSizes& n) {
    // On the way back there is no need to look at the last bias of all, b_out or that of norm2.
    const std::string weights = "norm1_gain: D, norm1_bias: D, norm2_gain: D, w_in: D F, b_in: F, w_out: F D";
    for (const std::string& order : orders) {
        const BlockInputs one = BlockInputs(random, n, 0).ordered(order);
        refuses_misfits(student, random, "block_forward", one.forward(),
                        "x: B T D, norm2_bias: D, b_out: D, " + weights);
        refuses_misfits(student, random, "block_backward", one.backward(), "x: B T D, grad_y: B T D, " + weights);
        for (const auto& [function, fits] :
             {std::pair<std::string, Arguments>{"block_forward", one.forward()}, {"block_backward", one.backward()}}) {
            expect_eps_checked(student, function, fits);
            expect_three_axes_wanted(student, function, fits);
            expect_axes_counted(student, function, fits, {"x", "grad_y"});
        }
    }
    const BlockInputs three(random, n, 3);
    refuses_misfits(student, random, "stack_backward", three.backward(), "x: B T D, grad_y: B T D");
    expect_eps_checked(student, "stack_backward", three.backward());
    expect_three_axes_wanted(student, "stack_backward", three.backward());
    expect_axes_counted(student, "stack_backward", three.backward(), {"x", "grad_y"});
    refuse_with(student, "stack_backward", three.backward(), "mix", Tensor{}, "there is no block");
}

}  // namespace headway::judge::block
