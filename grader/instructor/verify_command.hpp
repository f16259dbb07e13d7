#pragma once

#include "grading/course.hpp"
#include "grading/grading.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headway::cli {

struct VerifyArguments {
    std::vector<std::string> exercises;
    bool diagnosis = false;         ///< the table of the catalogue too
    bool quick = false;             ///< without the mutants that are marked extended
    int every = 1;                  ///< of the others one in so many
    int first = 0;                  ///< which share of them that is
    int sanitized_every = 1;        ///< in both builds each first of so many
    bool asked = false;             ///< only what the hidden tests ask in turn of each function
    std::string proof;              ///< where PROOF.md goes; empty: nowhere
    std::vector<std::string> show;  ///< exercise and name of a mutant: only its program is printed
    std::string expand;             ///< a folder: only the mutants are written there, each as a submission
    std::uint64_t seed = default_seed;
};

CLI::App* declare_verify(CLI::App& app, VerifyArguments& verify);
int run_verify(const Course& course, const VerifyArguments& arguments);

}  // namespace headway::cli
