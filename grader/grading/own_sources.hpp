#pragma once

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headway::cli {

/// Which of a submission's functions may call which, as its text shows. It is a submission's word: no point depends on
/// it. A function is taken to call whatever its lines, or those of what they name, mention; only what they do not is
/// certain.
class OwnSources {
public:
    explicit OwnSources(const std::vector<build::SourceFile>& files);

    /// The function that this line stands in, by the way in which programs are written; empty if it cannot be told.
    std::string function_around(const verdict::SourceLine& at) const;

    /// Whether it certainly calls no such function, not even by way of a helper.
    bool never_calls(const std::string& function, const std::string& other) const;

    /// Whether this line is certainly reached without such a call in the function that it stands in.
    bool calls_none_before(const verdict::SourceLine& at, const std::string& other) const;

private:
    /// What begins at the left: a function, a type, a variable, a macro.
    struct Part {
        std::string file;
        std::size_t first_line;  ///< from 1
        std::vector<std::string> lines;
    };
    const Part* part_around(const verdict::SourceLine& at) const;
    bool may_reach(std::vector<const Part*> reached, std::vector<std::string> words, const std::string& other) const;

    std::vector<Part> parts_;
};

}  // namespace headway::cli
