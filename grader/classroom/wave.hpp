#pragma once

#include "classroom/shard.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace headway::classroom {

/// By what a verdict is of.
struct BySourceAndSuite {
    bool operator()(const gradebook::Job& a, const gradebook::Job& b) const {
        return std::tie(a.source, a.suite) < std::tie(b.source, b.suite);
    }
};
using Jobs = std::set<gradebook::Job, BySourceAndSuite>;

/// What is known of a shard that was handed in.
struct SentShard {
    std::filesystem::path folder;
    ResultReader results{folder};
    Jobs open = {};   ///< without a verdict
    Jobs begun = {};  ///< of these
    bool has_begun = false;
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
