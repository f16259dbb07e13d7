// What an export of a class says: names of files, times, Gradescope's metadata. And what a table for a spreadsheet
// makes of any text.
#include "text_in.hpp"

#include "classroom/csv.hpp"
#include "intake/entry_name.hpp"
#include "intake/gradescope_export.hpp"
#include "intake/hand_in.hpp"
#include "intake/student_id.hpp"
#include "verdict/utf8.hpp"

#include <stdexcept>

namespace {

using namespace headway;

void check_time(const std::string& time) {
    fuzz::require(intake::utc(time) == time);
    intake::seconds_of(time);
}

void read_names(const std::string& name) {
    for (const auto& read : {intake::moodle_name(name), intake::canvas_name(name)})
        if (read) fuzz::require(name.find(read->student) != std::string::npos);
    const std::string student = intake::student_of(intake::plain_name(name).student);
    fuzz::require(verdict::showable(student) == student || !intake::is_usable_id(student));
    if (!intake::is_usable_id(student)) return;
    fuzz::require(student.size() <= 100 && std::string_view(".-=~@+").find(student.front()) == std::string_view::npos);
    fuzz::require(student.find_first_of("/\\<>&\"' \n\r\t") == std::string::npos);
}

void read_times(std::string_view bytes) {
    static const fuzz::InputFile file("times.csv");
    for (const auto& [student, time] : intake::read_times(file.holding(bytes))) check_time(time);
}

void read_gradescope(std::string_view bytes) {
    static const fuzz::InputFile file("submission_metadata.yml");
    for (const auto& [folder, submission] : intake::read_gradescope_metadata(file.holding(bytes))) {
        fuzz::require(folder.find('/') == std::string::npos && folder != "." && folder != "..");
        if (submission.submitted) check_time(*submission.submitted);
    }
}

/// One field of one row: what a reader after RFC 4180 gets is no formula, and can be shown.
void write_csv(std::string_view field) {
    classroom::Csv csv;
    csv.text(field).end_row();
    std::string row = csv.take();
    fuzz::require(row.ends_with("\r\n"));
    row.resize(row.size() - 2);
    std::string read;
    if (row.starts_with('"')) {
        for (std::size_t i = 1; i + 1 < row.size(); ++i) {
            if (row[i] == '"') fuzz::require(row[++i] == '"' && i + 1 < row.size());
            read += row[i];
        }
    } else {
        fuzz::require(row.find_first_of(",\"\r\n") == std::string::npos);
        read = row;
    }
    fuzz::require(read == verdict::showable(std::string(field)) || read == verdict::showable("'" + std::string(field)));
    fuzz::require(read.empty() || std::string_view("=+-@\t\r\n").find(read.front()) == std::string_view::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes = fuzz::as_text(data + 1, size - 1);
    try {
        if (data[0] == 'N') read_names(std::string(bytes));
        if (data[0] == 'T') read_times(bytes);
        if (data[0] == 'G') read_gradescope(bytes);
        if (data[0] == 'C') write_csv(bytes);
        if (data[0] == 'U')
            if (const auto time = intake::utc(std::string(bytes))) check_time(*time);
    } catch (const std::runtime_error&) {
    }
    return 0;
}
