#pragma once

#include "submission/submission.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// Where the sources keep the sanitizers from looking: attributes that switch them off, options of the compiler set in
/// a source, questions whether a sanitizer is there, calls to its own functions, assembler. The sanitized build says
/// nothing about memory there, and the verdict tells so; it costs no point.
/// Read from the text, as the preprocessor reads it. It does not see a name that ## puts together, nor a program that
/// finds out while it runs that a sanitizer is there, by how far apart two pieces of memory lie, say.
/// @return sentences: "single_head.cpp line 12 switches the sanitizer off: ..."
std::vector<std::string> unchecked_places(const std::vector<SourceFile>& files);

}  // namespace headway::build
