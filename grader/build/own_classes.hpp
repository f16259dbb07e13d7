#pragma once

#include "submission/submission.hpp"
#include "submission/words_of_files.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace headway::build {

/// Of each parameter the words of its type.
using Types = std::vector<std::vector<std::string>>;

/// The types between two brackets, without the names of parameters and what they are by default.
Types types_in(const std::vector<Word>& words, std::size_t open, std::size_t close);

/// A function that a class declares.
struct OwnMember {
    std::string file;
    int line = 0;
    Types parameters;
    bool is_const = false;
    bool is_pure = false;
};

/// What a submission says of one of its classes.
struct OwnClass {
    bool is_declared = false;
    std::map<std::string, std::vector<OwnMember>> functions;  ///< by name; of very many, the first ones

    /// None if it declares none of that name.
    const std::vector<OwnMember>& named(const std::string& function) const;
};

/// The classes of a submission, by the way in which programs are written. However often one is asked for, the files are
/// read for it once.
class OwnClasses {
public:
    /// @param files, words  outlive this
    OwnClasses(const std::vector<SourceFile>& files, WordsOfFiles& words) : files_(files), words_(words) {}

    /// Whether the files are read: else nobody knows what a class has.
    bool are_read() { return words_.are_read(); }
    const OwnClass& find(const std::string& name);

private:
    const std::vector<SourceFile>& files_;
    WordsOfFiles& words_;
    std::map<std::string, OwnClass> known_;
};

}  // namespace headway::build
