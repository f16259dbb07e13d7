#include "backward.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

// A Java developer's C++: everything is an object, has an interface, and is wired together.

namespace headway::ex07 {

namespace {

class ShapeMismatchException : public std::invalid_argument {
public:
    explicit ShapeMismatchException(const std::string& message) : std::invalid_argument(message) {}
};

class ShapeValidator final {
public:
    static void validate(const Tensor& tensor, const Shape& expected, const std::string& name) {
        if (tensor.shape() != expected) {
            throw ShapeMismatchException(name + " has shape " + to_string(tensor.shape()) + ", expected " +
                                         to_string(expected));
        }
    }

    static void validateRank(const Tensor& tensor, Index rank, const std::string& name) {
        if (tensor.rank() != rank) {
            throw ShapeMismatchException(name + " has rank " + std::to_string(tensor.rank()));
        }
    }
};

class SoftmaxLayer {
public:
    explicit SoftmaxLayer(Tensor output) : output_(std::move(output)) {}

    Tensor backward(const Tensor& gradOutput) const {
        ShapeValidator::validateRank(output_, 4, "weights");
        ShapeValidator::validate(gradOutput, output_.shape(), "grad_weights");
        Tensor weighted = output_ * gradOutput;
        Tensor rowSums = sum(weighted, 2, KeepAxis::yes);
        // w·g - w·Σ(w·g)
        weighted -= output_ * rowSums;
        return weighted;
    }

private:
    Tensor output_;
};

class AttentionLayer {
public:
    AttentionLayer(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) : q_(q), k_(k), v_(v) {
        ShapeValidator::validateRank(q, 4, "q");
        ShapeValidator::validateRank(k, 4, "k");
        ShapeValidator::validateRank(v, 4, "v");
        ShapeValidator::validate(k, {q.size(0), q.size(1), k.size(2), q.size(3)}, "k");
        ShapeValidator::validate(v, {q.size(0), q.size(1), k.size(2), v.size(3)}, "v");
        if (mask.defined()) {
            mask_ = mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});
        }
    }

    const Tensor& forward() {
        attended_ = given::scaled_dot_product_attention(q_, k_, v_, mask_);
        return attended_.context;
    }

    AttentionGradients backward(const Tensor& gradContext) const {
        ShapeValidator::validate(gradContext, {q_.size(0), q_.size(1), q_.size(2), v_.size(3)}, "grad_context");
        AttentionGradients gradients;
        gradients.v = matmul(attended_.weights.transpose(2, 3), gradContext);
        const SoftmaxLayer softmax(attended_.weights);
        Tensor gradScores = softmax.backward(matmul(gradContext, v_.transpose(2, 3)));
        gradScores *= scale();
        gradients.q = matmul(gradScores, k_);
        gradients.k = matmul(gradScores.transpose(2, 3), q_);
        return gradients;
    }

private:
    float scale() const { return 1.0F / std::sqrt(static_cast<float>(q_.size(3))); }

    Tensor q_, k_, v_;
    Mask mask_;
    given::Attended attended_;
};

class LinearLayer {
public:
    LinearLayer(const Tensor& weight, const Tensor& bias, Tensor& gradWeight, Tensor& gradBias)
        : weight_(weight), bias_(bias), gradWeight_(gradWeight), gradBias_(gradBias) {
        ShapeValidator::validateRank(weight, 2, "weight");
        ShapeValidator::validate(gradWeight, weight.shape(), "grad_weight");
        ShapeValidator::validate(gradBias, {weight.size(0)}, "grad_bias");
    }

    Tensor forward(const Tensor& input) {
        ShapeValidator::validate(bias_, {weight_.size(0)}, "bias");
        setInput(input);
        return matmul(input_, weight_.transpose(0, 1)) + bias_;
    }

    void setInput(const Tensor& input) {
        ShapeValidator::validateRank(input, 3, "x");
        ShapeValidator::validate(input, {input.size(0), input.size(1), weight_.size(1)}, "x");
        input_ = input;
    }

    Tensor backward(const Tensor& gradOutput) {
        ShapeValidator::validate(gradOutput, {input_.size(0), input_.size(1), weight_.size(0)}, "grad_y");
        // (B, out, T) · (B, T, in) = (B, out, in), summed over the batch
        gradWeight_ += sum(matmul(gradOutput.transpose(1, 2), input_), 0);
        gradBias_ += sum(sum(gradOutput, 0), 0);
        return matmul(gradOutput, weight_);
    }

private:
    Tensor weight_, bias_;
    Tensor& gradWeight_;
    Tensor& gradBias_;
    Tensor input_;
};

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    return SoftmaxLayer(weights).backward(grad_weights);
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    AttentionLayer layer(q, k, v, mask);
    layer.forward();
    return layer.backward(grad_context);
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    LinearLayer layer(weight, Tensor{}, grad_weight, grad_bias);
    layer.setInput(x);
    return layer.backward(grad_y);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    ShapeValidator::validateRank(x, 3, "x");
    ShapeValidator::validate(grad_y, x.shape(), "grad_y");
    const Index width = x.size(2);
    if (num_heads <= 0 || width % num_heads != 0) {
        throw ShapeMismatchException("embed_dim must be divisible by num_heads");
    }
    for (const Tensor& matrix :
         {parameters.q_weight, parameters.k_weight, parameters.v_weight, parameters.out_weight}) {
        ShapeValidator::validate(matrix, {width, width}, "weight");
    }
    LinearLayer queryLayer(parameters.q_weight, parameters.q_bias, grads.q_weight, grads.q_bias);
    LinearLayer keyLayer(parameters.k_weight, parameters.k_bias, grads.k_weight, grads.k_bias);
    LinearLayer valueLayer(parameters.v_weight, parameters.v_bias, grads.v_weight, grads.v_bias);
    LinearLayer outputLayer(parameters.out_weight, parameters.out_bias, grads.out_weight, grads.out_bias);

    const auto attention = std::make_unique<AttentionLayer>(given::split_heads(queryLayer.forward(x), num_heads),
                                                            given::split_heads(keyLayer.forward(x), num_heads),
                                                            given::split_heads(valueLayer.forward(x), num_heads), mask);
    (void)outputLayer.forward(given::merge_heads(attention->forward()));

    const Tensor gradMerged = outputLayer.backward(grad_y);
    const AttentionGradients gradients = attention->backward(given::split_heads(gradMerged, num_heads));
    Tensor total = Tensor::zeros(x.shape());
    total += queryLayer.backward(given::merge_heads(gradients.q));
    total += keyLayer.backward(given::merge_heads(gradients.k));
    total += valueLayer.backward(given::merge_heads(gradients.v));
    return total;
}

}  // namespace headway::ex07
