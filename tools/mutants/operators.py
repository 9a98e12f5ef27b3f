"""Small changes of Python source, as replacements of a few characters: all else stays byte by byte.

Left out is what changes nothing when the program runs, or only text: annotations, types, blocks for type checkers,
assertions, `__all__`, text and messages, the level of the stack that a warning names, and equal lengths that `zip` asks
for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, list[str]]] = {
    ast.Lt: ("<", ["<=", ">="]),
    ast.LtE: ("<=", ["<", ">"]),
    ast.Gt: (">", [">=", "<="]),
    ast.GtE: (">=", [">", "<"]),
    ast.Eq: ("==", ["!="]),
    ast.NotEq: ("!=", ["=="]),
    ast.Is: ("is", ["is not"]),
    ast.IsNot: ("is not", ["is"]),
    ast.In: ("in", ["not in"]),
    ast.NotIn: ("not in", ["in"]),
}
PAIRS = [("min", "max"), ("any", "all"), ("sin", "cos"), ("minimum", "maximum"), ("zeros", "ones"), ("floor", "ceil")]
NAMES = dict(PAIRS) | {b: a for a, b in PAIRS}
SYMMETRIC = {
    "dot", "getattr", "hasattr", "isinstance", "issubclass", "max", "maximum", "min", "minimum", "setattr", "total",
    "zip",
}  # fmt: skip
"""Functions whose first two arguments can be swapped without an effect, or never without an error."""


@dataclass(frozen=True)
class Mutant:
    """Replace the bytes from start to end of a file: lines `line` to `last`, in a statement that begins at `first`."""

    file: str
    start: int
    end: int
    text: str
    what: str
    line: int
    last: int
    first: int

    def apply(self, source: bytes) -> bytes:
        """The changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Changes(ast.NodeVisitor):
    """All mutants of a module, in the order of the source."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts
        self.first = 1
        self.found: list[Mutant] = []

    def visit(self, node: ast.AST) -> None:
        """All changes below a node; remembers on which line its statement begins."""
        outer = self.first
        if isinstance(node, ast.stmt):
            self.first = min([node.lineno, *(x.lineno for x in getattr(node, "decorator_list", ()))])
        super().visit(node)
        self.first = outer

    # --- places ------------------------------------------------------------------------------

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        first, last = self.starts[node.lineno - 1], self.starts[node.end_lineno - 1]
        return first + node.col_offset, last + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def add(self, start: int, end: int, text: str, what: str) -> None:
        if self.source[start:end].decode() != text:
            line, last = (self.source.count(b"\n", 0, place) + 1 for place in (start, max(start, end - 1)))
            self.found.append(Mutant(self.file, start, end, text, what, line, last, self.first))

    def replace(self, node: ast.expr | ast.stmt, text: str, what: str) -> None:
        self.add(*self.span(node), text, what)

    def replace_between(self, left: ast.expr, right: ast.expr, old: str, new: str, what: str) -> None:
        """Replace an operator, which stands between its operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        at = self.source.find(old.encode(), start, end)
        if at >= 0:
            self.add(at, at + len(old), new, what)

    # --- left out ----------------------------------------------------------------------------

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Text; before Python 3.12, places within it are not known."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """For readers and type checkers."""

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """A name that is missing is seen at once."""

    visit_ImportFrom = visit_Import

    def visit_arg(self, node: ast.arg) -> None:
        """An annotation."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list):
            return
        for part in (*node.decorator_list, node.args, *node.body):  # not node.returns
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if ast.unparse(node.targets[0]) != "__all__":
            if not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
                self.replace(node, "pass", "statement deleted")
            self.generic_visit(node)

    # --- operators ---------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> None:
        operator = ARITHMETIC.get(type(node.op))
        if operator and not any(_is_text(side) for side in (node.left, node.right)):
            self.replace_between(node.left, node.right, *operator, "arithmetic")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        operator = ARITHMETIC.get(type(node.op))
        if operator and not _is_text(node.value):
            self.replace_between(node.target, node.value, *(f"{sign}=" for sign in operator), "arithmetic")
        self.replace(node, "pass", "statement deleted")
        self.visit(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.op, ast.UAdd):
            self.replace(node, self.text(node.operand), "sign or not dropped")
        self.visit(node.operand)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            old, changed = COMPARISONS[type(operator)]
            for new in changed:
                self.replace_between(left, right, old, new, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.replace_between(left, right, old, new, "and, or")
        for value in node.values:
            start, end = self.span(node)
            kept = [self.text(other) for other in node.values if other is not value]
            self.add(start, end, f" {old} ".join(kept), "condition dropped")
        self.generic_visit(node)

    # --- values ------------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.replace(node, str(not value), "constant")
        elif isinstance(value, int):
            self.replace(node, str(value + 1), "constant")
            if value > 0:
                self.replace(node, str(value - 1), "constant")
        elif isinstance(value, float):
            for changed in [2 * value, value / 2] if value else [1.0]:
                self.replace(node, repr(changed), "constant")

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in NAMES:
            self.replace(node, NAMES[node.id], "function")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load) and node.attr in NAMES:
            end = self.span(node)[1]
            self.add(end - len(node.attr), end, NAMES[node.attr], "function")
        self.visit(node.value)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                self.replace(bound, "", "bound of a slice dropped")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "TypeVar":
            return
        if len(node.args) > 1 and name not in SYMMETRIC:
            first, second = node.args[:2]
            if not any(isinstance(x, (ast.Starred, ast.JoinedStr)) or _is_text(x) for x in (first, second)):
                between = self.source[self.span(first)[1] : self.span(second)[0]].decode()
                swapped = f"{self.text(second)}{between}{self.text(first)}"
                self.add(self.span(first)[0], self.span(second)[1], swapped, "arguments swapped")
        keywords = [x for x in node.keywords if x.arg != "stacklevel" and (name, x.arg) != ("zip", "strict")]
        for keyword in keywords:
            if keyword.arg is not None and not _is_text(keyword.value):
                start, end = self.span(keyword)
                after = self.source[end : end + 2]
                self.add(start, end + len(after) if after == b", " else end, "", "argument dropped")
        for part in (node.func, *node.args, *keywords):
            self.visit(part)

    # --- statements --------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> None:
        if not ast.unparse(node.test).endswith("TYPE_CHECKING"):
            self.negate(node.test)
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.replace(test, "True", "condition dropped")
        self.generic_visit(node)

    def negate(self, test: ast.expr) -> None:
        if not isinstance(test, (ast.Compare, ast.UnaryOp, ast.Constant)):
            self.replace(test, f"not ({self.text(test)})", "condition negated")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.replace(node, "return None", "result dropped")
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom)):
            self.replace(node, "pass", "statement deleted")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.replace(node, "pass", "statement deleted")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue | ast.Break | ast.Delete) -> None:
        self.replace(node, "pass", "statement deleted")

    visit_Break = visit_Delete = visit_Continue


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def changes(file: str, source: bytes) -> list[Mutant]:
    """All changes of a module in the order of the source; few of them are not valid Python, or the same program."""
    visitor = _Changes(file, source)
    visitor.visit(ast.parse(source))
    return sorted(visitor.found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))
