#pragma once

#include <string>
#include <string_view>

namespace headway::intake {

/// The id of the student whom a folder, an archive or an export names. Letters, digits and accents of any script and
/// . _ @ + - stay as they are, in Unicode's composed form; a space becomes ~, and each byte of anything else = and two
/// hexadecimal digits ("Doe, Jane" is Doe=2C~Jane). So two names never become one id, and an id can be the name of a
/// file or stand in a table or a page. A name for which that gives no usable id becomes itself, in quotation marks:
/// a row that says what is wrong, and that no student's id can be taken for.
std::string student_of(std::string_view name);

/// What a person or a list says of a student: an id, or a row in quotation marks, as it is; any other name as
/// student_of() has it.
std::string id_meant_by(const std::string& text);

/// `name` in quotation marks, with what cannot be shown spelled out: the row of something that is nobody's.
std::string row_of(std::string_view name);

/// At most 100 bytes of what student_of() writes, beginning with a letter, a digit or _.
bool is_usable_id(const std::string& id);

}  // namespace headway::intake
