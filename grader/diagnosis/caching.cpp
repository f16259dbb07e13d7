#include "diagnosis/caching.hpp"

namespace headway::diagnosis {

Caching right_caching() {
    Caching c{};
    c.position = [](const Caching::Lengths& lengths, const Caching::Lengths&, std::size_t b, Index t) {
        return lengths[b] + t;
    };
    c.hidden = [](const Caching::Lengths& lengths, std::size_t b, Index t, Index s, Index, Index) {
        return s > lengths[b] + t;
    };
    return c;
}

}  // namespace headway::diagnosis
