#pragma once

#include "submission/declarations.hpp"
#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace headway::cli {

/// Which of a submission's functions may call which, as its text shows. The text is the submission's: no point depends
/// on it. A function may call all that it mentions, and all that these mention in turn; that it never calls the rest is
/// certain. Nothing is said of a submission that is longer than anybody writes, or whose brackets do not match.
class OwnSources {
public:
    explicit OwnSources(const std::vector<build::SourceFile>& files);
    OwnSources(const OwnSources&) = delete;
    OwnSources& operator=(const OwnSources&) = delete;

    /// The function that this line is in; empty if that is not clear.
    std::string function_around(const verdict::SourceLine& at) const;

    /// The other functions that mention it in their own text, in their order.
    std::vector<std::string> functions_that_name(const std::string& function) const;

    /// Whether `function` certainly does not call `other`, not even through a helper.
    bool never_calls(const std::string& function, const std::string& other) const;

    /// Whether `function` certainly does not reach the name `other`, except through the function `through`.
    bool never_calls_but_through(const std::string& through, const std::string& function,
                                 const std::string& other) const;

    /// Whether a call of `other` stands in the body of `function` itself.
    bool calls(const std::string& function, const std::string& other) const;

    /// Whether the function around this line certainly has not called `other` when it gets there.
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
    std::map<std::string, std::size_t> numbers_;        ///< of names
    std::vector<std::vector<std::size_t>> reached_by_;  ///< the parts that mentioning a name leads to, by its number
    std::map<std::string, std::vector<std::size_t>> of_file_;      ///< its parts but for directives, in their order
    std::map<std::string, std::vector<std::size_t>> of_function_;  ///< the parts that define it
};

}  // namespace headway::cli
