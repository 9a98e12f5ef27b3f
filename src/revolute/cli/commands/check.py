"""`revolute check`: physically impossible or suspicious data of robots."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.robots import CHOICE, named_source
from revolute.errors import RevoluteError, printable
from revolute.examine import examine


def run(names: Sequence[str], base: str, strict: bool, meshes: bool, as_json: bool, console: Console) -> bool:
    """Print the findings file by file; return whether all files pass."""
    say = partial(screen.say, console)
    failed, files = 0, list[dict[str, Any]]()
    for name in names:
        try:
            examination = examine(named_source(name, base), base, meshes, **vars(CHOICE.get()))
        except RevoluteError as error:
            say(f"{name}: cannot be loaded: {' '.join(str(error).split())}")
            files.append({"file": name, "error": str(error), "findings": []})
            failed += 1
            continue
        findings = examination.findings
        for line in f"{printable(name)}: {examination}".split("\n"):
            say(line)
        sizes = {"links": examination.links, "sized": examination.sized, "joints": examination.robot.n_joints}
        files.append({"file": name, "error": None, **sizes, "findings": list(map(asdict, findings))})
        failed += any(finding.impossible or strict for finding in findings)
    if as_json:
        screen.print_json({"passed": failed == 0, "files": files})
    return failed == 0
