#pragma once

#include "build/source_lines.hpp"
#include "build/workspace.hpp"
#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::cli {

/// Says of the failures in which line of the student's own files each happened, where the program in which they did
/// tells that. @param tests  as the judge found them in this build
void find_lines(std::vector<verdict::Test>& tests, const build::Workspace& workspace, build::Build build);

/// The line of `function` through which it got to where it failed; nothing if that is a line of its own.
std::optional<verdict::SourceLine> way_through(const std::string& function, const build::ThrowSite& site,
                                               const build::SourceLines& own);

/// The student's lines through which a program got to the one that a sanitizer names, innermost first, as far as the
/// beginning of its report has them. The report is the program's word.
std::vector<verdict::SourceLine> callers_in(const verdict::SanitizerReport& report, const build::SourceLines& own);

/// Says of what the diagnosis found which line makes the memory that is read before anything was written to it: where
/// the program of the plain build tells that, or else the one warning of the compiler's.
void find_lines(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                const build::Workspace& workspace);

/// Takes back what was guessed of an index that goes too far, where a mistake with a name explains the failure: the
/// loop may be right, and the axis wrong. And where an earlier function is wrong on whose answers this one works: what
/// is out of range may come from there.
void leave_causes_to_names(verdict::Exercise& exercise);

/// Of a mistake that throws where it should answer, takes back which sizes may be mistaken for each other, where what
/// it throws names another cause: a view of what is not contiguous.
void leave_out_sizes(verdict::Exercise& exercise);

/// Says which functions end the program, or read what was never written, only within another one that has the same
/// mistake: it is in that one's lines, or in those of a helper that it calls.
void tell_in_whose_lines(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files);

/// Says of each function that a failed test or the diagnosis names, or in whose lines the program ended, where the
/// submission defines it.
void find_functions(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
