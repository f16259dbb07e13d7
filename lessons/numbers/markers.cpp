#include "markers.hpp"

#include <algorithm>
#include <sstream>

namespace headway::lessons {
namespace {

const std::string begin_of_name = "<!-- computed: ";
const std::string end_of_name = " -->";
const std::string end_marker = "<!-- end -->";

std::size_t line_number(const std::string& page, std::size_t position) {
    return 1 + static_cast<std::size_t>(
                   std::count(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The first line in which the two differ.
std::string difference(const std::string& in_lesson, const std::string& computed) {
    const std::vector<std::string> theirs = lines_of(in_lesson);
    const std::vector<std::string> ours = lines_of(computed);
    std::size_t i = 0;
    while (i < theirs.size() && i < ours.size() && theirs[i] == ours[i]) ++i;
    const auto shown = [i](const std::vector<std::string>& lines) { return i < lines.size() ? lines[i] : "(nothing)"; };
    return "\n    lesson:   " + shown(theirs) + "\n    computed: " + shown(ours);
}

std::string place(const std::string& file, std::size_t line) { return file + ":" + std::to_string(line) + ": "; }

std::string misplaced(const std::string& name, Blocks::Kind kind) {
    return "\"" + name + "\" " +
           (kind == Blocks::Kind::block ? "needs a line of its own" : "must not stand at the start of a line");
}

std::string disagreement(const std::string& name, const std::string& in_lesson, const std::string& computed) {
    return "\"" + name + "\" is not what is computed" + difference(in_lesson, computed);
}

}  // namespace

Rewritten rewrite(const std::string& file, const std::string& page, const Blocks& blocks) {
    Rewritten result;
    std::size_t done = 0;
    for (std::size_t at = page.find(begin_of_name); at != std::string::npos; at = page.find(begin_of_name, done)) {
        const auto complain = [&](std::vector<std::string>& list, const std::string& what) {
            list.push_back(place(file, line_number(page, at)) + what);
        };
        const std::size_t name_at = at + begin_of_name.size();
        const std::size_t name_end = page.find(end_of_name, name_at);
        const std::size_t content_at = name_end == std::string::npos ? page.size() : name_end + end_of_name.size();
        const std::size_t content_end = page.find(end_marker, content_at);
        if (content_end == std::string::npos || page.find(begin_of_name, content_at) < content_end) {
            complain(result.mistakes, "a computed block without " + end_marker);
            break;
        }
        const std::string name = page.substr(name_at, name_end - name_at);
        const std::string content = page.substr(content_at, content_end - content_at);
        result.page += page.substr(done, content_at - done);
        done = content_end;

        const auto found = blocks.all().find(name);
        if (found == blocks.all().end()) {
            complain(result.mistakes, "nothing computes \"" + name + "\"");
            result.page += content;
            continue;
        }
        const auto& [kind, text] = found->second;
        const bool on_own_line = at == 0 || page[at - 1] == '\n';
        const bool is_block = kind == Blocks::Kind::block;
        // A comment at the start of a line makes markdown read the whole line as HTML.
        if (on_own_line != is_block) complain(result.mistakes, misplaced(name, kind));
        result.used.insert(name);
        const std::string computed = is_block ? "\n" + text + "\n" : text;
        if (content != computed) complain(result.disagreements, disagreement(name, content, computed));
        result.page += computed;
    }
    result.page += page.substr(done);
    return result;
}

}  // namespace headway::lessons
