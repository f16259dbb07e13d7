#pragma once

#include "module.hpp"

#include <stdexcept>
#include <string>

namespace student {

struct BadOption : std::invalid_argument {
    explicit BadOption(const std::string& name) : std::invalid_argument("make_multi_head_attention: " + name) {}
};

/// The same options with head_dim filled in.
inline headway::ex05::AttentionOptions validated(headway::ex05::AttentionOptions options) {
    if (options.embed_dim < 1) throw BadOption("embed_dim");
    if (options.num_heads < 1) throw BadOption("num_heads");
    if (options.dropout < 0 || !(options.dropout < 1)) throw BadOption("dropout");
    if (!options.head_dim) {
        if (options.embed_dim % options.num_heads != 0) throw BadOption("num_heads does not divide embed_dim");
        options.head_dim = options.embed_dim / options.num_heads;
    }
    if (*options.head_dim < 1) throw BadOption("head_dim");
    return options;
}

}  // namespace student
