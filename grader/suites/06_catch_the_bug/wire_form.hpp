#pragma once

#include "wire/value.hpp"

#include <catch_the_bug.hpp>

/// How a question and its answer travel: from the tests to the judge, and from there to the attention under test.
namespace headway::wire_form {

wire::Record to_record(const ex06::Inputs& inputs);
/// @throws std::invalid_argument where it is none
ex06::Inputs inputs_from(const wire::Value& value);

wire::Record to_record(const ex06::Attended& attended);
/// @throws std::invalid_argument where it is none
ex06::Attended attended_from(const wire::Value& value);

}  // namespace headway::wire_form
