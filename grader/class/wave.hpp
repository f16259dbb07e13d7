#pragma once

#include "shard.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::classroom {

/// Source and suite: what a verdict is of.
using Key = std::pair<std::string, std::string>;
inline Key key_of(const gradebook::Job& job) { return {job.source, job.suite}; }

/// What is known of a shard that was handed in.
struct SentShard {
    std::filesystem::path folder;
    ResultReader results{folder};
    std::map<Key, gradebook::Job> open = {};  ///< without a verdict
    std::set<Key> begun = {};
};

SentShard sent_shard(const std::filesystem::path& folder, const Manifest& manifest);

/// The shards of one array job.
struct Wave {
    std::string name;
    std::vector<SentShard> shards;

    bool is_done() const {
        return std::ranges::all_of(shards, [](const SentShard& one) { return one.open.empty(); });
    }
};

/// From its folder. A shard that was cut off while it was written holds nothing: nobody got it.
Wave read_wave(const std::filesystem::path& folder);

/// A name that no two classes on a cluster share.
std::string new_wave_name();

/// The end of what a shard's task wrote, in words: most likely why it ended.
std::string last_words(const std::filesystem::path& shard);

}  // namespace headway::classroom
