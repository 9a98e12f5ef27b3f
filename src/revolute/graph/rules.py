"""Rewrite rules: identities as data, applied whenever a node is made.

A rule is written as the identity it uses. Names are arguments: k and m stand for
constants, other letters for anything. Arguments of commutative operations match in either
order. Signs of zeros are not kept (x + 0 -> x turns -0 + 0 into -0), NaN and infinity are,
except under `FINITE`: there a product with an exact zero is no term at all, which is what
makes a robot's structure disappear from its kernels.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from revolute.graph.ops import OPS

if TYPE_CHECKING:
    from revolute.graph.node import Builder, Node

__all__ = ["EXACT", "FINITE", "NO_RULES", "ROUNDING", "RULES", "Rule", "Rules"]

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
-(x - y) -> y - x
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
"""Identities that hold bit for bit, but for the sign of a zero."""

ROUNDING = """
x / k -> x * (1 / k)
k * (m * x) -> (k * m) * x
k * -x -> -k * x
k * x + m * x -> (k + m) * x
k * x - m * x -> (k - m) * x
(x + k) + m -> x + (k + m)
"""
"""Identities of real numbers, off by a rounding or two."""

FINITE = """
x * 0 -> 0
x - x -> 0
0 / x -> 0
"""
"""Identities for finite x (and x != 0 under a division): structural zeros."""

Pattern = Any
"""A pattern: a letter, a float, or (operation, patterns ...)."""

_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


@dataclass(frozen=True)
class Rule:
    """An identity, `text`, with its two sides as patterns."""

    text: str
    left: Pattern
    right: Pattern

    @classmethod
    def parse(cls, text: str) -> Rule:
        """The rule that is written as `left -> right`."""
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
    """The pattern with the arguments of its commutative operations in every order."""
    if not isinstance(pattern, tuple):
        yield pattern
        return
    op, *args = pattern
    for choice in itertools.product(*(list(_orders(arg)) for arg in args)):
        yield (op, *choice)
        if OPS[op].commutative and choice[0] != choice[1]:
            yield (op, choice[1], choice[0])


class Rules:
    """A set of rules, found by the operations at and just below the root."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._ordered = [(left, rule.right) for rule in self.rules for left in _orders(rule.left)]
        self._fitting: dict[tuple[str, ...], list[tuple[Pattern, Pattern]]] = {}

    def apply(self, builder: Builder, op: str, args: tuple[Node, ...]) -> Node | None:
        """What the first fitting rule makes of an operation; None where none fits."""
        key = (op, *[arg.op for arg in args])
        fitting = self._fitting.get(key)
        if fitting is None:
            fitting = self._fitting[key] = [
                (left, right)
                for left, right in self._ordered
                if left[0] == op and all(map(_may_match, left[1:], (arg.op for arg in args)))
            ]
        for left, right in fitting:
            bound: dict[str, Node] = {}
            if all([_match(pattern, arg, bound) for pattern, arg in zip(left[1:], args, strict=True)]):
                return _build(builder, right, bound)
        return None


def _may_match(pattern: Pattern, op: str) -> bool:
    if isinstance(pattern, str):
        return op == "const" if pattern in ("k", "m") else True
    return op == ("const" if isinstance(pattern, float) else pattern[0])


def _match(pattern: Pattern, node: Node, bound: dict[str, Node]) -> bool:
    if isinstance(pattern, str):
        return (pattern not in ("k", "m") or node.op == "const") and bound.setdefault(pattern, node) is node
    if isinstance(pattern, float):
        return node.op == "const" and node.value == pattern
    return node.op == pattern[0] and all(
        [_match(part, arg, bound) for part, arg in zip(pattern[1:], node.args, strict=True)]
    )


def _build(builder: Builder, pattern: Pattern, bound: dict[str, Node]) -> Node:
    if isinstance(pattern, str):
        return bound[pattern]
    if isinstance(pattern, float):
        return builder.const(pattern)
    return builder.make(pattern[0], *[_build(builder, part, bound) for part in pattern[1:]])


def _parse(*blocks: str) -> Iterator[Rule]:
    return (Rule.parse(line) for block in blocks for line in block.strip().splitlines())


NO_RULES = Rules(())
RULES = Rules(_parse(EXACT, FINITE, ROUNDING))

