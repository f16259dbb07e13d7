#pragma once

#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <string>
#include <utility>
#include <vector>

namespace headway::nn {

/// A parameter under its full name, such as "q_proj.weight".
using NamedTensor = std::pair<std::string, Tensor>;

/// Names and values in registration order.
using StateDict = std::vector<NamedTensor>;

/// What has parameters and a training mode, as torch.nn.Module.
///
/// A class registers its parameters and its child modules in its constructor; names, state and mode then work
/// without further code. Registered tensors share storage with the members they were made from.
class Module {
public:
    // Compiled once, for the same reason as those of Tensor.
    Module();
    virtual ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    /// Own parameters first, then the children's, in registration order. The tensors share storage with the module.
    std::vector<NamedTensor> named_parameters() const;
    std::vector<Tensor> parameters() const;

    /// An independent copy of all parameters.
    StateDict state_dict() const;
    /// Writes the values into the parameters; all of them or, if anything is wrong, none.
    /// @throws std::invalid_argument, listing every missing, unexpected and wrongly shaped entry
    void load_state_dict(const StateDict& state);

    /// Sets the mode here and in all children. A new module is in training mode, as in PyTorch.
    void train();
    void eval();
    bool is_training() const { return training_; }

protected:
    /// @throws std::invalid_argument if the name is taken, empty or contains a dot
    void register_parameter(const std::string& name, const Tensor& parameter);
    /// The child must outlive this module: register members only.
    /// @throws std::invalid_argument as register_parameter, and if a null pointer was dereferenced for the child
    void register_module(const std::string& name, Module& child);

private:
    void check_name(const std::string& name) const;
    void set_training(bool training);

    std::vector<NamedTensor> parameters_;
    std::vector<std::pair<std::string, Module*>> children_;
    bool training_ = true;
};

enum class Bias { no, yes };

/// y = x · Wᵀ + b.   Weights are stored (out, in), as torch.nn.Linear stores them.
class Linear : public Module {
public:
    /// Weights and bias uniform in ±1/√in.   [as torch.nn.Linear]
    /// @throws std::invalid_argument if a size is not positive
    Linear(Index in_features, Index out_features, Bias bias, Random& random);
    ~Linear() override;

    /// @param x (..., in)   @return (..., out)
    /// @throws std::invalid_argument if the last axis of x is not `in`
    Tensor forward(const Tensor& x) const;

    /// (out, in)
    Tensor weight;
    /// (out), or undefined
    Tensor bias;
};

/// How many rows (vectors of `in` features) every Linear of this process has mapped so far: what a cache saves.
Index rows_through_linear();

}  // namespace headway::nn
