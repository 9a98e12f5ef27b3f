"""Tables of docs/functions.md, from the declarations of machines."""

import inspect
import re
from collections.abc import Iterator

import revolute
from revolute.machine.function import Function
from revolute.machine.lagrangian import ConstrainedSystem, System
from revolute.machine.machine import Machine
from revolute.machine.operational import OperationalSpace
from tools.pages import Files, completed
from tools.pages.reference import declared, listed, place

KINDS: dict[type[Machine], str] = {
    revolute.Robot: "",
    revolute.DrivenRobot: "With drives",
    revolute.ConstrainedRobot: "With closed loops",
    OperationalSpace: "In operational space",
    revolute.ElasticRobot: "With elastic joints",
    System: "Lagrangian systems",
    ConstrainedSystem: "Lagrangian systems under constraints, besides",
}
"""Headings."""

HEAD = ("| method | what | result | source |", "| --- | --- | --- | --- |")
CHECKS = ("check", "regularity")
"""Outputs of kernels that methods turn into errors."""

SOURCE = re.compile(r"(LP|BP|JIN|GOA|SHV|RBDA|Featherstone|Khatib|Spong|Orin|Gautier|De Luca)\b.*")


def pages() -> Files:
    """The page with its tables."""
    return {"functions.md": completed("functions.md", tables())}


def tables() -> Iterator[str]:
    """Lines of all tables: one for each class that declares functions, and one of functions as of a robot."""
    for kind, heading in KINDS.items():
        shared: list[str] = []
        for group in kind.__mro__:
            if group in KINDS and group is not kind:  # it has a table of its own
                continue
            functions = [f for f in kind.functions().values() if _is_of(group, f) and not f.internal]
            if functions and kind is not revolute.Robot and group in revolute.Robot.__mro__:
                names = ", ".join(f"[`{f.name}`]({place(kind, f.name)})" for f in functions)
                shared.append(f"| {_title('', kind, group)} | {names} |")
            elif functions:
                yield from (f"## {_title(heading, kind, group)}", "", *HEAD)
                yield from (row(kind, group, function) for function in functions)
                yield ""
        if shared:
            yield from (f"## {heading}: as of a robot", "", "| what | methods |", "| --- | --- |", *shared, "")


def _is_of(group: type, function: Function) -> bool:
    """Whether a class declares a function."""
    return getattr(declared(group).get(function.name), "function", None) is function


def row(kind: type, group: type, function: Function) -> str:
    """A line of a table."""
    method = declared(group)[function.name]
    _, *parameters = inspect.signature(inspect.unwrap(method)).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty]
    call = f"{function.name}({', '.join(needed)})"
    if function.name not in listed(kind):  # by its kernel alone
        options = "".join(f", {x}=…" for x in needed if x in function.needed)
        call = f'kernel("{function.name}"{options})({", ".join(x for x in needed if x not in function.needed)})'
    line = (inspect.getdoc(method) or "").partition("\n")[0]
    if found := SOURCE.search(line):
        line = line[: found.start()]
    what = line.strip().removesuffix(".")
    source = found[0].removesuffix(".").replace("-", "–") if found else ""
    name = f"[`{call}`]({place(kind, function.name)})"
    return f"| {name} | {what} | {_results(function)} | {source} |"


def _title(heading: str, kind: type, group: type) -> str:
    """The first sentence of a group's text, after the heading of its machine."""
    sentence = (inspect.getdoc(group) or "").partition(".")[0]
    if not heading:
        return sentence
    return heading if group is kind else f"{heading}: {sentence[0].lower()}{sentence[1:]}"


def _results(function: Function) -> str:
    """Shapes of the results; a shape that comes several times in a row stands once."""
    shapes = [",&nbsp;".join(("…", *sizes)) for name, sizes in function.arrays().outputs if name not in CHECKS]
    runs: list[list[str]] = []
    for shape in shapes:
        if not runs or runs[-1][0] != shape:
            runs.append([])
        runs[-1].append(shape)
    return "; ".join((f"{len(run)} × " if len(run) > 1 else "") + f"({run[0]})" for run in runs)
