"""Nodes of an expression graph, and the builder that interns them.

Equal expressions are the same node, so common subexpressions are found by construction. A node's arguments are older
than the node, so sorting by index gives a topological order, and no traversal needs recursion.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, cast

from revolute.errors import GraphError
from revolute.graph.ops import COMMUTATIVE, COMPARISONS, OPS
from revolute.graph.rules import RULES, Rules


def _unary(op: str) -> Callable[[Node], Node]:
    """A method of `Node` for an operation with one argument, the node."""
    return lambda self: self.builder.make(op, self)


def _binary(op: str) -> Callable[[Node, Any], Node]:
    """A method of `Node` for an operation on the node and another operand."""
    return lambda self, other: self.builder.binary(op, self, other)


def _reflected(op: str) -> Callable[[Node, Any], Node]:
    """A reflected method of `Node`: an operation on another operand and the node."""
    return lambda self, other: self.builder.binary(op, other, self)


class Node:
    """A scalar expression: an operation on older nodes, a constant, an input, or an entry of the results of a loop.

    Nodes are immutable and overload arithmetic: calling a recursion over scalars with nodes records it in their
    builder.
    """

    __slots__ = ("args", "builder", "index", "op", "value")
    __array_ufunc__ = None  # NumPy scalars then leave mixed arithmetic to this class

    builder: Builder
    op: str  # name of an operation, "const", "input", "loop" or "entry": see `revolute.graph.loop`
    args: tuple[Node, ...]  # argument nodes
    value: Any  # number of a constant, (name, flat index) of an input, a `Loop`, or index of an entry in its results
    index: int  # index in the builder's order of creation

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("graph nodes are immutable")

    # Python calls the reflected methods if the left operand is a number
    __add__, __radd__ = _binary("add"), _reflected("add")
    __sub__, __rsub__ = _binary("sub"), _reflected("sub")
    __mul__, __rmul__ = _binary("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _binary("div"), _reflected("div")
    __lt__, __gt__ = _binary("lt"), _reflected("lt")
    __le__, __ge__ = _binary("le"), _reflected("le")
    minimum, maximum = _binary("min"), _binary("max")
    atan2 = _binary("atan2")  # the angle of the point with coordinates (argument, self)

    __neg__, __abs__, sign = _unary("neg"), _unary("abs"), _unary("sign")
    sqrt, exp, log, tanh = _unary("sqrt"), _unary("exp"), _unary("log"), _unary("tanh")
    sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")

    def __pos__(self) -> Node:
        return self

    def __bool__(self) -> bool:
        raise GraphError(
            "a traced value has no truth value: a recursion may not branch on numbers that are unknown while tracing; "
            "use node.select(a, b)"
        )

    def __float__(self) -> float:
        if self.op == "const":
            return float(self.value)
        raise GraphError(f"a traced value is not a number yet: {self!r}")

    def select(self, yes: Node | float, no: Node | float) -> Node:
        """`yes` where this comparison holds, otherwise `no`."""
        return self.builder.make("select", self, yes, no)

    def loop(self, step: Any, state: Any, each: Any, steps: int, **options: Any) -> list[list[Node]]:
        """The results of a loop in this node's builder: see `revolute.graph.loop.new_loop`."""
        from revolute.graph.loop import new_loop

        return new_loop(self.builder, step, state, each, steps, **options)

    def __repr__(self) -> str:
        if self.op == "const":
            return f"Node({self.value!r})"
        if self.op == "input":
            return f"Node({self.value[0]}[{self.value[1]}])"
        return f"Node(#{self.index} = {self.op} {' '.join(f'#{a.index}' for a in self.args)})"


class NewNode(Node):
    """A mutable node, which becomes a `Node` once its attributes are set.

    This takes less than half of the time of setting the attributes of a `Node` by `object.__setattr__`.
    """

    __slots__ = ()
    __setattr__ = object.__setattr__  # type: ignore[assignment]

    def __init__(self, builder: Builder, op: str, args: tuple[Node, ...], value: Any, index: int) -> None:
        self.builder, self.op, self.args, self.value, self.index = builder, op, args, value, index
        self.__class__ = Node  # type: ignore[assignment]


class Builder:
    """Creates the nodes of one trace: interns, folds constants, and applies rewrite rules.

    Example:
        >>> from revolute.graph import Builder
        >>> x, y = Builder().input("x", 2)
        >>> x * y + 0 is y * x
        True
    """

    def __init__(self, rules: Rules = RULES) -> None:
        self.rules, self._matchers = rules, rules.matchers
        self.nodes: list[Node] = []
        self._known: dict[Any, Node] = {}
        self._numbers: dict[float | str, Node] = {}
        self._integers: dict[int, Node] = {}  # most of these numbers are zeros in matrices

    def input(self, name: str, size: int) -> tuple[Node, ...]:
        """The `size` scalars of an input array, in C order."""
        return tuple(self._intern(("input", name, k), "input", (), (name, k)) for k in range(size))

    def const(self, value: float) -> Node:
        """A constant, identified by its bits: -0.0 and 0.0 are two constants, NaNs with equal bits are one."""
        if type(value) is int and value in self._integers:
            return self._integers[value]
        # 0.0 == -0.0 and NaN != NaN, so values cannot be keys: zeros are looked up by their text, NaNs by their bits
        number = float(value)
        equal = number or str(number)  # 0.0 and -0.0 compare equal, but are different constants
        if (node := self._numbers.get(equal)) is None:
            node = self._intern(("const", struct.pack("<d", number)), "const", (), number)
            if number == number:
                self._numbers[equal] = node
        if type(value) is int:
            self._integers[value] = node
        return node

    def make(self, op: str, *operands: Any) -> Node:
        """The simplest known node for an operation on nodes and numbers; NotImplemented for `over_scalars` operands.

        Most operations of a trace have been requested before, so their nodes are looked up.
        """
        # nearly all operations have two arguments, so these have a fast path
        if len(operands) == 2:
            return self.binary(op, *operands)
        args = tuple([x if type(x) is Node else self._number(x) for x in operands])
        if NotImplemented in args:
            return cast(Node, NotImplemented)
        # the builder caches the request with its node, so that rules are not tried twice
        asked = (op, *args)
        if (node := self._known.get(asked)) is None:
            node = self._known[asked] = self._simplest(op, args)
        return node

    def binary(self, op: str, a: Node | float, b: Node | float) -> Node:
        """`make` for an operation with two arguments, the usual case."""
        if type(a) is not Node:
            a = self._number(a)
        if type(b) is not Node:
            b = self._number(b)
        # Python then calls the reflected method of the other operand
        if a is NotImplemented or b is NotImplemented:
            return cast(Node, NotImplemented)
        x, y = a.op, b.op
        # arguments of commutative operations are sorted, constants last: a + b and b + a are one node
        if op in COMMUTATIVE and (x == "const" if (x == "const") is not (y == "const") else a.index > b.index):
            a, b, x, y = b, a, y, x
        asked = (op, a, b)
        if (node := self._known.get(asked)) is None:
            if x == "const" == y or a.builder is not self or b.builder is not self:
                node = self._simplest(op, (a, b))
            else:
                # the operations of the arguments determine which rules can match: usually none
                matcher = self._matchers[op, x, y]
                if matcher is None or (node := matcher(self, a, b)) is None:
                    node = self.new(op, (a, b))
            self._known[asked] = node
        return node

    def loop(self, loop: Any, operands: Sequence[Node]) -> Node:
        """The node of a `Loop` with these operands."""
        return self._intern(("loop", loop.text, *operands), "loop", tuple(operands), loop)

    def entry(self, loop: Node, k: int) -> Node:
        """Result k of a loop node."""
        return self._intern(("entry", loop, k), "entry", (loop,), k)

    def like(self, node: Node, args: Sequence[Node]) -> Node:
        """The operation of a node, possibly from another builder, with other arguments."""
        if node.op == "loop":
            return self.loop(node.value, args)
        return self.entry(args[0], node.value) if node.op == "entry" else self.make(node.op, *args)

    def as_it_is(self, op: str, args: tuple[Node, ...]) -> Node:
        """The node of an operation without applying rules, for graphs that are already simplified."""
        return self._intern((op, *args), op, args, None)

    def forget(self) -> None:
        """Release all nodes. They and the builder reference each other, so only garbage collection would free them."""
        self.nodes.clear()
        self._known.clear()
        self._numbers.clear()
        self._integers.clear()

    def _simplest(self, op: str, args: tuple[Node, ...]) -> Node:
        """The node for an operation that was not requested before."""
        for arg in args:
            if arg.builder is not self:
                raise GraphError(f"{op}: {arg!r} belongs to another trace")
        key = (op, *[arg.op for arg in args])
        constant = key.count("const") == len(args)
        # constants are folded to the bits that the processor would compute; a truth value is not a constant
        if constant and op not in COMPARISONS:
            return self.const(_fold(op, [arg.value for arg in args]))
        matcher = self._matchers[key]
        simpler = None if matcher is None else matcher(self, *args)
        return self.new(op, args) if simpler is None else simpler

    def _number(self, x: Any) -> Node:
        """The constant of a number; NotImplemented for `over_scalars` operands."""
        # the table contains most numbers already; zeros are not looked up by value
        if type(x) is float and x and (node := self._numbers.get(x)) is not None:
            return node
        try:
            return self.const(x if type(x) is int else x.__float__())
        except (AttributeError, TypeError, ValueError):
            if getattr(x, "over_scalars", False):  # for a dual number, Python next calls the reflected method
                return cast(Node, NotImplemented)
            raise GraphError(f"a traced value cannot be combined with {type(x).__name__} {x!r}") from None

    def _intern(self, key: Any, op: str, args: tuple[Node, ...], value: Any) -> Node:
        if (node := self._known.get(key)) is None:
            node = self._known[key] = self.new(op, args, value)
        return node

    def new(self, op: str, args: tuple[Node, ...], value: Any = None) -> Node:
        """A node that is not interned: the builder must not contain an equal one, and will not find this one."""
        node = NewNode(self, op, args, value, len(self.nodes))
        self.nodes.append(node)
        return node


def _fold(op: str, values: list[float]) -> float:
    """The IEEE result of an operation on numbers, even where Python raises an error."""
    try:
        return float(OPS[op].fold(*values))
    except ZeroDivisionError:  # a division by zero gives infinity with a sign, or NaN
        x, y = values
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)
    except ValueError:  # NaN for the sqrt or log of a negative number, and for the sine of infinity
        return -math.inf if op == "log" and values[0] == 0 else math.nan
    except OverflowError:
        return math.inf
