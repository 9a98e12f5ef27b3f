"""A loop of a graph in C: see `graph.loop`.

The body of the loop is a separate function. The workspace of the loop is a local array of fixed size:

    state, next state, given, inputs of all steps, records of all steps, again
"""

from collections.abc import Callable, Iterator, Sequence

from revolute.graph.loop import Loop, Place, runs
from revolute.graph.node import Node

COPIED = 4  # minimum number of entries that are copied by a loop


def loop_lines(
    node: Node, array: str, body: str, numbers: str, place_of: Callable[[Node], Place | None],
    text_of: Callable[[Node], str],
) -> list[str]:
    """The statements of a loop; `array` and `body` are new names for its local array and for the function of its body.

    `place_of` returns the array that contains an operand and the index in it, or None for a single variable; `text_of`
    returns the expression of an operand.
    """
    loop: Loop = node.value
    at, k = loop.places, f"{array}_k"
    old, new = f"{array}_old", f"{array}_new"
    lines = [f"{numbers} {array}[{at['end']}];"]
    state, given, *each = (node.args[part] for part in loop.operands)
    lines += _gathered(state, f"{array}", at["state"], place_of, text_of)
    operands: dict[str, tuple[str, int]] = {}
    for name, nodes in {"given": given, **{f"each{j}": x for j, x in enumerate(each)}}.items():
        found = list(runs(nodes, place_of))
        if len(found) == 1 and found[0][1] is not None:
            operands[name] = found[0][1]
        else:
            operands[name] = array, at[name]
            lines += _gathered(nodes, array, at[name], place_of, text_of)
    # the body's arguments: arguments of step k follow the arguments of step k - 1
    step = f"({loop.steps - 1} - {k})" if loop.backward else k
    arguments = [old] * (loop.state > 0) + [_pointer(*operands["given"])] * (loop.given > 0)
    for j, size in enumerate(loop.each):
        arguments += [f"{_pointer(*operands[f'each{j}'])} + {step} * {size}"] * (size > 0)
    arguments += [new] * (loop.state > 0)
    for j, size in enumerate(loop.records):
        arguments += [f"{_pointer(array, at[f'record{j}'])} + {step} * {size}"] * (size > 0)
    if loop.solution is not None:
        arguments.append(_pointer(array, at["again"]))
    # a row may wait: then it takes no step
    starts = f" && ({k} || {array}[{loop.state - 1}] > 0)" if loop.waits else ""
    # pointers to the old and new states are swapped, so that no step copies a state
    lines += [
        "{",
        f"    {numbers} *{old} = {array}, *{new} = {_pointer(array, at['next'])};",
        f"    int {k};",
        f"    for ({k} = 0; {k} < {loop.steps}{starts}; {k}++) {{",
        f"        {numbers} *const {array}_swap = {old};",
        f"        {body}({', '.join(arguments)});",
        f"        {old} = {new};",
        f"        {new} = {array}_swap;",
    ]
    if loop.solution is not None:
        # the condition is written so that NaN also ends the loop
        lines.append(f"        if (!({array}[{at['again']}] > 0)) break;")
    lines.append("    }")
    # copy the last state to its destination: after an unknown number of steps, either buffer contains it
    if loop.solution is not None:
        moved = copied(array, 0, old, 0, loop.state)
        lines += [f"    if ({old} != {array}) {{", *(f"        {line}" for line in moved), "    }"]
    return [*lines, "}"]


def copied(target: str, to: int, source: str, start: int, count: int) -> list[str]:
    """Statements that copy `count` numbers between arrays."""
    if count < COPIED:
        return [f"{target}[{to + k}] = {source}[{start + k}];" for k in range(count)]
    index = f"{target}_j"
    return [f"{{ int {index}; for ({index} = 0; {index} < {count}; {index}++) "
            f"{_item(target, to, index)} = {_item(source, start, index)}; }}"]  # fmt: skip


def filled(target: str, to: int, value: str, count: int) -> str:
    """A statement that fills `count` entries of an array with one number."""
    index = f"{target}_j"
    return f"{{ int {index}; for ({index} = 0; {index} < {count}; {index}++) {_item(target, to, index)} = {value}; }}"


def _with_constants(
    nodes: Sequence[Node], found: Iterator[tuple[int, Place | None, int]]
) -> Iterator[tuple[int, Place | None, int]]:
    """The runs, with consecutive equal constants as one run."""
    at, count = 0, 0
    for first, place, length in found:
        constant = place is None and nodes[first].op == "const"
        if count and constant and nodes[first] is nodes[at]:
            count += 1
            continue
        if count:
            yield at, None, count
        at, count = (first, 1) if constant else (0, 0)
        if not constant:
            yield first, place, length
    if count:
        yield at, None, count


def _item(array: str, start: int, index: str) -> str:
    return f"{array}[{start} + {index}]" if start else f"{array}[{index}]"


def _pointer(array: str, place: int) -> str:
    return f"{array} + {place}" if place else array


def _gathered(
    nodes: Sequence[Node], array: str, start: int, place_of: Callable[[Node], Place | None],
    text_of: Callable[[Node], str],
) -> Iterator[str]:
    for at, place, count in _with_constants(nodes, runs(nodes, place_of)):
        if count < COPIED:
            yield from (f"{array}[{start + at + k}] = {text_of(x)};" for k, x in enumerate(nodes[at : at + count]))
        elif place is None:
            yield filled(array, start + at, text_of(nodes[at]), count)
        else:
            yield from copied(array, start + at, *place, count)
