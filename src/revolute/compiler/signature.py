"""Signatures of compiled functions: input arrays, a body that computes with scalars, output arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from revolute.graph import RULES, Graph, Input, Rules, trace
from revolute.records import dataclass

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """A function of one robot, ready to be traced, with names and core shapes of its arrays.

    The body takes a tuple of scalars for every input; it returns a sequence of scalars in C order for every output, or
    only that sequence if there is one output.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[tuple[str, Shape], ...]
    body: Callable[..., Sequence[Any]]

    def graph(self, rules: Rules = RULES) -> Graph:
        """The traced function: see `revolute.graph.trace`."""

        def function(*arrays: Any) -> list[tuple[str, Shape, Sequence[Any]]]:
            results = self.body(*arrays)
            if len(self.outputs) == 1:
                results = [results]
            return [(*output, scalars) for output, scalars in zip(self.outputs, results, strict=True)]

        return trace(self.name, function, self.inputs, rules)


def flat(rows: Iterable[Iterable[Any]]) -> list[Any]:
    """The scalars of a matrix, row by row; for a three-dimensional array, the list of its rows."""
    return [x for row in rows for x in row]
