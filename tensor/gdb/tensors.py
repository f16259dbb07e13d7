"""For gdb: a Tensor or a Mask as its shape and numbers, in place of pointers. `source tensor/gdb/tensors.py`; F5 in VS Code
and ./headway debug do that. Views are shown as they are seen, by their strides; of a long axis its first and last three."""

import gdb

SHOWN_WHOLE = 8  # an axis of so many
EDGE = 3


def numbers(vector):
    """Of a std::vector<Index>."""
    first, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [int(first[at]) for at in range(int(end - first))]


class Printer:
    def __init__(self, value):
        self.name = value.type.strip_typedefs().name.rsplit("::", 1)[-1]
        layout = value["layout_"]
        self.shape, self.strides = numbers(layout["shape"]), numbers(layout["strides"])
        self.offset = int(layout["offset"])
        self.data = value["storage_"]["_M_ptr"]

    def element(self, at):
        value = self.data[at]
        return "%d" % int(value) if self.name == "Mask" else "%.6g" % float(value)

    def rows(self, axis, at):
        """The numbers from `axis` on, in brackets; each matrix row on a line of its own."""
        if axis == len(self.shape):
            return self.element(at)
        count = self.shape[axis]
        places = list(range(count)) if count <= SHOWN_WHOLE else [*range(EDGE), None, *range(count - EDGE, count)]
        parts = ["..." if place is None else self.rows(axis + 1, at + place * self.strides[axis]) for place in places]
        last = axis == len(self.shape) - 1
        return "[" + (", " if last else ",\n" + " " * (axis + 1)).join(parts) + "]"

    def to_string(self):
        if int(self.data) == 0:
            return f"{self.name}, undefined"
        shape = "(" + ", ".join(map(str, self.shape)) + (",)" if len(self.shape) == 1 else ")")
        try:
            return f"{self.name} {shape}\n{self.rows(0, self.offset)}"
        except gdb.MemoryError:
            return f"{self.name} {shape}, whose memory cannot be read"


def find(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_REF:
        return find(value.referenced_value())
    if kind.name in ("headway::Tensor", "headway::Mask"):
        try:
            return Printer(value)
        except (gdb.error, gdb.MemoryError):  # not constructed yet
            return None
    return None


gdb.pretty_printers.append(find)
