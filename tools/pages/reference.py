"""Pages of docs/reference/ on machines: one page for each group of methods."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import revolute
from revolute.machine.lagrangian import ConstrainedSystem, System
from revolute.machine.operational import OperationalSpace
from revolute.machine.robot.base import Group
from tools.pages import Files, completed

FOLDERS: dict[type, str] = {
    revolute.Robot: "robot",
    revolute.DrivenRobot: "driven-robot",
    revolute.ConstrainedRobot: "constrained-robot",
    OperationalSpace: "operational-space",
    revolute.ElasticRobot: "elastic-robot",
    System: "lagrangian-system",
    ConstrainedSystem: "constrained-lagrangian-system",
}
"""Machines, each with the folder of its pages. A group that several machines have is written for the first of them."""

TITLES = {
    "ConstrainedRobot": "Motions and linear models of robots with closed loops",
    "ConstrainedSystem": "Constraints of a Lagrangian system",
    "DrivenGroup": "Names and sizes of a robot with drives",
    "DrivenRobot": "Symbols and equations of a robot with drives",
    "ElasticGroup": "Names and symbols of a robot with elastic joints",
    "ElasticRobot": "Motions of a robot with elastic joints",
    "Machine": "Kernels and operation counts",
    "Model": "Names, sizes and indices",
    "OperationalSpace": "Matrices and forces in operational space",
    "Loads": "Motions in operational space",
    "Robot": "Making a robot",
    "Shown": "Equations as text",
    "System": "Forces, energies and motions of a Lagrangian system",
    "SystemEquations": "Equations of a Lagrangian system in SymPy",
    "WaysOut": "Other libraries and languages",
}
"""Titles of groups whose text begins with none that a reader can use."""

TAGS = {"Kinematics": 'forward kinematics, "J dot"'}
"""Words by which people search for a group, besides its own."""


def pages() -> Files:
    """A page for each group, and the pages of classes with tables of their groups."""
    written: Files = {page_of(group): "\n".join(lines(kind, group)) for group, kind in groups().items()}
    for kind, folder in FOLDERS.items():
        page = f"reference/{folder}.md"
        written[page] = completed(page, table(kind))
    return written


@cache
def groups() -> dict[type, type]:
    """Groups of methods, each with the first machine that has it."""
    found: dict[type, type] = {}
    for kind in FOLDERS:
        for group in kind.__mro__:
            if group.__module__.startswith("revolute.") and group is not Group and names(group):
                found.setdefault(group, kind)
    return found


def names(group: type) -> list[str]:
    """Public names that a group declares: its members, then functions that are kernels alone."""
    return [name for name, value in declared(group).items() if not name.startswith("_") and hasattr(value, "__get__")]


def declared(group: type) -> dict[str, Any]:
    """What a group declares, by name."""
    return {**vars(group), **vars(group).get("_by_kernel", {})}


def page_of(group: type) -> str:
    """The page of a group, from docs/."""
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", group.__name__).lower()
    return f"reference/{FOLDERS[groups()[group]]}/{word}.md"


def place(kind: type, name: str) -> str:
    """Where a method of a machine stands, from docs/."""
    group = next(group for group in kind.__mro__ if name in declared(group) and group in groups())
    return f"{page_of(group)}#{path(groups()[group])}.{name}"


def path(kind: type) -> str:
    """A class as the reference names it."""
    public = getattr(revolute, kind.__name__, None) is kind
    return f"revolute.{kind.__name__}" if public else f"{kind.__module__.rpartition('.')[0]}.{kind.__name__}"


def lines(kind: type, group: type) -> Iterator[str]:
    """A page: its title, a table of its methods, and their texts."""
    text = inspect.getdoc(group) or ""
    if words := TAGS.get(group.__name__):
        yield from ("---", f"tags: [{words}]", "search: {boost: 2}", "---", "")
    yield from (f"# {title(group)}", "", f"Methods of [`{kind.__name__}`][{path(kind)}].", "")
    if group.__name__ not in TITLES and (rest := text.partition("\n\n")[2]):
        yield from (re.split(r"^Example", rest, flags=re.MULTILINE)[0].strip(), "")
    yield from ("| name | what |", "| --- | --- |")
    for name in names(group):
        yield f"| [`{shown(kind, name)}`](#{path(kind)}.{name}) | {summary(group, name)} |"
    for name in names(group):
        if shown(kind, name) != name:
            yield from ("", f"No method: `{kind.__name__.lower()}.{shown(kind, name)}` takes these arrays.")
        yield from ("", f"::: {path(kind)}.{name}", "    options: {show_root_full_path: false}")
    yield ""


def shown(kind: type, name: str) -> str:
    """How a machine is asked for an attribute, or for a function that its kernel alone has."""
    return name if name in listed(kind) else f'kernel("{name}")'


@cache
def listed(kind: type) -> frozenset[str]:
    """Names that a machine lists."""
    return frozenset(dir(kind))


def title(group: type) -> str:
    """A group's title: the first sentence of its text."""
    sentence = (inspect.getdoc(group) or "").partition("\n")[0].partition(". ")[0]
    return TITLES.get(group.__name__) or sentence.removesuffix(".").split(": `")[0].replace("`", "")


def summary(group: type, name: str) -> str:
    """The first sentence on a method."""
    line = (inspect.getdoc(declared(group)[name]) or "").partition("\n")[0]
    return re.split(r"\. (?=[A-Z])", line)[0].removesuffix(".").replace("|", "\\|")


def table(kind: type) -> Iterator[str]:
    """A class's groups with their methods."""
    yield from ("| group | methods |", "| --- | --- |")
    for group in kind.__mro__:
        if group in groups():
            page = page_of(group).removeprefix("reference/")
            first = path(groups()[group])
            methods = ", ".join(f"[`{shown(kind, name)}`]({page}#{first}.{name})" for name in names(group))
            yield f"| [{title(group)}]({page}) | {methods} |"
