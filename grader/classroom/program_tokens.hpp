#pragma once

#include "submission/submission.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headway::classroom {

/// What is left of a word of a program when all that can be changed without a thought is taken away.
struct Token {
    std::string kind;      ///< "for", "name", "type", "matmul"; empty between two files
    std::size_t file = 0;  ///< index of the program's files
    int line = 0;
};

/// Names that the course gives and nobody can rename, such as those of the tensor library's functions.
using GivenNames = std::set<std::string, std::less<>>;

/// A program as it is compared. Own names, numbers, texts and types count as one each. Comments, layout, braces,
/// `const` and its like, namespaces, casts, the text of exceptions and the direction of `<` do not count at all. What a
/// macro stands for is part of the program. Ends with the file in which there are more than `most_tokens`.
std::vector<Token> tokens_of(const std::vector<build::SourceFile>& files, const GivenNames& given);

/// A program has some hundreds, or a few thousand.
constexpr std::size_t most_tokens = 20'000;
/// Whether a program has more, or a file that is not read to its end (build::most_words_read): it is not compared.
bool is_too_long_to_compare(const std::vector<build::SourceFile>& files, const GivenNames& given);

/// Names of functions that a header declares or calls.
GivenNames functions_in(std::string_view header);

}  // namespace headway::classroom
