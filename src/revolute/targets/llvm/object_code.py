"""Code that reads Python's objects: tuples, bytes, and NumPy's arrays."""

from revolute.targets.llvm import objects as at
from revolute.targets.llvm.writer import IRWriter

ROW, UNFIT = -1, -2  # special numbers of rows: for an array of a single row, and for an array of the wrong shape


class ObjectWriter(IRWriter):
    """A writer of code that reads fields of objects."""

    def field(self, kind: str, item: str, offset: int) -> str:
        """A field of an object, at an offset in bytes from its beginning."""
        return self.get(kind, self.at(item, offset))

    def is_a(self, item: str, kind: str) -> str:
        """Whether an object's type is the one at an address."""
        return self.test("eq", self.field("ptr", item, at.TYPE), kind, "ptr")

    def size(self, item: str) -> str:
        """The number of items of a tuple or of bytes, or of keys of a dict."""
        return self.field("i64", item, at.SIZE)

    def items(self, group: str) -> str:
        """The address of the first item of a tuple."""
        return self.at(group, at.TUPLE_ITEMS)

    def tuple_item(self, group: str, k: int | str) -> str:
        """An item of a tuple."""
        return self.pointer(self.items(group), k)

    def content(self, text: str) -> str:
        """The address of the content of bytes."""
        return self.at(text, at.BYTES_ITEMS)


def plain_text() -> str:
    """The function `plain`: number of rows of an array; `ROW` for a single row; `UNFIT` for other types or shapes."""
    w = ObjectWriter()
    # an array of this type: unpickled arrays have other descriptors with equal kind, character, order and number
    ndarray = w.get("ptr", "@context")
    w.require(w.is_a("%item", ndarray), "unfit")
    own = w.field("ptr", "%item", at.ARRAY_DESCRIPTOR)
    other, checked = w.name("other"), w.name("checked")
    w.branch(w.test("eq", own, "%descriptor", "ptr"), checked, other)
    w.label(other)
    w.require(w.test("eq", *(w.field("i64", x, at.DESCRIPTOR_TYPE) for x in (own, "%descriptor"))), "unfit")
    w.go(checked)
    w.label(checked)
    flags = w.let(f"and i32 {w.field('i32', '%item', at.ARRAY_FLAGS)}, %flags")
    w.require(w.test("eq", flags, "%flags", "i32"), "unfit")
    # an array has the core axes and optionally a batch axis before them
    axes = w.number("%shape", 0)
    all_axes = w.let(f"sext i32 {w.field('i32', '%item', at.ARRAY_NDIM)} to i64")
    leading = w.sub(all_axes, axes)
    w.require(w.test("ule", leading, 1), "unfit")
    dimensions = w.field("ptr", "%item", at.ARRAY_DIMENSIONS)
    core = w.place(dimensions, leading)
    with w.each(axes) as k:
        wanted = w.number(w.at("%shape", 8), k)
        w.require(w.test("eq", w.number(core, k), wanted), "unfit")
    single, batch = w.name("single"), w.name("batch")
    w.branch(w.test("eq", leading, "0"), single, batch)
    w.label(single)
    w.do(f"ret i64 {ROW}")
    w.label(batch)
    w.do(f"ret i64 {w.get('i64', dimensions)}")
    w.label("unfit")
    w.do(f"ret i64 {UNFIT}")
    return w.define("internal i64 @plain(ptr %item, ptr %descriptor, i32 %flags, ptr %shape)")
