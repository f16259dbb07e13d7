#pragma once

#include "suites/14_block/inputs.hpp"

#include <optional>

/// What follows from a submission's own functions, each of which may be wrong. All throw std::invalid_argument where
/// the shapes of its answers do not fit together.
namespace headway::judge::block {

/// A block made of the submission's own norms and MLP.
class OwnParts : public diagnosis::Parts {
public:
    explicit OwnParts(Student& student) : student_(student) {}
    Array norm(const diagnosis::NormArrays& weights, const Array& x, double eps) override;
    diagnosis::NormGradients norm_backward(const diagnosis::NormArrays& weights, const Array& x, double eps,
                                           const Array& grad_y) override;
    Array mlp(const diagnosis::MlpArrays& weights, const Array& x, const std::string& formula) override;
    diagnosis::MlpGradients mlp_backward(const diagnosis::MlpArrays& weights, const Array& x, const Array& grad_y,
                                         const std::string& formula) override;

private:
    Student& student_;
};

/// A stack made of the submission's own blocks.
class OwnBlocks : public diagnosis::Blocks {
public:
    explicit OwnBlocks(Student& student) : student_(student) {}
    Array forward(const BlockArrays& block, const Array& x) override;
    diagnosis::NamedArrays backward(const BlockArrays& block, const Array& x, const Array& grad_y) override;

private:
    Student& student_;
};

/// An MLP made of the submission's own gelu and gelu_backward.
Array mlp_from_own(Student& student, const Arguments& arguments,
                   const diagnosis::Activation& choice = diagnosis::Activation::right());
diagnosis::MlpGradients mlp_backward_from_own(Student& student, const Arguments& arguments,
                                              const diagnosis::Activation& choice = diagnosis::Activation::right());

}  // namespace headway::judge::block
