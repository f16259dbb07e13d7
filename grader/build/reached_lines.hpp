#pragma once

#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace headway::build {

/// Which lines of a submission ran, by what gcov says of the counts of several processes. Those come from the
/// submission, which can leave what it likes: an entry that is not as gcov writes it counts for nothing. Of a document
/// nothing is kept but a mark for each line that is there.
class ReachedLines {
public:
    /// @param files  outlive this
    explicit ReachedLines(const std::vector<SourceFile>& files);

    /// One of gcov's documents, in one pass.
    void add(const nlohmann::json& document);
    /// Of each file that a document spoke of, in their order.
    std::vector<verdict::Coverage> found() const;

private:
    enum class Line : unsigned char { not_told, missed, reached };
    struct File {
        const SourceFile* source;
        std::vector<Line> lines;
        bool is_told = false;
    };
    File* find(const std::string& name);

    std::vector<File> files_;
    std::map<std::string, File*> names_;  ///< as documents have them; of what nobody handed in, nothing
    std::size_t most_names_ = 0;
};

}  // namespace headway::build
