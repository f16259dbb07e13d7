#include "suites/08_kv_cache/caching.hpp"

namespace headway::diagnosis {
namespace {

Caching right_cache() {
    Caching c{};
    c.position = [](const Caching::Lengths& lengths, const Caching::Lengths&, std::size_t b, Index t) {
        return lengths[b] + t;
    };
    c.token = [](const Caching::Lengths&, std::size_t, Index t, Index) { return t; };
    c.grows_by = [](const Caching::Lengths& counts, std::size_t b, Index) { return counts[b]; };
    c.hidden = [](const Caching::Lengths& lengths, std::size_t b, Index t, Index s, Index, Index) {
        return s > lengths[b] + t;
    };
    return c;
}

}  // namespace

const Caching& Caching::right() {
    static const Caching all = right_cache();
    return all;
}

}  // namespace headway::diagnosis
