#pragma once

#include "diagnosis/asking.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace headway::diagnosis {

/// Whether a program that reads nothing before it is written to may give both answers to one question.
using Agree = std::function<bool(const Reply&, const Reply&)>;

/// Which of the memory that `new[]` gives, the numbers of a tensor among it, shows in an answer before anything was
/// written to it: addresses within the calls that asked for it, as wire::Error::frames; empty if none is found.
///
/// The answer changes when that memory alone is filled with another pattern: this is seen from here. Only where it is
/// made is the worker's own word, which may show a line and decides nothing. The worker is a fresh one afterwards.
std::vector<std::int64_t> maker_of_unwritten_memory(judge::Student& student, const Function& function,
                                                    const judge::Arguments& arguments, const Agree& agree);

/// To the last bit: in what is divided by an enormous number, other memory shows no sooner.
bool are_identical(const Reply& a, const Reply& b);

/// What a worker says of it, if that can be true: how much memory it gave, and the addresses.
struct FreshMemory {
    Index given = 0;
    std::vector<std::int64_t> frames;
};
FreshMemory fresh_memory_as_told(const Shape& told);

}  // namespace headway::diagnosis
