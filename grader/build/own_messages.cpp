#include "build/own_messages.hpp"

#include "build/abstract_class.hpp"
#include "build/beginners_errors.hpp"
#include "build/const_declaration.hpp"
#include "build/earlier_error.hpp"
#include "build/own_classes.hpp"
#include "build/plain_words.hpp"
#include "build/source_lines.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace headway::build {
namespace {

using verdict::CompilerMessage;

constexpr std::size_t most_messages = 20;
constexpr std::size_t most_notes = 3;
constexpr int most_lines_before = 5;
/// Of a message, a note or an advice: a line has no more, but any number of lines may go on with it, and a name in the
/// source may be as long as the source.
constexpr std::size_t most_bytes = 2000;
/// More are the overloads of an operator, of which none is meant.
constexpr std::ptrdiff_t most_candidates = 2;
constexpr std::string_view blanks = " \t\r\v\f";

std::string_view without_space_before(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view without_space_after(std::string_view text) {
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// What stands below each character of `line`, if `quote` is that line with its tabs drawn as `tab` columns.
std::optional<std::string> marks_if_same(std::string_view line, const Quote& quote, std::size_t tab) {
    std::string drawn, marks;
    std::size_t column = 0;
    const auto mark = [&] { return column < quote.marks.size() ? quote.marks[column] : ' '; };
    for (std::string_view left = without_space_after(line); !left.empty();) {
        const char32_t character = verdict::take_code_point(left);
        marks += mark();
        const std::size_t width = character == U'\t' ? tab - column % tab : 1;
        column += width;
        if (character == U'\t')
            drawn.append(width, ' ');
        else
            verdict::append_utf8(drawn, character);
    }
    marks += mark();  // a semicolon is missing after the end
    return without_space_after(quote.text) == drawn ? std::optional(std::move(marks)) : std::nullopt;
}

/// What stands below each character of the line. Empty if the compiler does not quote this line: what it quotes is the
/// source's doing.
std::string marks_below(std::string_view line, const Quote& quote) {
    for (const std::size_t tab : {std::size_t{8}, std::size_t{1}})  // as compilers draw them; g++ 10 draws one space
        if (auto marks = marks_if_same(line, quote, tab)) return std::move(*marks);
    return {};
}

/// Those of the whole line, as those of its text in a verdict, which is shorter at both ends.
std::string marks_of_text(std::string marks, std::string_view line, std::string_view text) {
    marks.erase(0, line.size() - without_space_before(line).size());
    std::size_t characters = 0;
    while (!text.empty()) {
        verdict::take_code_point(text);
        ++characters;
    }
    marks.resize(std::min(marks.size(), characters + 1));
    return marks.find('^') == std::string::npos ? "" : std::string(without_space_after(marks));
}

bool is_candidate(const CompilerWords& note) { return without_space_before(note.text).starts_with("candidate"); }

/// g++ parts some sentences: "candidate: f(int)" and "  candidate expects 1 argument, 2 provided".
bool goes_on(const CompilerWords& words) { return words.text.starts_with("  "); }

/// Text that grows by what goes on, up to the bound.
void add_what_goes_on(std::string& text, std::string_view between, std::string_view more) {
    if (text.size() > most_bytes) return;
    (text += between) += more;
    text = verdict::beginning_of(std::move(text), most_bytes);
}

/// About the library's inside, or about all that an operator could have meant.
bool is_noise(std::string_view note) {
    return note.find("_Tp") != std::string::npos ||
           (note.starts_with("candidate") && note.find("operator") != std::string::npos);
}

/// The ^ at a column that the compiler names without a quote; nothing where it may count otherwise than we do.
std::string mark_at(int column, std::string_view line) {
    const auto before = static_cast<std::size_t>(std::max(column, 1) - 1);
    const bool is_plain = column > 0 && before <= line.size() &&
                          std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(before),
                                      [](char c) { return c >= ' ' && c <= '~'; });
    return is_plain ? std::string(before, ' ') + '^' : "";
}

/// Where in the submission something is told.
struct Spot {
    verdict::SourceLine at;
    int column = 0;
    std::string marks;
    enum class Is { the_place, who_asked, who_included } is = Is::the_place;
};

/// Finds own lines, and words for them.
class OwnMessages {
public:
    OwnMessages(const std::vector<SourceFile>& files, const NamesForStudent& names)
        : own_(files), words_(files), classes_(files, words_), names_(names) {}

    std::vector<CompilerMessage> of(Severity severity, std::string_view output);

private:
    std::optional<Spot> spot_at(const Place& place, const std::vector<Quote>& quotes) const;
    std::optional<Spot> spot_of(const CompilerWords& words) const;
    /// Without paths and namespaces of ours.
    std::string words_of(std::string_view text) const;
    std::optional<std::string> note(const CompilerWords& words, const verdict::SourceLine& told) const;
    std::vector<std::string> what_stands_before(const CompilerWords& words, const verdict::SourceLine& told) const;
    std::vector<std::string> notes_of(const CompilerWords& words, const verdict::SourceLine& told) const;

    SourceLines own_;
    WordsOfFiles words_;
    OwnClasses classes_;
    const NamesForStudent& names_;
};

std::optional<Spot> OwnMessages::spot_at(const Place& place, const std::vector<Quote>& quotes) const {
    Spot spot;
    int line = place.line;
    // For a semicolon that is missing g++ names the line after it, and points to where it should be.
    const auto pointed = std::find_if(quotes.begin(), quotes.end(), [](const Quote& one) { return one.has_caret(); });
    if (pointed != quotes.end()) {
        const auto whole = own_.whole(place.file, pointed->line);
        if (whole) spot.marks = marks_below(*whole, *pointed);
        if (!spot.marks.empty()) line = pointed->line;
    }
    auto at = own_.at(place.file, line);
    if (!at) return {};
    const std::string_view whole = *own_.whole(place.file, line);
    if (spot.marks.empty()) spot.marks = mark_at(place.column, whole);
    spot.column = static_cast<int>(spot.marks.find('^') + 1);
    spot.marks = marks_of_text(std::move(spot.marks), whole, at->text);
    spot.at = std::move(*at);
    return spot;
}

std::optional<Spot> OwnMessages::spot_of(const CompilerWords& words) const {
    if (auto spot = spot_at(words.place, words.quotes)) return spot;
    for (const auto& [places, is] : {std::pair(&words.required_from, Spot::Is::who_asked),
                                     std::pair(&words.included_from, Spot::Is::who_included)})
        for (const Place& place : *places)
            if (auto spot = spot_at(place, {})) {
                spot->is = is;
                return spot;
            }
    return {};
}

std::string OwnMessages::words_of(std::string_view text) const {
    return shortened(without(without(std::string(text), names_.workspace), names_.course_root));
}

/// Worth reading if it is about a line of the student's or a declaration of the course's.
std::optional<std::string> OwnMessages::note(const CompilerWords& words, const verdict::SourceLine& told) const {
    const auto own = own_.at(words.place.file, words.place.line);
    const bool is_the_courses = !names_.course_root.empty() && words.place.file.starts_with(names_.course_root);
    if (!own && !is_the_courses) return {};
    std::string text = words_of(without_space_before(words.text));
    const std::string declared = own                    ? own->text
                                 : words.quotes.empty() ? ""
                                                        : words_of(without_space_before(words.quotes.front().text));
    const std::size_t why = text.find("not viable: ");
    if (text.starts_with("candidate ") && why != std::string::npos && !declared.empty())
        return fmt::format("candidate: {} {}", declared, text.substr(why + std::string_view("not viable: ").size()));
    if (text.ends_with("declared here") && !declared.empty()) text += ": " + declared;
    const bool is_there_too = own && own->file == told.file && own->line == told.line;
    if (is_there_too && (text.ends_with(" here") || text.starts_with("to match this"))) return {};
    if (own && !is_there_too && !text.ends_with(declared))
        text += fmt::format(" ({}{}: {})", own->file == told.file ? "line " : own->file + ":", own->line, own->text);
    return text;
}

/// "const Index g = h // group;": code without its semicolon, which stands in the comment.
bool is_half_a_comment(const std::string& text) {
    const std::size_t at = text.find("//");
    if (at == std::string::npos || !text.ends_with(';')) return false;
    const std::string code = text.substr(0, text.find_last_not_of(' ', at == 0 ? 0 : at - 1) + 1);
    return !code.empty() && (std::isalnum(static_cast<unsigned char>(code.back())) != 0 || code.back() == ')');
}

/// What is missing at the end of a line g++ misses before the first word of a later one.
std::vector<std::string> OwnMessages::what_stands_before(const CompilerWords& words,
                                                         const verdict::SourceLine& told) const {
    const bool begins_the_line =
        !words.quotes.empty() && words.quotes.front().has_caret() &&
        words.quotes.front().marks.find_first_not_of(' ') == words.quotes.front().text.find_first_not_of(blanks);
    if (!words.text.starts_with("expected") || words.text.find(" before ") == std::string::npos || !begins_the_line)
        return {};
    for (int line = told.line - 1; line > 0 && line >= told.line - most_lines_before; --line)
        if (const auto before = own_.at(told.file, line); before && !before->text.empty())
            return {fmt::format("before it stands line {}: {}", line, before->text)};
    return {};
}

std::vector<std::string> OwnMessages::notes_of(const CompilerWords& words, const verdict::SourceLine& told) const {
    std::vector<std::string> texts = what_stands_before(words, told);
    const bool too_many = std::count_if(words.notes.begin(), words.notes.end(), [](const CompilerWords& note) {
                              return is_candidate(note) && !goes_on(note);
                          }) > most_candidates;
    bool is_told = false;
    for (const CompilerWords& one : words.notes) {
        if (one.severity != Severity::note || one.tells_who_asked()) continue;
        if (goes_on(one) && &one != &words.notes.front()) {
            if (is_told)
                add_what_goes_on(texts.back(), texts.back().ends_with(':') ? " " : "; ",
                                 words_of(without_space_before(one.text)));
            continue;
        }
        is_told = false;
        if (texts.size() == most_notes || (is_candidate(one) && too_many)) continue;
        auto text = note(one, told);
        if (!text || is_noise(*text) || std::find(texts.begin(), texts.end(), *text) != texts.end()) continue;
        texts.push_back(std::move(*text));
        is_told = true;
    }
    return texts;
}

std::vector<CompilerMessage> OwnMessages::of(Severity severity, std::string_view output) {
    std::vector<CompilerMessage> messages, of_includes;
    const std::vector<CompilerWords> all = compiler_words(output);
    EarlierErrors earlier;
    std::vector<const CompilerWords*> abstract;  // that say of a class that it is
    for (const CompilerWords& words : all) {
        if (messages.size() + of_includes.size() == most_messages) break;
        if (words.severity != severity) continue;
        auto spot = spot_of(words);
        if (!spot) continue;
        std::string text = words_of(words.text);
        for (const CompilerWords& more : words.notes)
            if (more.severity != Severity::note) add_what_goes_on(text, " ", words_of(without_space_before(more.text)));
        CompilerMessage message{.text = std::move(text),
                                .at = std::move(spot->at),
                                .column = spot->column,
                                .marks = std::move(spot->marks),
                                .advice = {},
                                .notes = {}};
        auto& list = spot->is == Spot::Is::who_included ? of_includes : messages;
        const bool is_known = std::any_of(list.begin(), list.end(), [&](const CompilerMessage& other) {
            return other.text == message.text && other.at.file == message.at.file && other.at.line == message.at.line;
        });
        if (is_known) continue;
        mark_what_is_assigned_to(message, words);
        message.advice = advice_on_abstract_class(words, classes_);
        if (!message.advice.empty())
            abstract.push_back(&words);
        else {  // the other says what the notes say
            message.notes = notes_of(words, message.at);
            message.advice = advice_on_const_variable(message, words_);
            const std::string& told = message.notes.empty() ? message.at.text : message.notes.front();
            if (message.text.starts_with("expected") && (is_half_a_comment(told) || is_half_a_comment(message.at.text)))
                message.advice = "Two slashes begin a comment, up to the end of their line: C++ divides by one, a / b.";
            if (message.advice.empty()) message.advice = earlier.advice_on(message, words_);
            if (message.advice.empty()) {
                CompilerMessage whole = message;  // with what it is assigned to, where that is the line above
                whole.at = own_.with_left_side(message.at);
                message.advice = advice_on(whole);
            }
        }
        if (message.advice.empty() && spot->is != Spot::Is::the_place) message.advice = verdict::within_a_library;
        if (spot->is != Spot::Is::who_included) earlier.add(message);
        list.push_back(std::move(message));
    }
    for (CompilerMessage& message : messages)
        for (const CompilerWords* words : abstract)
            if (std::string why = why_it_overrides_nothing(*words, message, classes_); !why.empty())
                message.advice = std::move(why);
            else if (const std::string cause = cause_in_abstract_class(*words, message, classes_); !cause.empty())
                message.advice += (message.advice.empty() ? "" : " ") + cause;
    // A template of the standard library that has the same name may be told first.
    if (messages.size() > 1 && messages.front().advice.starts_with(compare_one_by_one)) {
        const auto other = std::find_if(messages.begin() + 1, messages.end(), [&](const CompilerMessage& message) {
            return message.at.file == messages.front().at.file && message.at.line == messages.front().at.line &&
                   message.advice.starts_with(given_is_const);
        });
        if (other != messages.end()) std::iter_swap(messages.begin(), other);
    }
    // What goes wrong in a header may well come of what is wrong in the student's own lines.
    std::move(of_includes.begin(), of_includes.end(), std::back_inserter(messages));
    for (CompilerMessage& message : messages)
        message.advice = verdict::beginning_of(std::move(message.advice), most_bytes);
    return messages;
}

}  // namespace

std::vector<CompilerMessage> own_messages(Severity severity, std::string_view output,
                                          const std::vector<SourceFile>& files, const NamesForStudent& names) {
    return OwnMessages(files, names).of(severity, output);
}

}  // namespace headway::build
