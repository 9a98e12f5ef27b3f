"""Names in other libraries and their counterparts here, for messages about unknown names: `other_libraries.json`."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Names(NamedTuple):
    """Counterparts by the names that other libraries use; the file groups all names of one counterpart."""

    functions: Mapping[str, Mapping[str, str]]  # by library, "" for none in particular: attributes of a robot
    remarks: Mapping[str, str]  # advice for attributes that have no counterpart in this library
    packages: Mapping[str, str]  # messages about names of packages
    methods: Mapping[str, str]  # integration methods, in lower case
    references: Mapping[str, str]  # Pinocchio's reference frames


@cache
def other_names() -> Names:
    """The names in the file, read when the first message needs them."""
    tables = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    functions = {library: _by_name(rows) for library, rows in tables["robots"].items()}
    return Names(functions, *(_by_name(tables[kind]) for kind in ("remarks", "packages", "methods", "references")))


def _by_name(rows: Mapping[str, str]) -> dict[str, str]:
    return {name: here for here, names in rows.items() for name in names.split()}


def answer(name: str, owner: str = "robot", machine: object = None) -> str | None:
    """The counterpart of an attribute of other libraries' robots: "Pinocchio's rnea is robot.inverse_dynamics(...)".

    None if the name is unknown. If `machine` is given, the answer states whether it has the counterpart.
    """
    for library, functions in other_names().functions.items():
        if name in functions:
            here = functions[name]
            known = machine is None or hasattr(machine, here.partition("(")[0].partition(" ")[0])
            whose = f"{library}'s {name}" if library else name
            return f"{whose} is {owner}.{here}" + ("" if known else " of a revolute.Robot")
    return other_names().remarks.get(name)
