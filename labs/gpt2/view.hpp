#pragma once

#include "labs/gpt2/roles.hpp"
#include "labs/gpt2/tokenizer.hpp"

#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

/// k and v of one token in one head.
struct KeyAndValue {
    double key_norm = 0, value_norm = 0;
    double cosine = 0;  ///< k · v / (|k| |v|)
};

/// Everything that the lab found out about a text.
struct Reading {
    Gpt2Sizes sizes;
    std::vector<Index> tokens;
    std::vector<std::string> labels;  ///< of the tokens
    std::vector<float> last_logits;   ///< (V), of the last token
    std::vector<Index> continued;
    std::string text;  ///< as it was given
    std::string continuation;
    Index layer = 0, token = 0;  ///< what is looked at more closely
    std::vector<Gpt2::LayerLook> looks;
    std::vector<HeadRole> roles;
    bool has_own_blocks = false;  ///< norms, MLPs and residuals are the student's too
};

/// One for each head of the layer and the token that are looked at.
std::vector<KeyAndValue> keys_and_values(const Reading& reading);

std::string gpt2_page(const Reading& reading);
void show_reading(report::Page& page, const Reading& reading);
nlohmann::json to_json(const Reading& reading);

}  // namespace headway::lab
