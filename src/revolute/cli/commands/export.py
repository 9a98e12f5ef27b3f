"""`revolute export`: functions of a robot as C files, or as an object file for a processor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from revolute.cli.commands import screen
from revolute.errors import InputError
from revolute.machine.robot import Robot

__all__ = ["LANGUAGES", "run"]

LANGUAGES = ("c", "c++")


def run(
    robot: Robot,
    functions: Sequence[str],
    frame: str | None,
    output: Path,
    language: str,
    options: dict[str, Any],
    as_json: bool,
    console: Console,
) -> None:
    """Write the files, and list them."""
    if language not in LANGUAGES:
        raise InputError(f"--language must be {' or '.join(LANGUAGES)}, not '{language}'")
    if output.suffix != ".c":
        output.mkdir(parents=True, exist_ok=True)
    needed = [name for name in functions if "frame" in robot._function(name).needed]
    if needed and frame is None:
        raise InputError(f"{needed[0]} needs a link: --frame {robot.link_names[-1]}")
    own = {name: {"frame": frame} for name in needed}
    files = robot.to_c(functions, output, cpp=language == "c++", options=own, **options)
    if as_json:
        screen.print_json({"name": robot.name, "files": [str(file) for file in files]})
        return
    for file in files:
        screen.say(console, f"{file}  {file.stat().st_size:,} bytes")
