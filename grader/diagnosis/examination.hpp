#pragma once

#include "diagnosis/asking.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What a function does besides answering: evidence of mistakes of C++ rather than attention.
namespace headway::diagnosis {

/// The workers that questions go to.
struct Workers {
    judge::Student& plain;
    judge::Student& reversed;  ///< the same program again; gets the questions in another order
    judge::Student& refilled;  ///< the same program; fresh memory holds another pattern
    judge::Student& sanitized;
};

/// What the answers of a function to its questions show, besides their numbers.
struct Findings {
    struct Question {
        judge::Arguments arguments;
        Reply reply;            ///< of the plain build
        bool clean = true;      ///< the sanitizers had nothing to say
        std::string name = {};  ///< if it has one
        bool overran = false;   ///< a sanitizer saw an index leave its memory
    };
    std::vector<Question> questions;
    bool not_written = false;
    std::vector<std::string> mistakes;   ///< ids of mistakes of memory
    std::vector<std::string> sentences;  ///< their evidence
    std::vector<std::int64_t> frames;    ///< where memory is made that is read too early: see fresh_memory.hpp
    bool unreliable = false;             ///< answers depend on what memory held before
    bool refuses_by_luck = false;        ///< after it misused memory: its refusals prove nothing
};

Findings examine(const Workers& workers, const Function& function, const Questions& questions);

}  // namespace headway::diagnosis
