#pragma once

#include <string>

/// Which exercise a folder or a file is, by what people and systems make of its name: other capitals, spaces or hyphens
/// for underscores, "(1)" of a file that was downloaded again. classroom/README.md has these rules as a table.
namespace headway::intake {

/// "scaled_scores" of "03_scaled_scores".
std::string name_without_number(const std::string& exercise);

/// Whether a folder of this name is that exercise's: 03_scaled_scores, 03-Scaled-Scores, "03 scaled scores".
bool is_folder_of(const std::string& folder, const std::string& exercise);

/// Whether a source of this name is what the exercise's stub is called: scaled_scores.cpp, Scaled_Scores.cpp,
/// 03_scaled_scores.cc, "scaled_scores (1).cpp", scaled_scores-1.cpp.
bool is_stub_of(const std::string& file, const std::string& exercise);

/// Whether the name has the mark of a copy: "scaled_scores (1).cpp", "scaled_scores - Copy.cpp".
bool is_marked_as_copy(const std::string& file);

}  // namespace headway::intake
