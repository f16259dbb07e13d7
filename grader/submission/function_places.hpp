#pragma once

#include "submission/source_words.hpp"
#include "submission/submission.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headway::build {

/// Where a name stands in a submission.
struct FoundAt {
    std::string file;  ///< relative to the exercise's folder
    int line = 0;
};

/// A function that a text defines, in or outside of a class, and the line that its name stands in.
struct DefinedFunction {
    std::string name;  ///< "softmax_rows", without namespaces and classes
    int line = 0;
};

/// In their order. By the way in which programs are written, without what macros make: a name, its parameters, and `{`.
std::vector<DefinedFunction> functions_defined_in(std::string_view text);

/// The function that a line stands in, up to where the next one begins.
struct FunctionAround {
    std::string name;
    std::vector<Word> words;

    bool calls_itself() const;
    /// It has a loop, or calls itself: what does neither cannot go on without end on its own.
    bool may_repeat() const;
};

/// What a file defines, read once for all questions about its lines.
class FunctionsOfFile {
public:
    explicit FunctionsOfFile(std::string_view text);

    /// Nothing before the first function, and of one that is longer than anybody writes.
    std::optional<FunctionAround> around(int line) const;

private:
    std::vector<Word> words_;
    std::vector<DefinedFunction> functions_;
};

/// Where a submission defines these functions, those that it defines. Of several that are called so the last one, since
/// helpers stand before what uses them; a file that is compiled goes before a header.
std::map<std::string, FoundAt> definitions_of(const std::set<std::string>& functions,
                                              const std::vector<SourceFile>& files);
/// One of them.
std::optional<FoundAt> definition_of(const std::string& function, const std::vector<SourceFile>& files);

/// Where the name stands first in what is compiled, or else in a header.
std::optional<FoundAt> first_use_of(const std::string& name, const std::vector<SourceFile>& files);
/// Where it stands behind a . or ->, as a member does: a function of the same name is another.
std::optional<FoundAt> first_use_of_member(const std::string& name, const std::vector<SourceFile>& files);
/// Where it stands behind that namespace and ::, as in given::softmax.
std::optional<FoundAt> first_use_in(const std::string& space, const std::string& name,
                                    const std::vector<SourceFile>& files);

}  // namespace headway::build
