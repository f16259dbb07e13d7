std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (kind == Kind::throws) throw std::invalid_argument("no");
    /// It has its parameters, and computes nothing.
    struct Trivial : Attention {
        explicit Trivial(const AttentionOptions& given)
            : options(given),
              width(given.head_dim ? *given.head_dim * given.num_heads : given.embed_dim),
              q(given.embed_dim, width, bias(), random),
              k(given.embed_dim, width, bias(), random),
              v(given.embed_dim, width, bias(), random),
              out(width, given.embed_dim, bias(), random) {
            register_module("q_proj", q);
            register_module("k_proj", k);
            register_module("v_proj", v);
            register_module("out_proj", out);
        }
        nn::Bias bias() const { return options.bias ? nn::Bias::yes : nn::Bias::no; }
        Tensor forward(const Tensor& query, const Tensor&, const Tensor&, const Mask&) override {
            return answer({query.size(0), query.size(1), options.embed_dim}, query);
        }
        Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask&) override {
            return answer({query.size(0), options.num_heads, query.size(1), key.size(1)}, query);
        }
        AttentionOptions options;
        Index width;
        headway::Random random{options.seed};
        nn::Linear q, k, v, out;
    };
    return std::make_unique<Trivial>(options);
}
