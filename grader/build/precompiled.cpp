#include "build/precompiled.hpp"

#include <algorithm>

namespace headway::build {

namespace fs = std::filesystem;

fs::path precompiled(const Words& options) {
    for (const std::string& file : options) {
        if (file.starts_with('-')) continue;
        const fs::path found = file.ends_with(".pch") ? file : file + ".gch";
        if (fs::exists(found)) return found;
    }
    return {};
}

bool is_older_than_headers(const Words& options, const fs::path& folder) {
    const fs::path product = precompiled(options);
    if (product.empty()) return false;
    std::error_code missing;
    const fs::file_time_type built = fs::last_write_time(product, missing);
    if (missing) return false;
    const fs::recursive_directory_iterator headers(folder, missing);
    if (missing) return false;
    return std::any_of(begin(headers), end(headers), [&](const fs::directory_entry& header) {
        std::error_code ignored;
        return header.is_regular_file(ignored) && header.last_write_time(ignored) > built;
    });
}

}  // namespace headway::build
