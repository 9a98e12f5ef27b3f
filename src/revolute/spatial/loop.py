"""Loops over any scalar type. With graph nodes, a loop is one node, which contains its body: see `revolute.graph.loop`.

States, inputs and records are scalars, or nested lists of them, such as vectors and matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from revolute.spatial.scalar import select

Tree = Any  # a nested structure: a scalar, or a list or tuple of such structures


def repeated(
    step: Callable[..., tuple[Tree, Tree]], state: Tree, each: Sequence[Sequence[Tree]] = (), *,
    times: int | None = None, backward: bool = False,
) -> tuple[Tree, Any]:
    """A fixed number of steps: `state, records[k] = step(state, *(inputs[k] for inputs in each))`.

    Args:
        step: function of the state and the inputs of the step; returns the next state and the record, or () for none.
        state: the initial state.
        each: sequences of inputs; each contains one input per step.
        times: number of steps; None for as many as there are inputs.
        backward: whether to start with the last inputs.

    Returns:
        the last state, and the records: a list with one record per step, in the order of the inputs. If a step records
        a tuple, a tuple of such lists.

    Example:
        >>> from revolute.spatial.loop import repeated
        >>> repeated(lambda x, u: (x + u, x), 1.0, [[2.0, 3.0]])
        (6.0, [1.0, 3.0])
    """
    count = len(each[0]) if times is None else times
    order = range(count)[::-1] if backward else range(count)
    if not count:
        return state, []
    traced = next((x for x in _leaves((state, each)) if hasattr(x, "loop")), None)
    first = state
    records: list[Any] = [None] * count
    for k in order if traced is None else ():
        state, records[k] = step(state, *(inputs[k] for inputs in each))
        traced = next((x for x in _leaves((state, records[k])) if hasattr(x, "loop")), None)
        if traced is not None:  # the step function uses graph nodes
            break
    if traced is None:
        return state, _columns(records)
    form: Tree = ()

    def flat_step(flat_state: Sequence[Any], *rows: Sequence[Any]) -> Any:
        nonlocal form
        inputs = [_like(x[0], row) for x, row in zip(each, rows, strict=True)]
        following, form = step(_like(first, flat_state), *inputs)
        return _leaves(following), [_leaves(x) for x in (form if isinstance(form, tuple) else (form,))]

    arrays = [[_leaves(x) for x in inputs] for inputs in each]
    last, *recorded = traced.loop(flat_step, _leaves(first), arrays, count, backward=backward)
    if not isinstance(form, tuple):
        return _like(first, last), _rows(form, recorded[0], count)
    return _like(first, last), tuple(map(_rows, form, recorded, [count] * len(form)))


def mapped(step: Callable[..., list[Tree]], *each: Sequence[Tree]) -> list[list[Tree]]:
    """The results of a function for each input, or for each pair of inputs and so on: a loop without a state.

    Args:
        step: returns a list with the same structure for all inputs.
        each: sequences of inputs, at least one.

    Example:
        >>> from revolute.spatial.loop import mapped
        >>> mapped(lambda x, y: [x * y], [1.0, 2.0], [3.0, 4.0])
        [[3.0], [8.0]]
    """
    results: list[list[Tree]] = repeated(lambda _, *inputs: ((), step(*inputs)), (), each)[1]
    return results


def converged(
    step: Callable[[Tree, Tree], tuple[Tree, Tree, Any]], x: Tree, memory: Tree = (), *, most: int, first: Any = True
) -> tuple[Tree, Tree]:
    """Repeat `x, memory, again = step(x, memory)` while `again` is true.

    Each row of a batch continues or ends independently. Derivatives are those of the equation x = step(x) that the last
    x satisfies, with memory constant, regardless of earlier steps. So they are accurate only if x has converged.

    Args:
        step: function of x and the memory; returns both, and a comparison: whether to continue.
        x: the initial guess.
        memory: other values passed between steps, such as a damping; it has no derivatives.
        most: maximum number of steps.
        first: a comparison: whether to execute the first step; True for at least one step.

    Returns:
        x and memory.

    Example:
        >>> from revolute.spatial.loop import converged
        >>> step = lambda x, _: ((x + 2 / x) / 2, (), abs(x * x - 2) > 1e-6)
        >>> converged(step, 1.0, most=20)
        (1.414213562373095, ())
    """
    start, going = (x, memory), first
    traced = next((leaf for leaf in (*_leaves(start), first) if hasattr(leaf, "loop")), None)
    for _ in range(most) if traced is None else ():
        if not np.any(going):
            break
        new_x, new_memory, again = step(x, memory)
        traced = next((leaf for leaf in _leaves((new_x, new_memory, again)) if hasattr(leaf, "loop")), None)
        if traced is not None:
            break
        pairs = zip(_leaves((new_x, new_memory)), _leaves((x, memory)), strict=True)
        x, memory = _like(start, [select(going, new, old) for new, old in pairs])
        going = going & again
    if traced is None:
        return x, memory

    waits = [] if first is True else [select(first, 1.0, 0.0)]

    def flat_step(flat_state: Sequence[Any]) -> Any:
        *following, again = step(*_like(start, flat_state))
        return [*_leaves(following), *waits], [[again]]

    (last,) = traced.loop(
        flat_step, [*_leaves(start), *waits], (), most, solution=len(_leaves(start[0])), waits=bool(waits)
    )
    result: tuple[Tree, Tree] = _like(start, last)
    return result


def _leaves(tree: Tree) -> list[Any]:
    """The scalars of a tree, in order."""
    return [x for part in tree for x in _leaves(part)] if isinstance(tree, (list, tuple)) else [tree]


def _like(tree: Tree, leaves: Iterable[Any]) -> Tree:
    """A tree of the same structure with these leaves, or with the next leaves of an iterator."""
    following = iter(leaves)
    return type(tree)([_like(part, following) for part in tree]) if isinstance(tree, (list, tuple)) else next(following)


def _rows(form: Tree, scalars: Sequence[Any], count: int) -> list[Tree]:
    """`count` trees with the structure of `form`, filled with the scalars in order."""
    leaves = iter(scalars)
    return [_like(form, leaves) for _ in range(count)]


def _columns(records: list[Any]) -> Any:
    """The records of all steps; for tuples, a tuple of lists."""
    return tuple(map(list, zip(*records, strict=True))) if isinstance(records[0], tuple) else records
