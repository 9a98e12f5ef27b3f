"""Checks of output files before computation."""

from collections.abc import Iterable
from pathlib import Path

from revolute.errors import InputError
from revolute.whole_file import check_target


def check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path | None]) -> None:
    """Raise InputError if an output is the same file as an input or another output, also through a link."""
    # Inputs that name no file are ignored.
    read = [path for path in inputs if path is not None and _is_file(path)]
    written: list[Path] = []
    for output in filter(None, outputs):
        for path in read:
            if _same(Path(path), output):
                raise InputError(f"{output}: the same file as {path}, which would be lost; write to another file")
        for path in written:
            if _same(path, output):
                raise InputError(f"{output}: the same file as {path}; name two different files to write")
        written.append(output)


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a list of numbers may be too long for a file name
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of the files does not exist yet
        return one.resolve() == other.resolve()


def check_robot(path: Path | None) -> None:
    """Raise InputError unless a robot can be written to this file, if there is one."""
    if path is not None:
        check_target(path, "robots", (".urdf", ".xml", ".toml"))


def check_targets(output: Path | None, plot: Path | None, report: Path | None = None) -> None:
    """Raise if a table, a picture or a report cannot be written."""
    if report is not None:
        check_target(report, "reports", (".html", ".htm"))
    if output is not None:
        from revolute.io.trajectory import check_output

        check_output(output)
    if plot is not None:
        from revolute.plot import check_picture

        check_picture(plot)
