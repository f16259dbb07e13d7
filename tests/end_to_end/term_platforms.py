"""The exports, lists and times that Moodle, Canvas and Gradescope give of the class of term_class.py, as these really look."""

import csv
import dataclasses
import datetime
import io
import json
import zipfile

from term_class import DEADLINE, EXERCISES, FILES, NOTHING_TO_READ, PAIRS, at, hand_in, people, text_of
from term_marks import DAY, Attempt, Fraction, Policy

BERLIN = datetime.timezone(datetime.timedelta(hours=2))  # in May
PARTNER = {one: pair for pair in PAIRS for one in pair}


def table(rows):
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def files_of(programs):
    """What somebody hands in: name -> text."""
    return {FILES[exercise]: text_of(exercise, program) for exercise, program in programs.items()
            if program != NOTHING_TO_READ}


def attempt_of(student, minutes, programs, **more):
    cannot_be_read = NOTHING_TO_READ in programs.values()
    return Attempt(student, {} if cannot_be_read else programs, at(minutes), cannot_be_read=cannot_be_read, **more)


class Platform:
    """@param ids  of persons, in the order of the plan"""
    pairs = True

    def __init__(self, ids):
        self.ids = ids
        self.names = [f"{first} {last}" for first, last in people()]  # as the roster has them
        self.sections = [""] * len(ids)

    def party(self, student):
        person = self.ids.index(student)
        return min(PARTNER.get(person, (person,))) if self.pairs else person

    def handed_in(self, download):
        """(person, minutes, programs, which of theirs it is) of everybody who has handed in something by then"""
        for person in range(len(self.ids)):
            if (one := hand_in(person, download)) is not None:
                yield person, *one


class Moodle(Platform):
    """A folder each; times are in the grading worksheet alone, which is the roster too. Groups are in class.toml."""
    name, layout = "moodle", "Moodle"

    def __init__(self):
        super().__init__([str(4711 + 3 * person) for person in range(40)])
        late = self.ids[9], self.ids[12]
        groups = tuple((self.ids[a], self.ids[b]) for a, b in PAIRS)
        self.before = Policy(points={"01": 20, "02": 10}, deadlines={"01": DEADLINE, "02": DEADLINE + 2 * DAY},
                             free_days=2, grace=15, last_day=5, extensions={late[0]: {"": 1}, late[1]: {"02": 3}},
                             groups=groups)
        self.after = dataclasses.replace(self.before, points={"01": 10, "02": 10}, percent=Fraction(20), best=1,
                                         round=Fraction(1, 2), extensions={**self.before.extensions, self.ids[11]: {"": 2}})

    def roster(self, download=1):
        rows = [["Identifier", "Full name", "ID number", "Email address", "Status", "Grade", "Maximum grade",
                 "Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments"]]
        times = {person: minutes for person, minutes, _, _ in self.handed_in(download)}
        for person, (student, name) in enumerate(zip(self.ids, self.names)):
            time = f"{at(times[person]).astimezone(BERLIN):%A, %-d %B %Y, %-I:%M %p}" if person in times else "-"
            status = "Submitted for grading - " if person in times else "No submission - "
            rows.append([f"Participant {student}", name, f"m{person:05}", f"m{person}@example.edu", status, "", "100.00",
                         "Yes", time, "-", ""])
        return table(rows)

    def export(self, folder, download):
        """Writes it. @return what is new in it"""
        new = []
        for person, minutes, programs, which in self.handed_in(download):
            entry = f"{self.names[person]}_{self.ids[person]}_assignsubmission_file_"
            (folder / entry).mkdir(parents=True)
            files = files_of(programs) or {"report.pdf": "%PDF-1.4\n"}
            if person % 2 and NOTHING_TO_READ not in programs.values():
                with zipfile.ZipFile(folder / entry / "Abgabe.zip", "w") as archive:
                    for exercise, name in FILES.items():
                        if name in files:
                            archive.writestr(f"exercises/{EXERCISES[exercise]}/{name}", files[name])
            else:
                for name, text in files.items():
                    (folder / entry / name).write_text(text, encoding="utf-8")
            if which == download:
                new.append(attempt_of(self.ids[person], minutes, programs, entry=entry))
        return new


class Canvas(Platform):
    """A file each, of which names say who and LATE_, and nobody when. It knows no pairs."""
    name, layout = "canvas", "Canvas"
    pairs = False

    def __init__(self):
        super().__init__([str(8150 + 7 * person) for person in range(40)])
        self.names = [f"{last}, {first}" for first, last in people()]
        self.sections = [f"Attention {'AB'[person % 2]}" for person in range(40)]
        self.before = Policy(attempts="last", unknown_time="on time", points={"01": 10, "02": 7}, percent=Fraction(25, 2),
                             grace=15, last_day=4)
        self.after = dataclasses.replace(self.before, attempts="best", round=Fraction(1, 4), free_days=1)

    def roster(self, download=1):
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention (90001)", "Final Score"],
                ["    Points Possible", "", "", "", "", "17.00", "(read only)"]]
        rows += [[name, student, f"u{person}", f"login{person}", section, "", ""] for person, (name, student, section)
                 in enumerate(zip(self.names, self.ids, self.sections))]
        return table([*rows, ["Student, Test", "9999", "", "6f1d2e", self.sections[0], "", ""]])

    def export(self, folder, download):
        new = []
        folder.mkdir(parents=True)
        for person, minutes, programs, which in self.handed_in(download):
            short = "".join(letter for letter in self.names[person] if letter.isalnum()).lower()
            late = "LATE_" if minutes > 0 else ""
            files = files_of(programs) or {"report.pdf": "%PDF-1.4\n"}
            again = "-1" if which == 2 and hand_in(person, 1) else ""
            first = None
            for number, (name, text) in enumerate(files.items()):
                stem, ending = name.rsplit(".", 1)
                upload = 90000 + 100 * which + 2 * person + number
                entry = f"{short}_{late}{self.ids[person]}_{upload}_{stem}{again}.{ending}"
                (folder / entry).write_text(text, encoding="utf-8")
                first = min(first or entry, entry)
            if which == download:
                new.append(attempt_of(self.ids[person], minutes, programs, entry=first, is_late_there=minutes > 0))
                new[-1].at = None
        (folder / "studenttest_9999_99999_single_head.cpp").write_text(text_of("01", "loops"), encoding="utf-8")
        return new

    def time_of(self, person, download=1):
        return at(hand_in(person, download)[0])

    def times_of_what_is_late(self, download, without=()):
        """As an instructor writes them down, of what is new. @return the file, and student -> minutes"""
        late = {self.ids[person]: minutes for person, minutes, _, which in self.handed_in(download)
                if which == download and minutes > 0 and person not in without}
        lines = [f"{student};{at(minutes).astimezone(BERLIN).isoformat()}" for student, minutes in late.items()]
        return "\n".join(["student;handed in", *lines]) + "\n", late


class Gradescope(Platform):
    """A folder each, and who and when in a file beside them; a pair is two submitters of one submission."""
    name, layout = "gradescope", "Gradescope"

    def __init__(self):
        super().__init__([f"00{170 + 11 * person}" for person in range(40)])
        self.sections = ["Mon 10", "Tue 14"] * 20
        self.before = Policy(percent=Fraction(25), free_days=1, last_day=3, best=1, round=Fraction(1))
        self.after = dataclasses.replace(self.before, best=0, extra_credit=("02",), round=Fraction(1, 4),
                                         deadlines={"01": DEADLINE, "02": DEADLINE + DAY})

    def roster(self, download=1):
        rows = [["First Name", "Last Name", "SID", "Email", "Section"]]
        rows += [[*name, student, f"g{person}@example.edu", section] for person, (name, student, section)
                 in enumerate(zip(people(), self.ids, self.sections))]
        return table(rows)

    def handed_in(self, download):
        """A pair has one submission: the newest of either."""
        own = {person: one for person, *one in super().handed_in(download)}
        for pair in PAIRS:
            newest = max((one for person, one in own.items() if person in pair), key=lambda one: one[0])
            own[pair[0]] = newest
            own.pop(pair[1], None)
        for person, one in sorted(own.items()):
            yield person, *one

    def export(self, folder, download):
        new, metadata = [], "---\n"
        for person, minutes, programs, which in self.handed_in(download):
            entry = f"submission_{200000 + 1000 * which + person}"
            (folder / entry).mkdir(parents=True)
            for name, text in (files_of(programs) or {"report.pdf": "%PDF-1.4\n"}).items():
                (folder / entry / name).write_text(text, encoding="utf-8")
            metadata += f"{entry}:\n  :submitters:\n"
            for one in PARTNER.get(person, (person,)):
                metadata += (f"  - :name: {json.dumps(self.names[one], ensure_ascii=False)}\n    :sid: '{self.ids[one]}'\n"
                             f"    :email: g{one}@example.edu\n")
                if which == download:
                    new.append(attempt_of(self.ids[one], minutes, programs, entry=entry))
            metadata += (f"  :created_at: {at(minutes):%Y-%m-%d %H:%M:%S}.340428000 Z\n  :score: 0.0\n"
                         "  :status: processed\n  :history: []\n")
        (folder / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
        return new


PLATFORMS = {one.name: one for one in (Moodle, Canvas, Gradescope)}
