"""`revolute export`: functions of a robot as C files, or as an object file for a processor."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.options import ExportOptions
from revolute.errors import InputError
from revolute.machine.robot import Robot

LANGUAGES = ("c", "c++")


def run(robot: Robot, functions: Sequence[str], options: ExportOptions, as_json: bool, console: Console) -> None:
    """Write the files, and list them."""
    if options.language not in LANGUAGES:
        raise InputError(f"--language must be {' or '.join(LANGUAGES)}, not '{options.language}'")
    known = robot.functions()  # `to_c` refuses others
    needed = [name for name in functions if name in known and "frame" in known[name].needed]
    if needed and options.frame is None:
        raise InputError(f"{needed[0]} needs a link: --frame {robot.link_names[-1]}")
    own = {name: {"frame": options.frame} for name in needed}
    names = ("dtype", "layout", "sincos", "batch", "casadi", "target")
    settings: dict[str, Any] = {name: getattr(options, name) for name in names}
    with _folder(options.output):
        files = robot.to_c(functions, options.output, cpp=options.language == "c++", options=own, **settings)
    if as_json:
        screen.print_json({"name": robot.name, "files": list(map(str, files))})
    for file in files:
        screen.say(console, f"{file}  {file.stat().st_size:,} bytes")


@contextlib.contextmanager
def _folder(output: Path) -> Iterator[None]:
    """Create the folder of the output and its parents; remove new folders after an error."""
    folder = output.parent if output.suffix == ".c" else output
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in new:
            path.rmdir()
        raise
