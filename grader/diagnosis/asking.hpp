#pragma once

#include "diagnosis/subject.hpp"

#include "verdict/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

/// One question to a function of the student's, beside the hidden tests.
namespace headway::diagnosis {

/// One answer, with its circumstances.
struct Reply {
    Answer answer;
    std::vector<std::string> changed_arguments;
    std::optional<verdict::Failure> failure;  ///< no answer: crash, hang, sanitizer report, ...
    bool not_written = false;
    std::string left_its_tensor;  ///< what checked access said of an index
    bool out_of_range = false;    ///< a plain call threw std::out_of_range, which no header asks of one
};

/// Asks without failing a test. A lost worker is replaced.
Reply ask(judge::Student& student, const Function& function, const judge::Arguments& arguments);

}  // namespace headway::diagnosis
