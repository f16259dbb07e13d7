#pragma once

#include "wire/value.hpp"

#include <headway/tensor.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headway::judge {

struct AskedInputs;

/// Something that a question must have to show a mistake: without it, the wrong answer is the right one.
struct Need {
    const char* words;  ///< of one question: "is causal", "has T ≠ S"
    bool (*holds)(const AskedInputs&);
};

/// Counts how many questions have what it takes to show the mistake of one wrong attention.
class WhatShows {
public:
    /// @param id  of a wrong attention of the roster   @throws std::out_of_range if nothing is declared for it
    explicit WhatShows(const std::string& id);

    /// Takes in the inputs of the next question, which are not refused. @return whether they have all that it takes
    bool see(const wire::Value& inputs);
    void see_refused() { ++refused_; }

    /// " 12 of your 59 questions are causal; none of these has T ≠ S.", or nothing if some question has all.
    std::string missing() const;

    /// Of a question that has all that it takes: "is causal and has T ≠ S".
    std::string words() const;

private:
    const std::vector<Need>* needs_;
    std::vector<int> have_;  ///< how many questions have the first of the needs, the first two, ...
    int questions_ = 0, refused_ = 0;
    std::map<Shape, std::uint64_t> blocked_first_;  ///< by the sizes of the scores, what the first question blocked
};

/// The largest size of a score, of either sign, that an open key of the question has, which is not refused; 0 where
/// that would take long to compute.
double largest_size_of_a_score(const wire::Value& inputs);

}  // namespace headway::judge
