#include "suites/14_block/own_parts.hpp"

#include "student/expect.hpp"
#include "student/record_field.hpp"

#include <stdexcept>

namespace headway::judge::block {
namespace {

using diagnosis::Activation;
using diagnosis::MlpArrays;
using diagnosis::MlpGradients;
using diagnosis::NormArrays;
using diagnosis::NormGradients;
using reference::to_tensor;

/// An own answer, with room for having been asked with numbers that were rounded otherwise: as much as the right
/// answer has.
Array with_room(const Tensor& answer, const Array& due) {
    Array array = own(answer);
    if (array.shape != due.shape) throw std::invalid_argument("nothing can be made of this");
    for (std::size_t i = 0; i < array.error.size(); ++i) array.error[i] += due.error[i];
    return array;
}

Array with_room(const wire::Record& record, const std::string& name, const Array& due) {
    return with_room(field<Tensor>(record, name), due);
}

/// The submission's own gelu and gelu_backward.
diagnosis::Curve own_curve(Student& student, const std::string& formula) {
    return {[&student, formula](const Array& x) {
                return with_room(student.tensor("gelu", {{"x", to_tensor(x)}, {"formula", formula}}),
                                 diagnosis::activated(Activation::right(), x, formula));
            },
            [&student, formula](const Array& x, const Array& grad_y) {
                return with_room(
                    student.tensor("gelu_backward",
                                   {{"x", to_tensor(x)}, {"grad_y", to_tensor(grad_y)}, {"formula", formula}}),
                    diagnosis::activated_backward(Activation::right(), x, grad_y, formula));
            }};
}

Arguments arguments_of(const BlockArrays& block, const Array& x) {
    return {{"x", to_tensor(x)},
            {"norm1_gain", to_tensor(block.norm[0].gain)},
            {"norm1_bias", to_tensor(block.norm[0].bias)},
            {"norm2_gain", to_tensor(block.norm[1].gain)},
            {"norm2_bias", to_tensor(block.norm[1].bias)},
            {"w_in", to_tensor(block.mlp.w_in)},
            {"b_in", to_tensor(block.mlp.b_in)},
            {"w_out", to_tensor(block.mlp.w_out)},
            {"b_out", to_tensor(block.mlp.b_out)},
            {"mix", to_tensor(block.mix)},
            {"order", std::string(block.pre_norm ? "pre_norm" : "post_norm")},
            {"formula", block.formula},
            {"eps", block.eps}};
}

/// The right parts, to know how unsure what they are asked with makes them.
diagnosis::ModelParts right_parts() { return diagnosis::ModelParts(BlockChoices::right()); }

}  // namespace

Array OwnParts::norm(const NormArrays& weights, const Array& x, double eps) {
    return with_room(
        student_.tensor(
            "layer_norm",
            {{"x", to_tensor(x)}, {"gain", to_tensor(weights.gain)}, {"bias", to_tensor(weights.bias)}, {"eps", eps}}),
        right_parts().norm(weights, x, eps));
}

NormGradients OwnParts::norm_backward(const NormArrays& weights, const Array& x, double eps, const Array& grad_y) {
    const wire::Record given = student_.record(
        "layer_norm_backward",
        {{"x", to_tensor(x)}, {"gain", to_tensor(weights.gain)}, {"eps", eps}, {"grad_y", to_tensor(grad_y)}});
    const NormGradients due = right_parts().norm_backward(weights, x, eps, grad_y);
    return {with_room(given, "x", due.x), with_room(given, "gain", due.gain), with_room(given, "bias", due.bias)};
}

Array OwnParts::mlp(const MlpArrays& weights, const Array& x, const std::string& formula) {
    return with_room(student_.tensor("mlp", {{"x", to_tensor(x)},
                                             {"w_in", to_tensor(weights.w_in)},
                                             {"b_in", to_tensor(weights.b_in)},
                                             {"w_out", to_tensor(weights.w_out)},
                                             {"b_out", to_tensor(weights.b_out)},
                                             {"formula", formula}}),
                     right_parts().mlp(weights, x, formula));
}

MlpGradients OwnParts::mlp_backward(const MlpArrays& weights, const Array& x, const Array& grad_y,
                                    const std::string& formula) {
    const wire::Record given = student_.record("mlp_backward", {{"x", to_tensor(x)},
                                                                {"grad_y", to_tensor(grad_y)},
                                                                {"w_in", to_tensor(weights.w_in)},
                                                                {"b_in", to_tensor(weights.b_in)},
                                                                {"w_out", to_tensor(weights.w_out)},
                                                                {"b_out", to_tensor(weights.b_out)},
                                                                {"formula", formula}});
    const MlpGradients due = right_parts().mlp_backward(weights, x, grad_y, formula);
    return {with_room(given, "x", due.x),
            {with_room(given, "w_in", due.weights.w_in), with_room(given, "b_in", due.weights.b_in),
             with_room(given, "w_out", due.weights.w_out), with_room(given, "b_out", due.weights.b_out)}};
}

Array OwnBlocks::forward(const BlockArrays& block, const Array& x) {
    diagnosis::ModelBlocks right(BlockChoices::right());
    return with_room(student_.tensor("block_forward", arguments_of(block, x)), right.forward(block, x));
}

diagnosis::NamedArrays OwnBlocks::backward(const BlockArrays& block, const Array& x, const Array& grad_y) {
    Arguments arguments = arguments_of(block, x);
    arguments.insert(arguments.begin() + 1, {"grad_y", to_tensor(grad_y)});
    const wire::Record given = student_.record("block_backward", arguments);
    diagnosis::ModelBlocks right(BlockChoices::right());
    diagnosis::NamedArrays all = right.backward(block, x, grad_y);
    for (auto& [name, array] : all) array = with_room(given, name, array);
    return all;
}

Array mlp_from_own(Student& student, const Arguments& arguments, const Activation& choice) {
    const auto& formula = std::get<std::string>(arguments.back().value);
    return diagnosis::through_mlp(choice, mlp_of(arguments), exact(std::get<Tensor>(arguments.at(0).value)),
                                  own_curve(student, choice.formula(formula)));
}

MlpGradients mlp_backward_from_own(Student& student, const Arguments& arguments, const Activation& choice) {
    const auto& formula = std::get<std::string>(arguments.back().value);
    return diagnosis::through_mlp_backward(choice, mlp_of(arguments), exact(std::get<Tensor>(arguments.at(0).value)),
                                           exact(std::get<Tensor>(arguments.at(1).value)),
                                           own_curve(student, choice.formula_back(formula)));
}

}  // namespace headway::judge::block
