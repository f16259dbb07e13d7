#pragma once

#include "submission/function_places.hpp"
#include "submission/submission.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway::build {

/// Addresses in a program, from where an exception was thrown outwards.
using WayToThrow = std::vector<std::int64_t>;

/// Where one of a submission's own files threw, or called what threw.
struct ThrowSite {
    verdict::SourceLine line;
    bool is_the_throw = false;  ///< the exception is the file's own, not of something that it called
    /// Where it goes round, if it does: the head of the innermost loop around one of the calls that cannot end by its
    /// condition; else of one that may not, or a call in a function that calls itself; else of one whose step is a
    /// variable; else the outermost that counts, which none does that goes through a list. A small function that is
    /// called over and over again is seldom what never ends.
    std::optional<verdict::SourceLine> in_loop = {};
    std::vector<verdict::SourceLine> callers = {};  ///< through which lines the submission got there, outwards
};

/// Finds lines of a submission by what a compiler, a linker or the program itself says of them, which may be anything:
/// nothing if no file has that name, or the file has no such line.
class SourceLines {
public:
    /// @param files  outlive this
    explicit SourceLines(const std::vector<SourceFile>& files);
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;
    ~SourceLines() = default;

    /// The line as it was handed in; of a very long one, its beginning.
    std::optional<std::string_view> whole(std::string_view name, int line) const;
    /// The same, as a verdict tells it.
    std::optional<verdict::SourceLine> at(std::string_view name, int line) const;
    /// Of an assignment whose left side stands on the line before, both, from there on.
    verdict::SourceLine with_left_side(verdict::SourceLine line) const;
    /// The function that a line of theirs stands in, if they are read for advice.
    std::optional<FunctionAround> function_around(const verdict::SourceLine& line) const;

private:
    struct File {
        std::string_view text;
        std::vector<std::string_view> lines;       ///< once somebody asks for one
        std::optional<FunctionsOfFile> functions;  ///< the same
    };
    std::map<std::string, File>::iterator find(std::string_view name) const;

    const std::vector<SourceFile>* given_;
    mutable std::map<std::string, File> files_;
    mutable std::map<std::string, std::map<std::string, File>::iterator, std::less<>> names_;  ///< by what was said
    mutable std::optional<bool> is_read_;  ///< once somebody asks for a function
};

/// One line of them.
std::optional<verdict::SourceLine> source_line(const std::vector<SourceFile>& files, const std::string& name, int line);

/// Reads what `addr2line --addresses --inlines` prints of all addresses of `ways`, in their order. Names and numbers in
/// it are the submission's (a #line directive, macros, assembler).
/// @return for each way its innermost call that lies in one of the files; of a function that throws the words it is
///         given, where it was called
std::vector<std::optional<ThrowSite>> throw_sites(const std::string& printed, const std::vector<WayToThrow>& ways,
                                                  const std::vector<SourceFile>& files);

}  // namespace headway::build
