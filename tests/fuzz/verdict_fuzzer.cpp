// A verdict of any content, as a file or as the judge's words: it is refused in a sentence, or every view of it is safe
// to show. Much of its text was chosen by the submission.
#include "text_in.hpp"

#include "report/classroom_points.hpp"
#include "report/github.hpp"
#include "report/gitlab.hpp"
#include "report/gradescope.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "report/terminal.hpp"
#include "verdict/utf8.hpp"

#include <stdexcept>

namespace {

using namespace headway;

/// Controls drive terminals, and what is no UTF-8 breaks readers of documents.
void check_text(const std::string& text) {
    fuzz::require(verdict::valid_utf8(text) == text);
    std::string_view rest = text;
    while (!rest.empty()) {
        const char32_t c = verdict::take_code_point(rest);
        fuzz::require(c == U'\n' || c == U'\t' || (c >= 0x20 && !(c >= 0x7F && c <= 0x9F)));
    }
}

/// No text became an element; the corpus is full of this one.
void check_markup(const std::string& page) {
    check_text(page);
    fuzz::require(page.find("<fuzz") == std::string::npos);
}

/// One command a line, each an annotation of ours.
void check_annotations(const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = text.find('\n', begin);
        fuzz::require(end != std::string::npos && text.compare(begin, 8, "::error ") == 0);
        begin = end + 1;
    }
}

void show(const verdict::Verdict& verdict) {
    check_text(report::render(verdict, {.width = 80, .verbose = true}));
    check_text(report::render(verdict, {.width = 40, .unicode = false}));
    check_markup(report::html(verdict));
    check_markup(report::junit(verdict));
    check_annotations(report::github_annotations(report::findings(verdict)));
    report::gitlab_code_quality(report::findings(verdict)).dump();
    check_text(report::sarif(verdict).dump(2));
    report::classroom_points(verdict).dump();
    fuzz::require(verdict::valid_utf8(report::github_summary(verdict)) == report::github_summary(verdict));
    try {
        // An exercise that could not be graded has no score.
        report::gradescope(verdict).dump();
    } catch (const std::runtime_error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = nlohmann::json::parse(fuzz::as_text(data, size), nullptr, false);
    if (document.is_discarded()) return 0;
    verdict::Verdict verdict;
    try {
        verdict = verdict::from_json(document);
    } catch (const std::runtime_error&) {
        return 0;
    }
    // What is written is read as the same.
    const auto written = verdict::to_json(verdict);
    fuzz::require(verdict::to_json(verdict::from_json(written)).dump() == written.dump());
    show(verdict);
    return 0;
}
