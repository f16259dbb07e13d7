#pragma once

#include "wire/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headway::judge {

/// A program of the course's own around functions of the student's, which a dispatcher knows by a name like theirs:
/// such as "decode_twice" of exercise 13. No sentence for the student says that name.
struct Harness {
    std::string_view name;
    std::string_view function;  ///< of the student's, which it calls; empty if it calls none
    std::string_view story;     ///< what a story says after that call; where there is none, in place of the name
};

/// Nothing if `called` is a function of the student's.
const Harness* harness_of(std::string_view called);

/// The worker's own functions, which every program has, and which run no code of the student's.
bool is_courses_own(std::string_view called);

/// What a message says after "your": "decode" for "decode_twice", "program" for what runs no function of the student's.
std::string whose(const std::string& called);

/// A call as a story tells it: sentence(), without names of ours.
std::string told(const std::string& called, const std::vector<wire::Field>& arguments);

}  // namespace headway::judge
