#pragma once

#include "submission/declarations.hpp"
#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace headway::cli {

/// Which of a submission's functions may call which, as its words show. It is a submission's word: no point depends on
/// it. A function is taken to call whatever its words, or those of what they name, mention; only what they do not is
/// certain. Nothing is said of a submission that is longer than anybody writes, or whose brackets do not match.
class OwnSources {
public:
    explicit OwnSources(const std::vector<build::SourceFile>& files);
    OwnSources(const OwnSources&) = delete;
    OwnSources& operator=(const OwnSources&) = delete;

    /// The function that this line stands in, by the way in which programs are written; empty if it cannot be told.
    std::string function_around(const verdict::SourceLine& at) const;

    /// The other functions whose own words name it, in their order.
    std::vector<std::string> functions_that_name(const std::string& function) const;

    /// Whether it certainly calls no such function, not even by way of a helper.
    bool never_calls(const std::string& function, const std::string& other) const;

    /// Whether it certainly reaches no such name but by way of `through`.
    bool never_calls_but_through(const std::string& through, const std::string& function,
                                 const std::string& other) const;

    /// Whether the words of its own body have such a call.
    bool calls(const std::string& function, const std::string& other) const;

    /// Whether this line is certainly reached without such a call in the function that it stands in.
    bool calls_none_before(const verdict::SourceLine& at, const std::string& other) const;

private:
    struct Part {
        build::Declaration declared;
        std::vector<std::size_t> mentions;  ///< the numbers of the names in it, each once
    };
    bool read(const std::vector<build::SourceFile>& files);
    std::size_t number_of(const std::string& name);
    const Part* part_around(const verdict::SourceLine& at) const;
    std::vector<std::size_t> mentioned_in(const std::string& function) const;
    bool may_reach(std::vector<std::size_t> mentioned, const std::string& other, const std::string& but = {}) const;

    std::vector<Part> parts_;
    std::map<std::string, std::size_t> numbers_;  ///< of names
    // By the number of a name, which of the parts are reached where it is mentioned.
    std::vector<std::vector<std::size_t>> reached_by_;
    std::map<std::string, std::vector<std::size_t>> of_file_;      ///< parts that are no directives, in their order
    std::map<std::string, std::vector<std::size_t>> of_function_;  ///< those that define it
};

}  // namespace headway::cli
