"""The class that term_test.py makes up: 40 people, what each hands in and when, and the programs with the points that
they are worth. Nothing here asks Headway."""

import datetime
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import generated_class  # noqa: E402

EXERCISES = {"01": "01_single_head", "02": "02_head_splitting"}
FILES = {"01": "single_head.cpp", "02": "head_splitting.cpp"}
DEADLINE = datetime.datetime(2024, 5, 3, 20, 0, tzinfo=datetime.timezone.utc)
DAY = 24 * 60  # minutes

# First and last name; two of them are the same, and no number and no order is anybody's.
NAMES = """Ada Lovelace|Émile du Châtelet|小明 王|Wei Chen|Wei Chen|محمد الخوارزمي|Софья Ковалевская|Jürgen Groß|सत्येन्द्र बोस
Ελένη Παππά|지훈 김|נועה לוי|さくら 田中|Nguyễn Thị Hoa|Siân O'Brien|Björk Guðmundsdóttir|Łukasz Żak|İpek Yılmaz|Zoë d'Arc
Jean-Luc Petit|María José Ñíguez|Ștefan Ionescu|Āris Bērziņš|Håkon Sæther|Ivana Đurić|Anaïs Noël|Tomáš Řehoř|สมชาย ใจดี
Օլգա Հակոբյան|გიორგი ლომიძე|Grace Hopper|Alan Turing|Emmy Noether|Carl Gauss|Rosalind Franklin|Kurt Gödel|Chien-Shiung Wu
Srinivasa Ramanujan|Maryam Mirzakhani|Terence Tao"""


def people():
    names = NAMES.replace("\n", "|").split("|")
    assert len(names) == 40, len(names)
    return [tuple(name.rsplit(" ", 1)) for name in names]


# ---- programs ------------------------------------------------------------------------------------------------------------

# By exercise and program: its points of 10, by what the hidden tests of the exercise ask; and whose work it began as,
# None where there is too little in it that anybody could have copied. Accepted variants are right, and unlike each other.
WORTH = {
    "01": {"loops": (10, "nested_loops"), "double": (10, "double_inside"), "kahan": (10, "kahan_summation"),
           "sorted": (10, "rows_sorted_before_summing"),
           **{f"ring{n}": (10, "raw_pointers") for n in range(5)},
           "unscaled": (8, "solution"),  # all but "weights are softmax(q·kᵀ / √d)", which gives 2
           "softmax": (2, None),         # softmax_rows alone is written: its two properties
           "stub": (0, None), "broken": (0, None)},
    "02": {"strict": (10, "strict_views"), "torch": (10, "as_torch_views"), "walker": (10, "stride_walker_class"),
           "copying": (9, "solution"),  # all but "contiguous copies a transposed tensor, and does not copy ..."
           "stub": (0, None), "broken": (0, None)},
}


def edited(text, *edits):
    for was, becomes in edits:
        assert text.count(was) == 1, was
        text = text.replace(was, becomes)
    return text


def file_of(folder, exercise):
    return (ROOT / folder / EXERCISES[exercise] / FILES[exercise]).read_text(encoding="utf-8")


def accepted(style, exercise):
    return file_of(f"tests/accepted/{EXERCISES[exercise]}/{style}", exercise)


def copied(text, number):
    """The ring's: other names throughout, and a function more."""
    for name in ("gemm", "Matrix", "flipped", "alpha", "rows", "cols"):
        text = re.sub(rf"\b{name}\b", f"{name}{number}", text)
    return generated_class.variant({"a.cpp": text}, number)["a.cpp"]


def text_of(exercise, program):
    if program == "broken":
        return "this does not compile\n"
    if program == "stub":
        return file_of("stubs", exercise)
    if program.startswith("ring"):
        return copied(accepted("raw_pointers", exercise), int(program[4:]) + 1)
    if program == "unscaled":
        return edited(file_of("solutions", exercise), ("    const auto d = static_cast<float>(q.size(1));\n", ""),
                      (" / std::sqrt(d);", ";"))
    if program == "copying":
        return edited(file_of("solutions", exercise), ("    if (x.is_contiguous()) return view(x, x.shape());\n", ""))
    if program == "softmax":
        return edited(file_of("stubs", exercise), ('    throw NotImplemented{"softmax_rows"};\n', """\
    const Tensor raised = exp(scores - max(scores, -1, KeepAxis::yes));
    return raised / sum(raised, -1, KeepAxis::yes);
"""))
    return accepted(WORTH[exercise][program][1], exercise)


# ---- who hands in what, and when -----------------------------------------------------------------------------------------

NOTHING_TO_READ = "pdf"  # a report without any program

# By person: minutes after the deadline, then 01 and 02; first what is there at the first download, and after it what
# comes until the second. A platform keeps the newest. Grace is 15 minutes where there is any.
PLAN = [
    # the ring: five who have one program of 01, under other names
    [(-3000, "ring0", "strict")],
    [(-2990, "ring1", "torch")],
    [(-60, "ring2", "copying")],
    [(10, "ring3", None)],
    [(16, "ring4", "stub")],
    # alone
    [(-500, "double", "strict")],
    [(-400, "sorted", "walker")],
    # late, by minutes to days
    [(14, "loops", "strict")],
    [(17, "loops", "strict")],
    [(DAY + 14, "loops", "copying")],
    [(DAY + 17, "loops", "strict")],
    [(2 * DAY + 600, "unscaled", "copying")],
    [(3 * DAY + 14, "unscaled", "strict")],
    [(5 * DAY + 14, "loops", "copying")],
    [(5 * DAY + 17, "loops", "strict")],
    [(30 * DAY, "loops", "strict")],
    # second attempts: better or worse, in time or late, of both exercises or of one
    [(-10, "unscaled", "copying"), (DAY + 30, "loops", "strict")],
    [(-10, "unscaled", None), (2 * DAY + 30, "unscaled", "strict")],
    [(-100, "softmax", "stub"), (3 * DAY + 60, "loops", "strict")],
    [(-100, "loops", "strict"), (4 * DAY, "broken", "copying")],
    [(20, "unscaled", "strict"), (DAY + 20, "loops", None)],
    [(DAY + 20, "unscaled", "broken"), (DAY + 40, "loops", "copying")],
    [(2 * DAY + 20, "loops", "copying"), (2 * DAY + 50, "stub", "strict")],
    # what does not compile, what is not begun, what cannot be read, and nothing
    [(-100, "broken", "broken")],
    [(-100, "broken", "strict"), (600, "loops", "broken")],
    [(-50, "stub", "stub")],
    [(-20, NOTHING_TO_READ, None)],
    [(-20, NOTHING_TO_READ, None), (DAY + 100, "loops", "copying")],
    [],
    [],
    # pairs, where the platform or class.toml knows of such: the first of two hands in, or both do
    [(-30, "kahan", "strict")],
    [],
    [(DAY + 60, "loops", "copying")],
    [],
    [(-30, "unscaled", "strict")],
    [(2 * DAY + 60, "loops", None)],
    # after the regrade only; what is removed later; and two more
    [None, (3 * DAY + 30, "loops", "strict")],
    [(-40, "loops", "strict")],
    [(45, None, "copying"), (DAY + 45, "unscaled", None)],
    [(3 * DAY + 100, "unscaled", "strict"), (4 * DAY + 100, "loops", "strict")],
]
PAIRS = [(30, 31), (32, 33), (34, 35)]
assert len(PLAN) == 40


def hand_in(person, download):
    """What a platform has of somebody at that download: (minutes, programs, which of theirs it is, from 1); None: nothing."""
    plan = PLAN[person][:download]
    kept = [number for number, one in enumerate(plan) if one is not None]
    if not kept:
        return None
    minutes, first, second = plan[kept[-1]]
    programs = {exercise: name for exercise, name in (("01", first), ("02", second)) if name is not None}
    return minutes, programs, kept[-1] + 1


def at(minutes):
    return DEADLINE + datetime.timedelta(minutes=minutes)
