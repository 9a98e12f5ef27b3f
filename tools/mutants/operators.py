"""Small changes of Python source, as replacements of a few characters: all else stays byte by byte.

Left out is what changes nothing when the program runs, or only text: annotations, types, blocks for type checkers,
assertions, `__all__`, text and messages, the level of the stack that a warning names, and equal lengths that `zip` asks
for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import pairwise

ARITHMETIC = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}  # fmt: skip
COMPARISONS = {
    ast.Lt: ("<", "<=", ">="), ast.LtE: ("<=", "<", ">"), ast.Gt: (">", ">=", "<="), ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
PAIRS = [("min", "max"), ("any", "all"), ("sin", "cos"), ("minimum", "maximum"), ("zeros", "ones"), ("floor", "ceil")]
NAMES = dict(PAIRS) | {b: a for a, b in PAIRS}
SYMMETRIC = {
    "dot", "getattr", "hasattr", "isinstance", "issubclass", "max", "maximum", "min", "minimum", "setattr", "total",
    "zip",
}  # fmt: skip
"""Functions whose first two arguments can be swapped without an effect, or never without an error."""


@dataclass(frozen=True)
class Mutant:
    """Replace the bytes from start to end, on lines `line` to `last`, in a statement that begins on line `first`.

    `at_import` says whether the line is outside functions, so that it runs when the module is imported.
    """

    file: str
    start: int
    end: int
    text: str
    what: str
    line: int
    last: int
    first: int
    at_import: bool = False

    def apply(self, source: bytes) -> bytes:
        """The changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def changes(file: str, source: bytes) -> list[Mutant]:
    """All changes of a module in the order of the source; few of them are not valid Python, or the same program."""
    tree = ast.parse(source)
    visitor = _Changes(file, source, [x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef)])
    visitor.visit(tree)
    return sorted(visitor.found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


class _Changes(ast.NodeVisitor):
    """All mutants of a module. Each method adds those of a kind of node, and `visit` goes on to the nodes below."""

    def __init__(self, file: str, source: bytes, functions: list[ast.FunctionDef]) -> None:
        self.file, self.source, self.first = file, source, 1
        self.inner = {k for x in functions for k in range(x.body[0].lineno, (x.end_lineno or 0) + 1)}
        lines = source.splitlines(keepends=True)
        self.starts = [sum(map(len, lines[:k])) for k in range(len(lines) + 1)]
        self.found: list[Mutant] = []

    def visit(self, node: ast.AST) -> None:
        """All changes at and below a node."""
        outer = self.first
        if isinstance(node, ast.stmt):
            self.first = min([node.lineno, *(x.lineno for x in getattr(node, "decorator_list", ()))])
        below = getattr(self, f"visit_{type(node).__name__}", lambda _: None)(node)
        for child in ast.iter_child_nodes(node) if below is None else below:
            self.visit(child)
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
            at_import = line not in self.inner
            self.found.append(Mutant(self.file, start, end, text, what, line, last, self.first, at_import))

    def replace(self, node: ast.expr | ast.stmt, text: str, what: str) -> None:
        self.add(*self.span(node), text, what)

    def replace_between(self, left: ast.expr, right: ast.expr, what: str, old: str, *changed: str) -> None:
        """Replace an operator, which stands between its operands."""
        at = self.source.find(old.encode(), self.span(left)[1], self.span(right)[0])
        for new in changed if at >= 0 else ():
            self.add(at, at + len(old), new, what)

    # --- left out, in whole or in part -------------------------------------------------------

    def visit_JoinedStr(self, node: ast.AST) -> tuple[ast.AST, ...]:
        return ()

    visit_Assert = visit_Import = visit_ImportFrom = visit_arg = visit_JoinedStr

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.AST]:
        overload = any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list)
        return [] if overload else [*node.decorator_list, node.args, *node.body]  # not node.returns

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.expr]:
        return [node.value] if node.value is not None else []

    # --- operators and values ----------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not _is_text(node.left) and not _is_text(node.right) and type(node.op) in ARITHMETIC:
            self.replace_between(node.left, node.right, "arithmetic", *ARITHMETIC[type(node.op)])

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.expr]:
        if not _is_text(node.value) and type(node.op) in ARITHMETIC:
            signs = [f"{sign}=" for sign in ARITHMETIC[type(node.op)]]
            self.replace_between(node.target, node.value, "arithmetic", *signs)
        self.delete(node)
        return [node.value]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> list[ast.expr]:
        self.replace(node, self.text(node.operand), "sign or not dropped")
        return [node.operand]

    def visit_Compare(self, node: ast.Compare) -> None:
        for operator, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
            self.replace_between(left, right, "comparison", *COMPARISONS[type(operator)])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            self.replace_between(left, right, "and, or", old, new)
        for value in node.values:
            kept = [self.text(other) for other in node.values if other is not value]
            self.replace(node, f" {old} ".join(kept), "condition dropped")

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        changed: list[bool] | list[int] | list[float] = []
        if isinstance(value, bool):
            changed = [not value]
        elif isinstance(value, int):
            changed = [value + 1, value - 1][: 1 + (value > 0)]
        elif isinstance(value, float):
            changed = [2 * value, value / 2] if value else [1.0]
        for new in changed:
            self.replace(node, repr(new), "constant")

    def visit_Name(self, node: ast.Name | ast.Attribute) -> None:
        name, end = node.id if isinstance(node, ast.Name) else node.attr, self.span(node)[1]
        if isinstance(node.ctx, ast.Load) and name in NAMES:
            self.add(end - len(name), end, NAMES[name], "function")

    visit_Attribute = visit_Name

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                self.replace(bound, "", "bound of a slice dropped")

    def visit_Call(self, node: ast.Call) -> list[ast.AST]:
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "TypeVar":
            return []
        if len(node.args) > 1 and name not in SYMMETRIC:
            first, second = node.args[:2]
            if not any(isinstance(x, ast.Starred) or _is_text(x) for x in (first, second)):
                between = self.source[self.span(first)[1] : self.span(second)[0]].decode()
                swapped = f"{self.text(second)}{between}{self.text(first)}"
                self.add(self.span(first)[0], self.span(second)[1], swapped, "arguments swapped")
        keywords = [x for x in node.keywords if x.arg != "stacklevel" and (name, x.arg) != ("zip", "strict")]
        for keyword in keywords:
            if keyword.arg is not None and not _is_text(keyword.value):
                start, end = self.span(keyword)
                self.add(start, end + 2 * (self.source[end : end + 2] == b", "), "", "argument dropped")
        return [node.func, *node.args, *keywords]

    # --- statements --------------------------------------------------------------------------

    def delete(self, node: ast.stmt) -> None:
        self.replace(node, "pass", "statement deleted")

    visit_Raise = visit_Continue = visit_Break = delete

    def visit_Delete(self, node: ast.Delete) -> tuple[ast.AST, ...]:
        self.delete(node)
        return ()

    def visit_Assign(self, node: ast.Assign) -> tuple[ast.AST, ...] | None:
        if ast.unparse(node.targets[0]) == "__all__":
            return ()
        if not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            self.delete(node)
        return None

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom)):
            self.delete(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.replace(node, "return None", "result dropped")

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> tuple[ast.AST, ...] | None:
        if ast.unparse(node.test).endswith("TYPE_CHECKING"):
            return ()
        if not isinstance(node.test, (ast.Compare, ast.UnaryOp, ast.Constant)):
            self.replace(node.test, f"not ({self.text(node.test)})", "condition negated")
        return None

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.replace(test, "True", "condition dropped")
