#pragma once

#include <headway/tensor.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace headway::lab {

/// What the lab needs of an exercise is missing or does not work: exit status 1.
struct NotDone : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The command line asks for what there is not: exit status 2.
struct WrongUsage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Ctrl-C; what was asked for is not there: exit status 130. The text says how to go on.
struct Stopped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Calls the student's code once. @throws NotDone, naming the exercise, if it throws or is not written
/// @param exercise  "07_backward"   @param lab  "train"
void try_exercise(const std::string& exercise, const std::string& lab, const std::function<void()>& call);

/// @throws std::runtime_error, naming the function and both shapes, if they differ
void require_shape(const std::string& function, const Tensor& tensor, const Shape& expected);

/// Runs a lab: whatever goes wrong in it becomes a sentence and an exit status.
int run(const std::function<void()>& lab);

/// The numbers behind the pictures; "-" is standard output.
void write_json(const std::string& file, const nlohmann::json& numbers);

/// A path as one would type it here.
std::string shown(const std::string& path);

/// All its bytes.   @throws WrongUsage if it cannot be read
std::string read_file(const std::string& file);

/// Replaces the file in one step; makes its folder first. @throws std::runtime_error if it cannot be written
void write_file(const std::string& file, const std::string& text);

}  // namespace headway::lab
