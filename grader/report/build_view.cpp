#include "report/build_view.hpp"

#include <algorithm>
#include <string>

#include "report/compiler_view.hpp"
#include "report/diagnostics.hpp"
#include "report/words.hpp"

namespace headway::report {
namespace {

using verdict::BuildProblem;
using verdict::Compilation;

constexpr std::size_t build_indent = 4;

/// The compiler repeats the place that stands above its words.
std::string without_place(const std::string& text, const Compilation& build) {
    const std::string place = Place{}.of(build.file, build.line, build.column) + ": ";
    return text.starts_with(place) ? text.substr(place.size()) : text;
}

/// Where the errors are told above: templates of the library fill hundreds. All of them are in the JSON.
constexpr std::size_t most_words_beside_errors = 80;

void show_diagnostics(Page& page, const Compilation& build) {
    if (page.style().verbose) {
        const bool are_told = build.errors && !build.errors->empty();
        page.quote(build_indent, build.diagnostics, are_told ? most_words_beside_errors : unlimited,
                   Page::LongLines::wrapped);
        return;
    }
    const std::string error = first_error(build.diagnostics);
    if (error.size() < build.diagnostics.size()) page.note_cut();
    // The first line says what is wrong; below it source and carets stand in columns, which wrapping would tear apart.
    const std::size_t first_end = std::min(error.find('\n'), error.size());
    page.quote(build_indent, without_place(error.substr(0, first_end), build), 6, Page::LongLines::wrapped);
    page.quote(build_indent, error.substr(std::min(first_end + 1, error.size())), unlimited, Page::LongLines::cut);
}

}  // namespace

void show_build_problem(Page& page, const verdict::Exercise& exercise, const Place& place) {
    const Compilation& build = exercise.build;
    page.paragraph({.indent = 2, .hanging = 2}, {{"✗ ", Tone::bad}, {problem_in_words(build.problem)}});
    if (build.errors && !build.errors->empty()) {
        show_errors(page, build_indent, *build.errors, place);
        if (page.style().verbose) show_diagnostics(page, build);
        return;
    }
    const auto show_where = [&] {
        if (!build.file.empty())
            page.place(build_indent, {place.of(build.file, build.line, build.column), Tone::strong});
    };
    if (page.style().read_by_editor) {  // the place comes first, as with errors
        show_where();
        page.told({.indent = build_indent}, {{build.message}});
    } else {
        page.paragraphs({.indent = build_indent}, build.message);
        show_where();
    }
    show_diagnostics(page, build);
}

}  // namespace headway::report
