"""Rewrite rules: identities as data, applied whenever a node is created.

A rule is written as the identity it uses. Names are arguments: k and m match constants; other letters match anything.
Arguments of commutative operations match in either order. Signs of zeros are not preserved (x + 0 -> x changes -0 + 0
to -0). NaN and infinity are preserved, except by `FINITE`: it drops products with an exact zero, so that a robot's
structural zeros disappear from its kernels.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from revolute.graph.ops import OPS
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.graph.node import Node

# identities that hold in all bits, except for the sign of a zero
EXACT = """
x + 0 -> x
x - 0 -> x
0 - x -> -x
x + -y -> x - y
x - -y -> x + y
-x - y -> -(x + y)
x * 1 -> x
x * -1 -> -x
-x * y -> -(x * y)
-(-x) -> x
-x / y -> -(x / y)
x / -y -> -(x / y)
sin(-x) -> -sin(x)
cos(-x) -> cos(x)
tan(-x) -> -tan(x)
tanh(-x) -> -tanh(x)
abs(-x) -> abs(x)
sign(-x) -> -sign(x)
abs(abs(x)) -> abs(x)
min(x, x) -> x
max(x, x) -> x
select(c, x, x) -> x
"""

# identities of real numbers; in floating point, they hold up to one or two rounding errors
ROUNDING = """
x / k -> x * (1 / k)
k * (m * x) -> (k * m) * x
k * -x -> -k * x
k * x + m * x -> (k + m) * x
k * x - m * x -> (k - m) * x
(x + k) + m -> x + (k + m)
"""

# identities for finite x, and x != 0 where x is a divisor; they simplify structural zeros
FINITE = """
x * 0 -> 0
x - x -> 0
0 / x -> 0
"""

Pattern = Any  # a pattern is a letter, a float, or a tuple (operation, patterns ...)
_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


@dataclass(frozen=True)
class Rule:
    """An identity, `text`, with its two sides as patterns."""

    text: str
    left: Pattern
    right: Pattern

    @classmethod
    def parse(cls, text: str) -> Rule:
        """The rule with the text `left -> right`."""
        left, right = (_pattern(ast.parse(side.strip(), mode="eval").body) for side in text.split("->"))
        return cls(text, left, right)


def _pattern(tree: ast.expr) -> Pattern:
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.Constant):
        return float(str(tree.value))
    if isinstance(tree, ast.UnaryOp):
        inner = _pattern(tree.operand)
        return -inner if isinstance(inner, float) else ("neg", inner)
    if isinstance(tree, ast.BinOp):
        return (_OPERATORS[type(tree.op)], _pattern(tree.left), _pattern(tree.right))
    assert isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    return (tree.func.id, *map(_pattern, tree.args))


def _orders(pattern: Pattern) -> Iterator[Pattern]:
    """All variants of the pattern, with the arguments of its commutative operations in every order."""
    if not isinstance(pattern, tuple):
        yield pattern
        return
    op, *args = pattern
    for choice in itertools.product(*(list(_orders(arg)) for arg in args)):
        yield (op, *choice)
        # a rule for a commutative operation is written in one order of arguments; the matcher accepts both orders
        if OPS[op].commutative and choice[0] != choice[1]:
            yield (op, choice[1], choice[0])


# a matcher: (builder, arguments of an operation) -> the node that the first matching rule creates, or None
Matcher = Callable[..., "Node | None"]


class Rules:
    """A set of rules, written as for `Rule.parse`.

    Attributes:
        matchers: {names of the operation and of its arguments' operations: matcher}; None if no rule can match.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        self.matchers = _Matchers(self)

    @cached_property
    def ordered(self) -> list[tuple[Pattern, Pattern]]:
        """All rules, parsed at the first trace, because a kernel from the disk cache does not need them."""
        return [(left, rule.right) for rule in map(Rule.parse, self._texts) for left in _orders(rule.left)]


class _Matchers(dict[tuple[str, ...], "Matcher | None"]):
    """Matchers, each created when it is first looked up."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def __missing__(self, key: tuple[str, ...]) -> Matcher | None:
        op, *args = key
        # few rules can match a given combination of operations; for most combinations there are none, and no test runs
        rules = [
            (left, right)
            for left, right in self._rules.ordered
            if left[0] == op and all(map(_may_match, left[1:], args))
        ]
        self[key] = _matcher(rules)
        return self[key]


def _may_match(pattern: Pattern, op: str) -> bool:
    if isinstance(pattern, str):
        return op == "const" if pattern in ("k", "m") else True
    return op == ("const" if isinstance(pattern, float) else pattern[0])


def _matcher(rules: Sequence[tuple[Pattern, Pattern]]) -> Matcher | None:
    """Rules compiled to a Python function with one `if` per rule, because it is called for every traced operation."""
    if not rules:
        return None
    # a loop over the rules would take most of the time in a trace of a million operations, so a matcher is generated as
    # the source text of a function, such as
    #     def matcher(builder, x0, x1):
    #         if x0.args[0] is x1: return builder.make(...)
    names = [f"x{k}" for k in range(len(rules[0][0]) - 1)]
    lines = [f"def matcher({', '.join(['builder', *names])}):"]
    for left, right in rules:
        bound: dict[str, str] = {}
        parts = zip(left[1:], names, strict=True)
        tests = [test for part, name in parts for test in _tests(part, name, bound, known=True)]
        lines += [f"    if {' and '.join(tests) or 'True'}:", f"        return {_expression(right, bound)}"]
    namespace: dict[str, Any] = {}
    exec("\n".join(lines), {}, namespace)
    matcher: Matcher = namespace["matcher"]
    return matcher


def _tests(pattern: Pattern, node: str, bound: dict[str, str], *, known: bool = False) -> Iterator[str]:
    """Python conditions under which `node`, a Python expression, matches; `bound` collects the pattern's names."""
    # The operation is not tested if it is known to match.
    # a letter matches any node, and at its second occurrence only this node, as equal expressions are one node
    if isinstance(pattern, str):
        if pattern in ("k", "m") and not known:
            yield f'{node}.op == "const"'
        if bound.setdefault(pattern, node) != node:
            yield f"{node} is {bound[pattern]}"
    elif isinstance(pattern, float):
        yield f'{node}.value == {pattern!r}' if known else f'{node}.op == "const" and {node}.value == {pattern!r}'
    else:
        if not known:
            yield f'{node}.op == "{pattern[0]}"'
        for k, part in enumerate(pattern[1:]):
            yield from _tests(part, f"{node}.args[{k}]", bound)


def _expression(pattern: Pattern, bound: dict[str, str]) -> str:
    """A Python expression that creates the node of a pattern."""
    if isinstance(pattern, str):
        return bound[pattern]
    if isinstance(pattern, float):
        return f"builder.const({pattern!r})"
    make = "binary" if len(pattern) == 3 else "make"
    return f'builder.{make}("{pattern[0]}", {", ".join(_expression(part, bound) for part in pattern[1:])})'


def _lines(*blocks: str) -> list[str]:
    return [line for block in blocks for line in block.strip().splitlines()]


NO_RULES = Rules(())
RULES = Rules(_lines(EXACT, FINITE, ROUNDING))
# STRUCTURE simplifies zeros, ones and signs, and leaves other operations unchanged. Signs are free with these rules, so
# a difference that is needed with both signs is computed once
STRUCTURE = Rules(_lines(EXACT, FINITE))

