#include "classroom/class_page.hpp"

#include "classroom/html.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::classroom {
namespace {

using report::counted;
using Cell = Html::Cell;

/// Two programs beside each other, or one below the other where there is no room. A passage has a letter, and one of
/// six colours for those who see them; grey levels differ too.
constexpr const char* pair_style =
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem}"
    ".pair section{min-width:0}td.n{white-space:nowrap}table.code{width:100%;table-layout:fixed;font:13px/1.45 "
    "ui-monospace,monospace;margin:0 "
    "0 1rem}"
    "table.code caption{text-align:left;font-weight:600;padding:.25rem 0}"
    "table.code th,table.code td{padding:0 .4rem;border-bottom:0}table.code th{font-weight:400;opacity:.75}"
    ".code .line{width:2.6rem;text-align:right;opacity:.75}.code .same{width:2.6rem;text-align:center;font-weight:700}"
    "table.code td:last-child{white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}"
    "details{margin:.75rem 0}summary{cursor:pointer;padding:.35rem 0}.list td{overflow-wrap:anywhere}"
    ".groups td:not(:last-child){overflow-wrap:normal}@media(min-width:40rem){.groups "
    "td:not(:last-child){white-space:nowrap}}"
    "tr.p0{background:hsl(210 85% 90%)}tr.p1{background:hsl(40 90% 86%)}tr.p2{background:hsl(140 50% 86%)}"
    "tr.p3{background:hsl(325 75% 91%)}tr.p4{background:hsl(265 80% 92%)}tr.p5{background:hsl(180 55% 84%)}"
    "@media(prefers-color-scheme:dark){tr.p0{background:hsl(210 60% 24%)}tr.p1{background:hsl(40 70% 18%)}"
    "tr.p2{background:hsl(140 45% 17%)}tr.p3{background:hsl(325 45% 24%)}tr.p4{background:hsl(265 40% 28%)}"
    "tr.p5{background:hsl(180 55% 17%)}}";
constexpr std::size_t colours = 6;

/// A, B, ..., Z, AA, AB, ...
std::string letters(std::size_t passage) {
    const std::string last(1, static_cast<char>('A' + passage % 26));
    return passage < 26 ? last : letters(passage / 26 - 1) + last;
}

std::string percent(double share) { return fmt::format("{:.0f}\u00a0%", 100 * share); }

/// "Ada Lovelace (301)", or the id alone where nobody knows a name.
std::string called(const std::string& student, const Roster& roster) {
    const std::string name = roster.name_of(student);
    return name.empty() || name == student ? student : fmt::format("{} ({})", name, student);
}

std::string name_of(const Origin& origin, const Roster& roster) {
    if (origin.students.empty()) return origin.elsewhere;
    std::vector<std::string> names;
    for (const std::string& student : origin.students) names.push_back(called(student, roster));
    const std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (names.size() == 1) return text;
    return text + (origin.apart().size() == 1 ? " (one group)" : " (the same files)");
}

enum class From { class_, elsewhere };

std::vector<std::string> names_in(const RingFinding& ring, From from, const Roster& roster) {
    std::vector<std::string> names;
    for (const RingMember& member : ring.members)
        if (member.origin.students.empty() == (from == From::elsewhere))
            names.push_back(name_of(member.origin, roster));
    std::ranges::sort(names);
    return names;
}

std::string alike_text(const RingFinding& ring) {
    const double most = std::ranges::max_element(ring.members, {}, &RingMember::share)->share;
    if (percent(most) == percent(ring.least_share())) return percent(most);
    return fmt::format("{:.0f} to {}", 100 * ring.least_share(), percent(most));
}

std::string usual_text(const RingFinding& ring) {
    return ring.independent < 2 ? "not known" : "up to " + percent(ring.usual_share);
}

void explain(Html& page) {
    page.paragraph(
        "Places to look at, and no judgement. Read both programs and ask the students before you think anything of "
        "them: "
        "they may have worked together as you allowed, had the same help, or found the same way.");
    page.heading("What the numbers mean");
    page.paragraph(
        "\"Alike\" is how much of the smaller program is also in the other one, in runs of 8 words and signs, wherever "
        "they stand. Own names, numbers, texts, comments, layout, types, const, and the order of functions do not "
        "count. "
        "What students are given (stub, header, visible test, lesson) counts nothing. What right programs have in "
        "common "
        "that were written apart from each other counts less, the more of them have it; how many in the class have it "
        "makes no difference, so a large group is seen as well as a small one.");
    page.paragraph(fmt::format(
        "\"Usual\" is what 19 of 20 pairs of such independent programs share at most. A pair is listed from {} on, and "
        "only at twice the usual or more ({} where that would be more, or where too few independent programs are "
        "known). "
        "Of 15,043 pairs of independent programs, 2 reached that.",
        percent(CommonKnowledge::lowest_share), percent(CommonKnowledge::highest_share)));
    page.heading("What this cannot see");
    page.paragraph(
        "A program that was rewritten: loops in place of library calls, other steps, another order of computing. One "
        "that "
        "was made from the same idea, or by the same assistant in other words. Short answers, such as one function or "
        "three tests, unless the files are the same: there is too little to tell by. Programs that come from outside "
        "the class, unless --compare names a folder with them. That a hand-in is not listed says nothing for it.");
}

void show_file(report::Xml& page, const std::string& whose, const MarkedFile& file) {
    page.open("table", {{"class", "code"}});
    page.text("caption", {}, whose + ", " + file.name);
    page.open("thead");
    page.open("tr");
    page.text("th", {{"scope", "col"}, {"class", "line"}}, "line");
    page.text("th", {{"scope", "col"}, {"class", "same"}}, "same");
    page.text("th", {{"scope", "col"}}, "code");
    page.close();
    page.close();
    page.open("tbody");
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const MarkedLine& line = file.lines[i];
        page.open("tr", {{"class", line.passage ? fmt::format("p{}", *line.passage % colours) : ""}});
        page.text("td", {{"class", "line"}}, std::to_string(i + 1));
        page.text("td", {{"class", "same"}}, line.passage ? letters(*line.passage) : "");
        page.text("td", {}, line.text);
        page.close();
    }
    page.close();
    page.close();
    if (file.cut_off) page.text("p", {}, "The file goes on; the rest is not shown.");
}

void show_program(report::Xml& page, const std::string& whose, const std::vector<MarkedFile>& files) {
    page.open("section", {{"aria-label", whose}});
    for (const MarkedFile& file : files) show_file(page, whose, file);
    page.close();
}

void show_pair(report::Xml& page, const RingFinding& ring, const ComparedPair& pair, const Roster& roster) {
    const std::string a = name_of(ring.members[pair.a].origin, roster);
    const std::string b = name_of(ring.members[pair.b].origin, roster);
    page.open("details");
    page.text("summary", {},
              fmt::format("{} and {} side by side ({} alike)", a, b, percent(ring.members[pair.a].share)));
    page.open("div", {{"class", "pair"}});
    show_program(page, a, pair.code.a);
    show_program(page, b, pair.code.b);
    page.close();
    page.close();
}

void show_members(Html& page, const RingFinding& ring, const Roster& roster) {
    std::vector<std::vector<Cell>> rows;
    for (const RingMember& member : ring.members)
        rows.push_back({{name_of(member.origin, roster)},
                        {name_of(ring.members[member.closest].origin, roster)},
                        {percent(member.share), "", true}});
    page.table({"who", "most like", "alike"}, rows);
}

void show_ring(Html& page, const RingFinding& ring, const Roster& roster) {
    page.heading(fmt::format("{}: {}", ring.exercise, counted(ring.students(), "student")));
    if (ring.members.size() > 2) show_members(page, ring, roster);
    for (const ComparedPair& pair : ring.shown) show_pair(page.elements(), ring, pair, roster);
    if (ring.members.size() == 1) page.paragraph("They handed in the same files, to the letter.");
    if (ring.members.size() > 1 && ring.shown.empty())
        page.paragraph("No code is shown: larger groups of this exercise come first.");
}

/// Few columns, and names last, which may be broken anywhere: it must fit on a phone.
void show_rings(Html& page, const std::vector<RingFinding>& rings, const Roster& roster) {
    std::vector<std::vector<Cell>> rows;
    for (const RingFinding& ring : rings) {
        const std::vector<std::string> elsewhere = names_in(ring, From::elsewhere, roster);
        Cell who{fmt::format("{}", fmt::join(names_in(ring, From::class_, roster), "; "))};
        if (!elsewhere.empty()) who.more = {fmt::format("as in {}", fmt::join(elsewhere, "; "))};
        Cell exercise{ring.exercise.substr(0, 2)};
        exercise.more = {counted(ring.students(), "student")};
        rows.push_back({exercise, {alike_text(ring)}, {usual_text(ring)}, who});
    }
    page.elements().open("div", {{"class", "groups"}});
    page.table({"exercise", "alike", "usual", "who"}, rows);
    page.elements().close();
    page.paragraph(
        "Side by side, lines with the same letter (and colour) are the same passage; lines without one are their "
        "author's own, or given.");
    for (const RingFinding& ring : rings) show_ring(page, ring, roster);
}

void show_not_compared(Html& page, const std::vector<NotCompared>& programs, const Roster& roster) {
    std::vector<std::vector<Cell>> rows;
    for (const NotCompared& one : programs)
        rows.push_back({{one.exercise.substr(0, 2)}, {name_of(one.origin, roster)}});
    page.heading("Not compared");
    page.paragraph(
        "These programs are many times longer than the exercise needs: too long to be compared. Look at them "
        "yourself.");
    page.table({"exercise", "who"}, rows);
}

}  // namespace

std::string similarity_page(const ClassFindings& findings, const Roster& roster) {
    Html page("Hand-ins that are alike", pair_style);
    page.link("index.html", "Back to the class");
    page.heading("Groups, the largest first");
    if (findings.rings.empty()) page.paragraph("None.");
    if (!findings.rings.empty()) show_rings(page, findings.rings, roster);
    if (!findings.not_compared.empty()) show_not_compared(page, findings.not_compared, roster);
    explain(page);
    return page.take();
}

}  // namespace headway::classroom
