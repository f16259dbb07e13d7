#pragma once

#include "labs/frame/files.hpp"

#include <headway/tensor.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace headway::lab {

/// Whether this copy of the course has the solutions, which --reference takes: the student's edition has none.
bool has_solutions();

/// What the lab needs of an exercise is missing or does not work: exit status 1.
struct NotDone : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Ctrl-C; what was asked for is not there: exit status 130. The text says how to go on.
struct Stopped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Said at the first Ctrl-C: what runs may be a call that takes long, or never ends.
inline constexpr const char* stopping = "\nStopping as soon as this step is done; Ctrl-C again stops at once.\n";

/// Calls the student's code once. @throws NotDone, naming the exercise, if it throws or is not written
/// @param exercise  "07_backward"   @param lab  "train"
void try_exercise(const std::string& exercise, const std::string& lab, const std::function<void()>& call);

/// @throws std::runtime_error, naming the function and both shapes, if they differ
void require_shape(const std::string& function, const Tensor& tensor, const Shape& expected);

/// Runs a lab: whatever goes wrong in it becomes a sentence and an exit status.
int run(const std::function<void()>& lab);

/// The numbers behind the pictures; "-" is standard output.
void write_json(const std::string& file, const nlohmann::json& numbers);

}  // namespace headway::lab
