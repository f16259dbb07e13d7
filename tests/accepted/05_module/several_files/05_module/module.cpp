#include "multi_head_attention.hpp"
#include "validate.hpp"

namespace headway::ex05 {

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    return std::make_unique<student::MultiHeadAttention>(student::validated(options));
}

}  // namespace headway::ex05
