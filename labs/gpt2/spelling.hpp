#pragma once

#include <array>
#include <string>

namespace headway::lab {

/// How GPT-2's vocabulary spells each byte: as itself where it can be seen, else as a character from U+0100 on, so that
/// vocab.json is text. A space is Ġ.
const std::array<std::string, 256>& byte_spelling();

std::string spelled(const std::string& bytes);

/// The other way round; characters that stand for no byte stay as they are.
std::string unspelled(const std::string& token);

}  // namespace headway::lab
