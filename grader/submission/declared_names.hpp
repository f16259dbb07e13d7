#pragma once

#include "submission/source_words.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// How a function declares its names, by the way in which programs are written.
namespace headway::build {

/// What is declared as a Tensor or a Mask, or begins as one ("Mask m, x = Mask::allow_all(…)"), or is a parameter that
/// is one, and which word first shows it. The names are those of `words`.
std::map<std::string_view, std::size_t> first_tensors(const std::vector<Word>& words);

/// Whether a declaration ends behind this name, without a value: "x;" or "x{};".
bool ends_without_value(const std::vector<Word>& words, std::size_t name);

/// The word of "Type name;" that names a local variable, if nothing else above the line mentions it; else 0.
std::size_t declared_alone(const std::string& name, const std::vector<Word>& words, int line);

/// Declared before this word with a type in front of it, and with no other way to it: else it may change unseen.
bool is_local(const std::string& name, const std::vector<Word>& words, std::size_t before);

/// Declared before this word as `const Tensor& k` or `const Mask m`, and in no other way.
bool is_declared_as_const(const std::string& name, const std::vector<Word>& words, std::size_t before);

}  // namespace headway::build
