#pragma once

#include <stdexcept>
#include <string>

namespace headway {

/// What an untouched stub throws: the grader then says "not started" instead of "failed".
/// What it says is for a visible test, which tells an exception's words and nothing else.
struct NotImplemented : std::logic_error {
    explicit NotImplemented(const char* function) : std::logic_error(std::string(function) + said_of_it) {}

    /// Its name: what it was made with.
    std::string function() const {
        const std::string words = what();
        return words.substr(0, words.size() - std::string(said_of_it).size());
    }

private:
    static constexpr const char* said_of_it = " is not written yet";
};

}  // namespace headway
