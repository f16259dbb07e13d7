#include "classroom/wave.hpp"

#include <fmt/format.h>

#include <fstream>
#include <random>

namespace headway::classroom {

namespace fs = std::filesystem;

SentShard sent_shard(const fs::path& folder, const Manifest& manifest) {
    SentShard shard{folder};
    for (const auto& [job, submission] : manifest.work) shard.open.insert(job);
    return shard;
}

Wave read_wave(const fs::path& folder) {
    Wave wave{folder.filename().string(), {}};
    for (std::size_t i = 0; fs::exists(folder / std::to_string(i)); ++i) {
        Manifest manifest;
        try {
            manifest = read_manifest(folder / std::to_string(i));
        } catch (const ShardError&) {
            // Cut off: what is in it is still pending.
        }
        wave.shards.push_back(sent_shard(folder / std::to_string(i), manifest));
    }
    return wave;
}

std::string new_wave_name() {
    std::random_device device;
    return fmt::format("headway-{:08x}{:08x}", device(), device());
}

std::string last_words(const fs::path& shard) {
    std::ifstream log(shard / "log");
    if (!log)
        return fmt::format("there is no {}: every node must see the gradebook's folder", (shard / "log").string());
    std::string last;
    for (std::string line; std::getline(log, line);)
        if (!line.empty()) last = line;
    return last.empty() ? "it wrote nothing" : "it wrote last: " + last.substr(0, 300);
}

}  // namespace headway::classroom
