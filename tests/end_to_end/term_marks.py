"""Marks by hand, as classroom/README.md says that they come about: in fractions, and without asking Headway."""

import dataclasses
import datetime
import fractions
import math

from term_class import DEADLINE, WORTH

Fraction = fractions.Fraction
DAY = datetime.timedelta(days=1)


@dataclasses.dataclass
class Policy:
    """class.toml."""
    attempts: str = "best"
    deadlines: dict = dataclasses.field(default_factory=lambda: {"01": DEADLINE, "02": DEADLINE})
    points: dict = dataclasses.field(default_factory=lambda: {"01": 10, "02": 10})
    extra_credit: tuple = ()
    percent: Fraction = Fraction(10)
    free_days: int = 0
    grace: int = 0
    last_day: int = 365
    best: int = 0  # so many exercises count; 0: all
    round: Fraction = Fraction(0)
    unknown_time: str = "open"
    extensions: dict = dataclasses.field(default_factory=dict)  # student -> exercise, or "" for all -> days
    groups: tuple = ()

    def toml(self):
        lines = [f'attempts = "{self.attempts}"', f'unknown_time = "{self.unknown_time}"']
        if self.best:
            lines.append(f"best = {self.best}")
        if self.round:
            lines.append(f"round = {float(self.round):g}")
        lines += ["[late]", f"percent_a_day = {float(self.percent):g}", f"free_days = {self.free_days}",
                  f"grace_minutes = {self.grace}", f"last_day = {self.last_day}"]
        for exercise in ("01", "02"):
            lines += [f"[exercises.{exercise}]", f"points = {self.points[exercise]}",
                      f"deadline = {self.deadlines[exercise]:%Y-%m-%dT%H:%M:%SZ}"]
            if exercise in self.extra_credit:
                lines.append("extra_credit = true")
        for number in range(3, 15):
            lines += [f"[exercises.{number:02}]", "points = 0"]
        lines.append("[extensions]")
        for student, days in self.extensions.items():
            inner = ", ".join(f"{exercise} = {count}" for exercise, count in days.items() if exercise)
            lines.append(f'"{student}" = ' + (f"{{ {inner} }}" if inner else str(days[""])))
        lines.append("[groups]")
        lines += [f"team{number} = {list(pair)}" for number, pair in enumerate(self.groups)]
        return "\n".join(lines) + "\n"

    def members(self, student):
        return next((pair for pair in self.groups if student in pair), (student,))

    def extended(self, student, exercise):
        days = self.extensions.get(student, {})
        return max(days.get("", 0), days.get(exercise, 0))


@dataclasses.dataclass
class Attempt:
    student: str
    programs: dict  # exercise -> program
    at: datetime.datetime = None  # None: nobody says
    entry: str = ""  # what the platform calls it
    is_late_there: bool = False  # Canvas says so, and not how late
    cannot_be_read: bool = False


@dataclasses.dataclass
class Counted:
    """One exercise of somebody."""
    standing: str = "missing"
    attempt: Attempt = None
    points: Fraction = Fraction(0)
    days: int = 0
    free: int = 0
    deducted: Fraction = Fraction(0)
    adjusted: Fraction = Fraction(0)
    open: bool = False
    dropped: bool = False


@dataclasses.dataclass
class Total:
    exercises: dict
    points: Fraction = Fraction(0)
    most: Fraction = Fraction(0)
    adjusted: Fraction = Fraction(0)
    free_days: int = 0
    complete: bool = True
    rounded_from: Fraction = None


class Record:
    """All that is known of a class: what was handed in, in the order in which it was recorded, and what was decided."""

    def __init__(self, students):
        self.students = list(students)
        self.attempts = []
        self.adjusted = {}  # (student, exercise or "") -> points
        self.set = {}
        self.removed = set()

    def totals(self, policy):
        return {one: self.total(one, policy) for one in self.students if one not in self.removed}

    def total(self, student, policy):
        attempts = self.attempts_of(student, policy)
        left, excused = policy.free_days, {}  # of which attempt how many days cost nothing
        exercises = {}
        for exercise in ("01", "02"):
            is_set = (student, exercise) in self.set
            one = choose(attempts, student, exercise, policy, 0 if is_set else left, {} if is_set else excused)
            if one.attempt is not None and not is_set:
                more = max(0, one.free - excused.get(id(one.attempt), 0))
                excused[id(one.attempt)] = excused.get(id(one.attempt), 0) + more
                left -= more
            self.decide(student, exercise, one)
            exercises[exercise] = one
        total = Total(exercises, free_days=policy.free_days - left)
        add_up(total, policy, self.adjusted.get((student, ""), Fraction(0)))
        return total

    def attempts_of(self, student, policy):
        """Theirs and their group's, as they were handed in; without a time, after what was recorded before."""
        keyed, latest = [], datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
        for number, one in enumerate(self.attempts):
            if one.student in policy.members(student):
                handed_in = one.at or latest
                latest = max(latest, handed_in)
                keyed.append((handed_in, number, one))
        return [one for _, _, one in sorted(keyed, key=lambda key: key[:2])]

    def decide(self, student, exercise, one):
        one.adjusted = self.adjusted.get((student, exercise), Fraction(0))
        is_decided = any((student, which) in self.adjusted for which in (exercise, ""))
        one.open = one.standing == "untimed" or (one.standing == "malformed" and not is_decided)
        one.points = max(Fraction(0), (0 if one.open else one.points) + one.adjusted)
        if (student, exercise) in self.set:
            one.points, one.open = self.set[student, exercise], False


def choose(attempts, student, exercise, policy, left, excused):
    candidates = [worth(one, student, exercise, policy, left, excused.get(id(one), 0)) for one in attempts
                  if exercise in one.programs]
    if not candidates:
        return Counted("malformed" if attempts and attempts[-1].cannot_be_read else "missing")
    if policy.attempts == "last":
        return candidates[-1]
    return max(candidates, key=lambda one: (one.points, -max(0, one.free - excused.get(id(one.attempt), 0)),
                                            one.standing != "untimed"))  # of equals the first


def worth(attempt, student, exercise, policy, left, already):
    """What an attempt counts, with so many free days left, and so many of its days excused already."""
    score, _ = WORTH[exercise][attempt.programs[exercise]]
    earned = Fraction(policy.points[exercise] * score, 10)
    one = Counted("graded", attempt, earned)
    one.days = days_late(attempt, student, exercise, policy)
    if one.days is None:
        one.days = 0
        one.standing = "untimed" if earned > 0 else "graded"
        return one

    def lost(excused):
        if one.days > policy.last_day:
            return earned
        return earned * min(Fraction(100), policy.percent * max(0, one.days - excused)) / 100

    possible = min(one.days, already + left)
    one.free = possible if lost(possible) < lost(already) else already
    one.free = 0 if one.days > policy.last_day else min(one.days, one.free)
    one.deducted = lost(one.free)
    one.points -= one.deducted
    return one


def days_late(attempt, student, exercise, policy):
    if attempt.at is None:
        return 0 if policy.unknown_time == "on time" and not attempt.is_late_there else None
    until = policy.deadlines[exercise] + policy.extended(student, exercise) * DAY
    over = attempt.at - until - datetime.timedelta(minutes=policy.grace)
    return max(0, math.ceil(over / DAY))


def add_up(total, policy, adjusted):
    regular = [name for name in total.exercises if name not in policy.extra_credit]
    drops = len(regular) - policy.best if policy.best else 0
    if not any(total.exercises[name].open for name in regular):
        for name in sorted(reversed(regular), key=lambda name: total.exercises[name].points)[:drops]:
            total.exercises[name].dropped = True
    total.most = Fraction(sum(policy.points[name] for name in regular) - drops * policy.points[regular[0]])
    total.adjusted = adjusted
    total.complete = not any(one.open for one in total.exercises.values())
    total.points = max(Fraction(0), adjusted + sum(one.points for one in total.exercises.values() if not one.dropped))
    if policy.round:
        exact = total.points
        total.points = math.floor(exact / policy.round + Fraction(1, 2)) * policy.round
        total.rounded_from = exact if exact != total.points else None


def shown(points):
    """With two decimals at most, a half rounded away from zero."""
    hundredths = math.floor(abs(Fraction(points)) * 100 + Fraction(1, 2))
    text = f"{hundredths // 100}.{hundredths % 100:02}".rstrip("0").rstrip(".")
    return "-" + text if points < 0 and hundredths else text


def alike(totals, policy, party_of):
    """By exercise, the groups of students whose programs, of those that count, began as one person's."""
    found = {}
    for exercise in ("01", "02"):
        whose = {}
        for student, total in totals.items():
            attempt = total.exercises[exercise].attempt
            family = attempt and WORTH[exercise][attempt.programs[exercise]][1]
            if family:
                whose.setdefault(family, set()).add(student)
        found[exercise] = sorted(sorted(students) for family, students in whose.items()
                                 if family == "solution" or len({party_of(one) for one in students}) > 1)
    return found
