"""term_test.py CHECKOUT CLI [PLATFORM]: a term with 40 made-up students, as classroom/README.md tells it.

The class of term_class.py hands in on Moodle, on Canvas and on Gradescope: late by minutes to days, in pairs, twice, what
does not compile, and a ring that copied. The commands of classroom/README.md are typed in its order, and each mark of
each student, each column of each export, and who is listed as alike are compared with what term_marks.py computes from
what was made up, which never asks Headway.
"""

import copy
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
from term_class import EXERCISES  # noqa: E402
from term_marks import Fraction, Record, alike, shown  # noqa: E402
from term_platforms import PLATFORMS  # noqa: E402

CHECKOUT, CLI = sys.argv[1:3]
WHY = ["--author", "prof", "--reason", "a talk with them"]


class Tables(html.parser.HTMLParser):
    """All tables of a page, as rows of the texts of their cells."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.cell = [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(" ".join(self.cell.split()))
            self.cell = None

    def handle_data(self, text):
        if self.cell is not None:
            self.cell += text


def same(what, found, expected):
    """Says all that differs, not the first."""
    if found == expected:
        return
    if isinstance(expected, dict):
        keys = [key for key in {**expected, **found} if found.get(key) != expected.get(key)]
        found, expected = {key: found.get(key) for key in keys}, {key: expected.get(key) for key in keys}
    raise AssertionError(f"{what}:\n  found    {found}\n  expected {expected}")


class Term:
    def __init__(self, platform, folder):
        self.platform, self.folder = platform, folder
        self.policy = platform.before
        self.record = Record(platform.ids)
        self.environment = {name: value for name, value in os.environ.items() if name != "HEADWAY_YES"}
        self.environment.update(HEADWAY_ROOT=CHECKOUT, HEADWAY_STATE=f"{folder}/state", LC_ALL="C.UTF-8")
        self.at = folder / "class"
        self.at.mkdir()

    # ---- commands

    def headway(self, *arguments, status=0):
        ended = subprocess.run([CLI, "class", *map(str, arguments)], cwd=self.at, env=self.environment, encoding="utf-8",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert ended.returncode == status, f"class {' '.join(map(str, arguments))}: {ended.returncode}\n{ended.stdout}"
        return " ".join(ended.stdout.split())

    def write(self, name, text):
        (self.at / name).write_text(text, encoding="utf-8")

    def id(self, person):
        return self.platform.ids[person]

    def grade(self, download, *options):
        new = self.platform.export(self.at / f"download{download}", download)
        said = self.headway("grade", f"download{download}", "--unsafe", *options, status=1)  # somebody's cannot be read
        assert f"({self.platform.layout}): {len(new)} new" in said, said
        self.record.attempts += new
        return new

    # ---- what was computed by hand, beside what is exported

    def totals(self):
        return self.record.totals(self.policy)

    def status(self):
        return 0 if all(total.complete for total in self.totals().values()) else 1

    def check(self):
        self.check_csv()
        self.check_pages()
        getattr(self, f"check_{self.platform.name}")()
        self.check_feedback()

    def rows(self, format_, *options, status=None):
        self.headway("export", format_, "marks.csv", *options, status=self.status() if status is None else status)
        return list(csv.reader(io.StringIO((self.at / "marks.csv").read_text(encoding="utf-8"), newline="")))

    def check_csv(self):
        heading, *rows = self.rows("csv")
        expected = {student: self.csv_row(student, total) for student, total in self.totals().items()}
        found = {row[0]: dict(zip(heading, row)) for row in rows}
        same("students", sorted(found), sorted(expected))
        notes = {student: found[student].pop("notes") for student in found}
        for student, row in expected.items():
            same(f"csv of {student}", found[student], row)
            self.check_notes(student, notes[student])

    def csv_row(self, student, total):
        person = self.platform.ids.index(student)
        row = {"student": student, "name": self.platform.names[person], "section": self.platform.sections[person],
               "points": shown(total.points) if total.complete else "", "max_points": shown(total.most),
               "complete": "yes" if total.complete else "no", "adjusted": shown(total.adjusted),
               "free_days": str(total.free_days)}
        for number, one in total.exercises.items():
            name = EXERCISES[number]
            row |= {name: one.standing, f"{name}_points": "" if one.open else shown(one.points),
                    f"{name}_days_late": str(one.days), f"{name}_deducted": shown(one.deducted),
                    f"{name}_adjusted": shown(one.adjusted)}
        return row

    def check_notes(self, student, notes):
        total, attempts = self.totals()[student], self.record.attempts_of(student, self.policy)
        dropped = ", ".join(EXERCISES[number] for number, one in total.exercises.items() if one.dropped)
        for note, is_there in {
            f"not in the total, as the lowest: {dropped or '0'}": bool(dropped),
            "the total is rounded from": total.rounded_from is not None,
            "late, says Canvas": any(one.is_late_there for one in attempts),
            "could not be read: ": not total.complete and any(one.cannot_be_read for one in attempts),
            "in a group, no hand-in of their own": bool(attempts) and all(one.student != student for one in attempts),
            "it is not known when it was handed in": any(one.standing == "untimed" and one.open
                                                         for one in total.exercises.values()),
            "set to ": any(key[0] == student for key in self.record.set),
            "not in the roster": False,
        }.items():
            assert (note in notes) == is_there, f"{student}: '{note}' {'is missing' if is_there else 'stands'} in '{notes}'"

    def check_pages(self):
        self.headway("report")
        page = (self.at / "report/index.html").read_text(encoding="utf-8")
        students = next(table for table in Tables(page).tables if table[0][:2] == ["student", "name"] and "01" in table[0])
        found = {row[0]: row[3:] for row in students[1:]}
        same("the class's page", found, {student: self.page_row(total) for student, total in self.totals().items()})
        page = (self.at / "report/similarity.html").read_text(encoding="utf-8")
        groups = next((table for table in Tables(page).tables if table[0] == ["exercise", "alike", "usual", "who"]), [[]])
        found = {"01": [], "02": []}
        for exercise, _, _, who in groups[1:]:
            found[exercise[:2]].append(sorted(set(re.findall(r"\((\d+)\)", who)) & set(self.platform.ids)))
        same("hand-ins that are alike", {exercise: sorted(lists) for exercise, lists in found.items()},
             alike(self.totals(), self.policy, self.platform.party))

    @staticmethod
    def page_row(total):
        row = [shown(total.points) if total.complete else "-"]
        for one in total.exercises.values():
            points = f"({shown(one.points)})" if one.dropped else shown(one.points)
            row.append(points if one.standing == "graded" or (not one.open and one.points > 0) else one.standing)
        return row

    def check_moodle(self):
        heading, *rows = self.rows("moodle")
        same("Moodle's columns", heading, ["Identifier", "Full name", "Grade", "Last modified (grade)", "Feedback comments"])
        found = {row[0]: row[1:3] for row in rows}
        totals = self.totals()
        same("Moodle", found, {f"Participant {student}": [self.platform.names[self.platform.ids.index(student)],
                                                         shown(total.points) if total.complete else ""]
                               for student, total in totals.items()})
        for row in rows:
            total = totals[row[0].removeprefix("Participant ")]
            begin = f"{shown(total.points)} of {shown(total.most)} points. " if total.complete else "No mark yet. "
            assert row[4].startswith(begin), row
            for number, one in total.exercises.items():
                assert f" {number}: {'-' if one.open else shown(one.points)} / " in row[4], (number, row)
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row[3]), row

    def check_canvas(self):
        people = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        totals = self.totals()
        heading, possible, *rows = self.rows("canvas", "--assignment", "Attention")
        same("Canvas's columns", heading, [*people, "Attention"])
        same("points possible", possible, ["    Points Possible", "", "", "", "", shown(next(iter(totals.values())).most)])
        same("Canvas", {row[1]: row for row in rows},
             {student: [*self.canvas_person(student), shown(total.points) if total.complete else ""]
              for student, total in totals.items()})
        parts = {"by hand": lambda total: (total.rounded_from or total.points) - sum(
            one.points for one in total.exercises.values()),
                 "rounding": lambda total: total.points - (total.rounded_from or total.points)}
        parts = {name: part for name, part in parts.items()
                 if any(total.complete and part(total) for total in totals.values())}
        heading, possible, *rows = self.rows("canvas", "--assignment", "Attention", "--per-exercise")
        same("Canvas's columns", heading,
             [*people, *(f"Attention {name}" for name in EXERCISES.values()), *(f"Attention {name}" for name in parts)])
        same("points possible", possible[5:], [shown(self.policy.points[number]) for number in EXERCISES] + ["0"] * len(parts))
        same("Canvas, per exercise", {row[1]: row[5:] for row in rows}, {
            student: [*("" if one.open else shown(one.points) for one in total.exercises.values()),
                      *(shown(part(total)) if total.complete else "" for part in parts.values())]
            for student, total in totals.items()})

    def canvas_person(self, student):
        person = self.platform.ids.index(student)
        return [self.platform.names[person], student, f"u{person}", f"login{person}", self.platform.sections[person]]

    def check_gradescope(self):
        folder = self.at / "scores"
        self.headway("export", "gradescope", "scores", "--visible", "after_due_date", status=self.status())
        documents = {file.parent.name: json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*/results.json")}
        for document in documents.values():
            assert {test["visibility"] for test in document["tests"]} == {"after_due_date"}, document
        same("Gradescope", {student: document["score"] for student, document in documents.items()},
             {student: float(shown(total.points)) for student, total in self.totals().items() if total.complete})
        if self.policy.best:
            said = self.headway("export", "canvas", "no.csv", "--per-exercise", status=2)
            assert "drop_lowest or best" in said and not (self.at / "no.csv").exists(), said

    def check_feedback(self):
        told = {student: total for student, total in self.totals().items() if total.complete and (
            any(one.standing != "missing" for one in total.exercises.values())
            or any(key[0] == student for key in [*self.record.adjusted, *self.record.set]))}
        self.headway("export", "feedback", "feedback", status=self.status())
        pages = {file.stem: file.read_text(encoding="utf-8") for file in (self.at / "feedback").glob("*.html")}
        same("pages", sorted(pages), sorted(told))
        for student, total in told.items():
            assert f"{shown(total.points)} of {shown(total.most)} points" in pages[student], (student, total)
        if self.platform.name == "gradescope":
            return
        self.headway("export", f"{self.platform.name}-feedback", "feedback.zip", status=self.status())
        number = r"_(\d+)_assignsubmission_" if self.platform.name == "moodle" else r"_(\d+)_\d+_"
        with zipfile.ZipFile(self.at / "feedback.zip") as archive:
            same("pages in the zip", sorted(re.search(number, name)[1] for name in archive.namelist()), sorted(told))

    # ---- the term

    def begin(self):
        self.write("roster.csv", self.platform.roster())
        self.write("class.toml", self.policy.toml())
        new = self.grade(1)
        if self.platform.name == "moodle":
            times = [one.at for one in new]
            for one in new:
                one.at = None
            self.check_csv()  # nobody knows when: open, and no zero
            self.headway("times", "roster.csv", "--zone", "Europe/Berlin")
            for one, time in zip(new, times):
                one.at = time
        if self.platform.name == "canvas":
            self.check_csv()
            forgotten = 8
            self.say_canvas_times(1, new, without=[forgotten])
            self.headway("times", "times.csv", status=1)  # one is open still
            self.check_csv()
            late = next(one for one in new if one.student == self.id(forgotten))
            said = self.headway("attempts", self.id(forgotten))
            attempt = re.search(rf"(\d+) {self.id(forgotten)} not known", said)[1]
            late.at = self.platform.time_of(forgotten)
            self.headway("set-time", self.id(forgotten), attempt, late.at.isoformat(), *WHY)

    def say_canvas_times(self, download, attempts, without=()):
        text, late = self.platform.times_of_what_is_late(download, without)
        self.write("times.csv", text)
        for one in attempts:
            one.at = self.platform.time_of(self.platform.ids.index(one.student), download) if one.student in late else None

    def decide(self):
        def adjust(person, exercise, points, called=None):
            self.headway("adjust", called or self.id(person), *exercise, f"--points={points}", *WHY)
            key = self.id(person), "".join(exercise)
            self.record.adjusted[key] = self.record.adjusted.get(key, 0) + Fraction(points)

        adjust(5, ["01"], "1.5")
        adjust(6, [], "-0.55")
        adjust(26, [], "0")  # what could not be read is decided
        adjust(30, ["02"], "0.25", called=self.platform.names[30])
        adjust(23, [], "-3")  # has 0, and stays there
        self.headway("adjust", self.id(25), "02", "--set", "7", *WHY)
        self.record.set[self.id(25), "02"] = Fraction(7)
        self.headway("remove", self.id(37), *WHY)
        self.record.removed.add(self.id(37))

    def regrade(self):
        before, was = self.policy, self.totals()
        self.write("class.toml", self.platform.after.toml())
        said = self.headway("regrade", status=1)
        self.policy = self.platform.after
        self.check_counts(said, was, self.totals())
        self.policy = before
        self.check_csv()  # marks follow the old class.toml
        self.headway("regrade", "--yes")
        self.policy = self.platform.after
        self.check_csv()
        self.headway("regrade", "--undo", "--yes")
        self.policy = before
        self.check_csv()
        self.headway("regrade", "--yes")
        self.policy = self.platform.after

    @staticmethod
    def check_counts(said, was, now):
        moved = [now[student].points - total.points for student, total in was.items()]
        up, down = (sum(sign * one >= Fraction(1, 200) for one in moved) for sign in (1, -1))
        counts = re.search(r"(\d+) marks? changes?: (\d+) up, (\d+) down", said)
        same("marks that a regrade changes", counts and [int(one) for one in counts.groups()], [up + down, up, down])

    def go_on(self):
        if self.platform.name == "moodle":
            self.write("worksheet.csv", self.platform.roster(2))
            self.grade(2, "--times", "worksheet.csv", "--zone", "Europe/Berlin")
        elif self.platform.name == "canvas":
            self.say_canvas_times(2, [])
            self.say_canvas_times(2, self.grade(2, "--times", "times.csv"))
        else:
            self.grade(2)

    def run(self):
        for step in (self.begin, self.check, self.decide, self.check, self.regrade, self.check, self.go_on, self.check):
            step()


def term(platform):
    with tempfile.TemporaryDirectory(prefix="headway-term-") as folder:
        Term(copy.copy(platform), pathlib.Path(folder)).run()
    print(f"{platform.name}: a term of {len(platform.ids)}, and every mark is what was computed by hand")


if __name__ == "__main__":
    for name in sys.argv[3:] or PLATFORMS:
        term(PLATFORMS[name]())
