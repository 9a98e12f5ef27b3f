"""`revolute check`: what is impossible or suspicious about robots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.robots import named_source
from revolute.errors import RevoluteError
from revolute.examine import examine

__all__ = ["run"]


def run(names: Sequence[str], base: str, strict: bool, meshes: bool, console: Console) -> bool:
    """Print what is found, file by file; returns whether all of them pass."""
    say = partial(screen.say, console)
    failed = 0
    for name in names:
        try:
            found = examine(named_source(name, base), base, meshes)
        except RevoluteError as error:
            say(f"{name}: cannot be loaded: {' '.join(str(error).split())}")
            failed += 1
            continue
        wrong = sum(finding.impossible for finding in found.findings)
        doubtful = len(found.findings) - wrong
        known = f"{found.sized} of them with known shapes" if found.sized else "none with known shapes"
        say(f"{name}: {found.links} links ({known}), {found.robot.n_joints} joints: ", end="")
        say(f"{wrong} impossible, {doubtful} suspicious" if found.findings else "nothing found")
        for finding in found.findings:
            say(f"- {finding}")
        failed += bool(wrong or (strict and doubtful))
    return failed == 0
