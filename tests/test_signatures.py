"""Parameters and defaults of everything public, as in tests/signatures.txt: changing one is a decision.

`python tests/test_signatures.py` writes the file anew.
"""

import difflib
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import revolute

FILE = Path(__file__).parent / "signatures.txt"
ROBOT = revolute.robots.planar(2)
MACHINES = {"operational_space": ROBOT.operational_space("tip"), "equations": ROBOT.equations()}
"""Things that public functions return, whose classes have no public name."""
MODULES = (
    "revolute.control",
    "revolute.conventions",
    "revolute.optimal",
    "revolute.library",
    "revolute.io.trajectory",
    "revolute.trajectory",
    "revolute.examine",
    "revolute.plot",
)


def things() -> Iterator[tuple[str, Any]]:
    """All that people call by a public name."""
    for name in revolute.__all__:
        yield name, getattr(revolute, name)
    for name in MODULES:
        module = importlib.import_module(name)
        for own in sorted(getattr(module, "__all__", ())):
            yield f"{name}.{own}", getattr(module, own)
    for name, machine in MACHINES.items():
        yield f"Robot.{name}()", type(machine)


def lines() -> Iterator[str]:
    """A line for each function, class and method."""
    for name, thing in things():
        if isinstance(thing, type):
            yield from (f"{name}{'' if own == '__init__' else '.' + own}{text}" for own, text in methods(thing))
        elif callable(thing):
            yield name + signature(thing)


def methods(kind: type) -> Iterator[tuple[str, str]]:
    """Names and signatures of a class's own and inherited methods, and of what makes one."""
    for name in sorted(dir(kind)):
        # `__init__` of a frozen dataclass is written when it is first asked for
        found = getattr(kind, name) if name == "__init__" else inspect.getattr_static(kind, name)
        if isinstance(found, staticmethod | classmethod):
            found = found.__func__
        found = inspect.unwrap(found)  # of a compiled function
        if inspect.isfunction(found) and found.__module__.startswith("revolute"):
            if name == "__init__" or not name.startswith("_"):
                yield name, signature(found)
        elif name == "__init__" and inspect.isfunction(found):
            yield name, signature(found)


def signature(function: Any) -> str:
    """Parameters with their defaults, without types: mypy knows these."""
    given = inspect.signature(function)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in given.parameters.values()]
    text = str(given.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


WRITE = "if these changes are meant, `python tests/test_signatures.py` writes them down"


def test_signatures_are_these() -> None:
    expected, found = FILE.read_text(encoding="utf-8").splitlines(), list(lines())
    assert found == expected, "\n".join((*difflib.unified_diff(expected, found, lineterm=""), WRITE))


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in lines()), encoding="utf-8")
