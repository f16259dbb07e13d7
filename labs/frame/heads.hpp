#pragma once

#include "report/xml.hpp"
#include "terminal/page.hpp"

#include <headway/tensor.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

/// Where the heads of one layer look in one sentence.
struct Heads {
    std::string title;                  ///< "H = 4, block 1"
    std::vector<std::string> tokens;    ///< of the sentence, for rows (queries) and columns (keys)
    Tensor weights;                     ///< (H, T, T)
    std::vector<std::string> captions;  ///< one a head: "head 0: previous token 0.93"
};

/// All heads side by side, from 0 (white) to 1 (dark), as tables that can be read aloud.
void write_heads(report::Xml& page, const Heads& heads);

/// What the shades stand for, with numbers.
void write_scale(report::Xml& page);

/// One head in blocks.
void show_head(report::Page& page, std::size_t indent, const Heads& heads, Index head);

nlohmann::json to_json(const Heads& heads);

}  // namespace headway::lab
