"""A Python function in machine code that handles calls of all kernels with plain arrays, for a row or a batch.

`call` has CPython's METH_FASTCALL | METH_KEYWORDS signature. It is bound to a tuple: see `call_form`. It takes
C-ordered arrays of the kernel's type, each for one row or with one batch axis, and wrenches in a dict; then `out` and
`threads`. The GIL is released during long batches. All other calls, and batches that should be split over several
threads, go to the fallback, unchanged. No Python code runs until a call is completely checked, so that nothing can
change meanwhile.
"""

from functools import partial

from revolute.targets.llvm.call_form import BOUND, CONTEXT, DICT, FORM, MOST_ARRAYS, MOST_STRIDES, NOT_THERE, OPTION
from revolute.targets.llvm.object_code import ROW, UNFIT, ObjectWriter, plain_text
from revolute.targets.llvm.objects import ARRAY_DATA
from revolute.targets.llvm.writer import USUAL

PLAIN, WRITEABLE = 0x1 | 0x100, 0x400  # NumPy's flags for C-contiguous and aligned arrays, and for writeable arrays
SPAN = 1 << 28  # maximum number of operations of a call (about 30 ms): signals cannot interrupt it


def call_text() -> str:
    """The LLVM IR of a module with `call` and its table `context`."""
    head = [f"@context = global [{len(CONTEXT)} x ptr] zeroinitializer", *sorted(USUAL), ""]
    return "\n".join(head) + plain_text() + _CallBlocks().text()


class _CallBlocks:
    """Writes the blocks of the function `call`."""

    def __init__(self) -> None:
        w = self.w = ObjectWriter()
        self.context = {name: w.pointer("@context", k) for k, name in enumerate(CONTEXT)}
        self.bound = {name: w.tuple_item("%self", k) for k, name in enumerate(BOUND)}
        form = w.content(self.bound["form"])
        self.form = {name: w.number(form, k) for k, name in enumerate(FORM)}
        self.descriptor = w.let(f"inttoptr i64 {self.form['descriptor']} to ptr")
        self.arrays = w.add(self.form["inputs"], self.form["outputs"])
        # tables of the kernel's arrays: objects, new results, begins and ends of memory, and strides for `loop`
        self.objects, self.made, self.data, self.ends = (w.variable("ptr", count=MOST_ARRAYS) for _ in range(4))
        self.steps = w.variable("i64", count=MOST_STRIDES)
        self.out, self.threads = w.variable("ptr", self.context["none"]), w.variable("i64", "-1")
        self.rows, self.shape = w.variable("i64", str(ROW)), w.variable("ptr", w.content(self.bound["shapes"]))
        self.apart = w.variable("i1", "true")

    def text(self) -> str:
        """The LLVM IR of `call`."""
        self.count_arguments()
        self.place_arguments()
        self.read_out_and_threads()
        self.read_inputs()
        self.read_out()
        self.find_row_code()
        # from here on, Python code may remove values from the dict: hold references to the values
        self.for_dict_values("Py_IncRef")
        self.make_results()
        self.evaluate()
        self.return_results()
        self.end()
        return self.w.define("ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)")

    # --- arguments -----------------------------------------------------------------------

    def count_arguments(self) -> None:
        """Require as many arguments as there are slots, the last ones by name; `out` and `threads` may follow."""
        w, names = self.w, self.bound["names"]
        # in a call without keyword arguments, the tuple of names is null
        given = w.variable("i64", "0")
        with w.when(w.test("ne", "%kwnames", "null", "ptr")):
            w.put("i64", w.size("%kwnames"), given)
        self.given, self.expected = w.get("i64", given), w.size(names)
        self.slots = w.div(w.size(self.bound["slots"]), 8)
        w.require(w.test("eq", w.add("%nargs", self.expected), self.slots), "slow")
        w.require(w.test("ule", w.sub(self.given, self.expected), 2), "slow")
        # names are interned: equal names are the same object
        with w.each(self.expected) as k:
            w.require(w.test("eq", w.tuple_item(names, k), w.tuple_item("%kwnames", k), "ptr"), "slow")

    def place_arguments(self) -> None:
        """Assign each argument to an input, or require that it is the expected option."""
        w, bound = self.w, self.bound
        # first set inputs that are not arguments, such as arrays of the machine; then set the input of each argument
        w.copy(self.objects, w.items(bound["template"]), w.mul(self.form["inputs"], 8))
        codes, places, self.keys = w.content(bound["slots"]), w.content(bound["places"]), w.size(bound["keys"])
        position, key, value = w.variable("i64"), w.variable("ptr"), w.variable("ptr")
        with w.each(self.slots) as k:
            argument, code = w.pointer("%args", k), w.number(codes, k)
            with w.when(w.test("sge", code, 0)):
                w.put("ptr", argument, w.place(self.objects, code))
            # options are compared by identity, because comparisons by value could run Python code
            with w.when(w.test("eq", code, str(OPTION))):
                w.require(w.test("eq", argument, w.tuple_item(bound["options"], k), "ptr"), "slow")
            with w.when(w.test("eq", code, str(DICT))):
                w.require(w.is_a(argument, self.context["dict"]), "slow")
                w.require(w.test("eq", w.size(argument), self.keys), "slow")
                # iterate over the dict; a different order of the keys is a different pattern
                w.put("i64", "0", position)
                with w.each(self.keys) as n:
                    entry = [f"ptr {x}" for x in (argument, position, key, value)]
                    found = w.run(self.context["PyDict_Next"], "i32", *entry)
                    w.require(w.test("ne", found, "0", "i32"), "slow")
                    w.require(w.test("eq", w.get("ptr", key), w.tuple_item(bound["keys"], n), "ptr"), "slow")
                    w.put("ptr", w.get("ptr", value), w.place(self.objects, w.number(places, n)))

    def read_out_and_threads(self) -> None:
        """Read `out` and `threads`, which may follow in any order; None means not given."""
        w, overflow = self.w, self.w.variable("i32")
        with w.each(self.given, self.expected) as k:
            name, value = w.tuple_item("%kwnames", k), w.pointer("%args", w.add("%nargs", k))
            is_out = w.test("eq", name, self.context["out"], "ptr")
            is_threads = w.test("eq", name, self.context["threads"], "ptr")
            w.require(w.is_any(is_out, is_threads), "slow")
            with w.when(is_out):
                w.put("ptr", value, self.out)
            # the number of threads is a positive integer of any size
            with w.when(w.is_all(is_threads, w.test("ne", value, self.context["none"], "ptr"))):
                w.require(w.is_a(value, self.context["int"]), "slow")
                convert = self.context["PyLong_AsLongLongAndOverflow"]
                number = w.run(convert, "i64", f"ptr {value}", f"ptr {overflow}")
                w.require(w.test("sgt", number, 0), "slow")
                w.put("i64", number, self.threads)

    # --- arrays --------------------------------------------------------------------------

    def read_inputs(self) -> None:
        """Read memory and strides of all inputs; inputs without a batch axis are the same for all rows."""
        w = self.w
        self.whole_steps = w.content(self.bound["steps"])
        w.copy(self.steps, self.whole_steps, w.mul(self.form["strides"], 8))
        with w.each(self.form["inputs"]) as k:
            rows = self.read(w.pointer(self.objects, k), k, PLAIN)
            single = w.test("eq", rows, str(ROW))
            # a single row is repeated by a stride of zero
            with w.when(single):
                w.put("i64", "0", w.place(self.steps, k))
            # the array must have as many rows as the preceding inputs, and at least one row
            before = w.get("i64", self.rows)
            first, same = w.test("eq", before, str(ROW)), w.test("eq", before, rows)
            w.require(w.is_any(first, same, single), "slow")
            w.require(w.test("ne", rows, 0), "slow")
            w.put("i64", w.either(single, "i64", before, rows), self.rows)

    def read(self, item: str, k: str, flags: int) -> str:
        """Require a plain array in place of array k, and store its memory in the tables; returns its number of rows."""
        w, shape = self.w, self.w.get("ptr", self.shape)
        rows = w.run("@plain", "i64", f"ptr {item}", f"ptr {self.descriptor}", f"i32 {flags}", f"ptr {shape}")
        w.require(w.test("ne", rows, UNFIT), "slow")
        data = w.field("ptr", item, ARRAY_DATA)
        # begin and end of the array's memory, to check whether arrays overlap
        w.put("ptr", data, w.place(self.data, k))
        count = w.either(w.test("eq", rows, str(ROW)), "i64", "1", rows)
        bytes_ = w.mul(count, w.number(self.whole_steps, k))
        w.put("ptr", w.at(data, bytes_), w.place(self.ends, k))
        self.next_shape()
        return rows

    def next_shape(self) -> None:
        """Advance to the shape of the next array."""
        w, shape = self.w, self.w.get("ptr", self.shape)
        w.put("ptr", w.place(shape, w.add(w.number(shape, 0), 1)), self.shape)

    def read_out(self) -> None:
        """Read the arrays given as `out`. If one shares memory with another array, a batch goes to the fallback."""
        w = self.w
        out = w.get("ptr", self.out)
        self.has_out = w.test("ne", out, self.context["none"], "ptr")
        self.several = w.test("ugt", self.form["outputs"], 1)
        with w.when(self.has_out):
            targets = w.variable("ptr", self.out)
            with w.when(self.several):
                w.require(w.is_a(out, self.context["tuple"]), "slow")
                w.require(w.test("eq", w.size(out), self.form["outputs"]), "slow")
                w.put("ptr", w.items(out), targets)
            with w.each(self.arrays, self.form["inputs"]) as k:
                number = w.sub(k, self.form["inputs"])
                rows = self.read(w.pointer(w.get("ptr", targets), number), k, PLAIN | WRITEABLE)
                w.require(w.test("eq", rows, w.get("i64", self.rows)), "slow")
                begin, end = w.pointer(self.data, k), w.pointer(self.ends, k)
                # two arrays are disjoint if one array ends before the other begins
                with w.each(k) as j:
                    before = w.test("ule", w.pointer(self.ends, j), begin, "ptr")
                    after = w.test("ule", end, w.pointer(self.data, j), "ptr")
                    w.put("i1", w.is_all(w.get("i1", self.apart), w.is_any(before, after)), self.apart)
        self.is_row = w.test("eq", w.get("i64", self.rows), str(ROW))
        w.require(w.is_any(w.get("i1", self.apart), self.is_row), "slow")

    def find_row_code(self) -> None:
        """Send to the fallback single rows whose code was not yet requested, and batches for several threads."""
        w, form = self.w, self.form
        # acquire order: a thread that reads the address of code compiled in the background also sees the code
        variable = w.let(f"inttoptr i64 {form['row code']} to ptr")
        self.code = w.let(f"load atomic ptr, ptr {variable} acquire, align 8")
        w.require(w.is_any(w.test("ne", self.code, "null", "ptr"), w.is_not(self.is_row)), "slow")
        self.count = w.either(self.is_row, "i64", "1", w.get("i64", self.rows))
        self.operations = w.mul(self.count, form["operations"])
        self.alone = w.is_any(w.test("ule", self.operations, form["alone"]), self.is_row)
        one = w.test("eq", w.get("i64", self.threads), 1)
        short = w.either(one, "i64", str(SPAN), form["pays"])
        w.require(w.is_any(self.alone, w.test("ult", self.operations, short)), "slow")

    def for_dict_values(self, function: str) -> None:
        """Call one of Python's C functions for each input that came in a dict."""
        w, places = self.w, self.w.content(self.bound["places"])
        with w.each(self.keys) as k:
            w.run(self.context[function], "void", f"ptr {w.pointer(self.objects, w.number(places, k))}")

    # --- results -------------------------------------------------------------------------

    def make_results(self) -> None:
        """Create result arrays unless `out` is given; a result of a single number gets memory only."""
        w, form = self.w, self.form
        numbers, extents = w.variable("double", count=MOST_ARRAYS), w.variable("i64", count=MOST_ARRAYS)
        # null pointers mark arrays that do not exist yet, so that a failure frees only existing arrays
        with w.each(form["outputs"]) as k:
            w.put("ptr", "null", w.place(self.made, k))
        w.put("i64", self.count, extents)
        # if there is a batch axis, it precedes the core axes of new arrays
        leading = w.either(self.is_row, "i64", "0", "1")
        with w.when(w.is_not(self.has_out)), w.each(form["outputs"]) as k:
            shape, place = w.get("ptr", self.shape), w.add(form["inputs"], k)
            axes = w.number(shape, 0)
            all_axes = w.add(axes, leading)
            is_number = w.test("eq", all_axes, "0")
            with w.when(is_number):
                w.put("ptr", w.place(numbers, k), w.place(self.data, place))
            with w.when(w.is_not(is_number)):
                w.copy(w.at(extents, 8), w.at(shape, 8), w.mul(axes, 8))
                size = w.mul(self.count, w.number(self.whole_steps, place))
                large = w.is_all(w.test("uge", size, form["pooled"]), w.is_not(self.is_row))
                dimensions = w.place(extents, w.sub(1, leading))
                w.choose(large, partial(self.make_large, k), partial(self.make, k, dimensions, all_axes))
                array = w.pointer(self.made, k)
                w.require(w.test("ne", array, "null", "ptr"), "failed")
                w.put("ptr", w.field("ptr", array, ARRAY_DATA), w.place(self.data, place))
            self.next_shape()

    def make(self, k: str, dimensions: str, axes: str) -> None:
        """Create an array with memory from NumPy for output k."""
        w = self.w
        count, number = (w.let(f"trunc i64 {x} to i32") for x in (axes, self.form["type"]))
        array = w.run(
            self.context["PyArray_New"], "ptr", f"ptr {self.context['ndarray']}", f"i32 {count}", f"ptr {dimensions}",
            f"i32 {number}", "ptr null", "ptr null", "i32 0", "i32 0", "ptr null",
        )  # fmt: skip
        w.put("ptr", array, w.place(self.made, k))

    def make_large(self, k: str) -> None:
        """Create an array with pooled memory for output k."""
        w, arguments = self.w, self.w.variable("ptr", count=2)
        for n, value in enumerate((k, self.count)):
            number = w.run(self.context["PyLong_FromLongLong"], "ptr", f"i64 {value}")
            w.require(w.test("ne", number, "null", "ptr"), "failed")  # a few bytes leak in this case
            w.put("ptr", number, w.place(arguments, n))
        call = f"ptr {self.bound['maker']}", f"ptr {arguments}", "i64 2", "ptr null"
        w.put("ptr", w.run(self.context["PyObject_Vectorcall"], "ptr", *call), w.place(self.made, k))
        for n in range(2):
            w.run(self.context["Py_DecRef"], "void", f"ptr {w.pointer(arguments, n)}")

    def evaluate(self) -> None:
        """Run row code, if it exists and no arrays overlap; else block code, without the GIL for long batches."""
        w, form = self.w, self.form
        loop = w.let(f"inttoptr i64 {form['loop']} to ptr")
        # `lost` is the last argument of `loop`: see `module.py`
        rows, lost = w.variable("i64", self.count), w.variable("i64", "0")
        arguments = [f"ptr {x}" for x in (self.data, rows, self.steps, lost)]
        there = w.test("ugt", self.code, f"inttoptr (i64 {NOT_THERE} to ptr)", "ptr")
        # code for single rows loads and stores in any order, so arrays must not overlap
        by_row = w.is_all(self.is_row, there, w.get("i1", self.apart))
        done = w.variable("i1", "false")
        with w.when(by_row):
            w.put("i1", w.run(self.code, "i1", f"ptr {self.data}"), done)
        with w.when(w.is_all(w.is_not(w.get("i1", done)), self.alone)):
            w.run(loop, "void", *arguments)
        with w.when(w.is_not(self.alone)):
            # other Python threads may run meanwhile, so the code reads only data that belong to this call
            state = w.run(self.context["PyEval_SaveThread"], "ptr")
            w.run(loop, "void", *arguments)
            w.run(self.context["PyEval_RestoreThread"], "void", f"ptr {state}")
        failed = w.test("ne", w.get("i64", lost), "0")
        with w.when(failed):
            w.run(self.context["PyErr_NoMemory"], "ptr")
        w.require(w.is_not(failed), "failed")

    def return_results(self) -> None:
        """Return `out`, the new result, or a tuple of several; single numbers are NumPy scalars."""
        w, form = self.w, self.form
        result = w.variable("ptr", w.get("ptr", self.out))
        with w.when(self.has_out):
            w.run(self.context["Py_IncRef"], "void", f"ptr {w.get('ptr', self.out)}")
        with w.when(w.is_not(self.has_out)):
            with w.each(form["outputs"]) as k:
                number = w.test("eq", w.pointer(self.made, k), "null", "ptr")
                with w.when(number):
                    memory = w.pointer(self.data, w.add(form["inputs"], k))
                    parts = f"ptr {memory}", f"ptr {self.descriptor}", "ptr null"
                    scalar = w.run(self.context["PyArray_Scalar"], "ptr", *parts)
                    w.put("ptr", scalar, w.place(self.made, k))
                    w.require(w.test("ne", scalar, "null", "ptr"), "failed")
            w.put("ptr", w.get("ptr", self.made), result)
            with w.when(self.several):
                group = w.run(self.context["PyTuple_New"], "ptr", f"i64 {form['outputs']}")
                w.require(w.test("ne", group, "null", "ptr"), "failed")
                w.copy(w.items(group), self.made, w.mul(form["outputs"], 8))  # moves the references
                w.put("ptr", group, result)
        self.for_dict_values("Py_DecRef")
        w.do(f"ret ptr {w.get('ptr', result)}")

    def end(self) -> None:
        """Write the exits for failed calls, and for calls that go to the fallback."""
        w = self.w
        # a Python exception is set: release the new arrays and the values of the dict
        w.label("failed")
        with w.each(self.form["outputs"]) as k:
            array = w.pointer(self.made, k)
            with w.when(w.test("ne", array, "null", "ptr")):
                w.run(self.context["Py_DecRef"], "void", f"ptr {array}")
        self.for_dict_values("Py_DecRef")
        w.do("ret ptr null")
        # nothing has been changed so far: the fallback receives the original arguments
        w.label("slow")
        call = f"ptr {self.bound['fallback']}", "ptr %args", "i64 %nargs", "ptr %kwnames"
        w.do(f"ret ptr {w.run(self.context['PyObject_Vectorcall'], 'ptr', *call)}")
