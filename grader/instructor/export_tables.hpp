#pragma once

#include "instructor/class_results.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Marks in one file, with a row per student, as other programs read them.
namespace headway::cli {

struct Table {
    std::string text;
    std::vector<std::string> left_out;  ///< students without a row, because the other program cannot place them
};

/// A format of `class export` that is a table. What the command accepts, says and refuses for it follows from this.
struct TableFormat {
    std::string_view name;  ///< as it is typed
    Table (*make)(const ClassArguments& arguments, const ClassResults& results);
    bool names_columns = false;            ///< whether --assignment and --per-exercise are for it
    std::string_view platform = {};        ///< who reads it, for messages; none: everybody has a row
    std::string_view list = {};            ///< in which of its lists the platform says by which number it knows people
    std::string_view without_guests = {};  ///< why they are left out; none where their number decides alone
};

/// All there are, in the order in which help names them.
std::span<const TableFormat> table_formats();

/// nullptr: it is none.
const TableFormat* table_format(std::string_view name);

/// Their names.
std::vector<std::string> names_of_tables();
/// Of those alone that name columns.
std::vector<std::string> names_of_tables_with_columns();

}  // namespace headway::cli
