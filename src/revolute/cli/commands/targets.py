"""Checks of the files that a command will write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from revolute.errors import InputError

__all__ = ["check_apart", "check_document", "check_folder", "check_targets"]


def check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path | None]) -> None:
    """Refuse to write over an input file, or to write two outputs to one file, whatever their names.

    Args:
        inputs: arguments that may name files to read; any other words are ignored.
        outputs: the files to write.

    Raises:
        InputError: an output is the same file as an input or another output, also by a link.
    """
    read = [path for path in inputs if path is not None and _is_file(path)]
    written: list[Path] = []
    for output in outputs:
        if output is None:
            continue
        for path in read:
            if _same(Path(path), output):
                raise InputError(f"{output}: it is the same file as {path}, which would be lost; write another file")
        for path in written:
            if _same(path, output):
                raise InputError(f"{output}: it is the same file as {path}; name two files to write")
        written.append(output)


def _is_file(name: str | Path) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # numbers instead of a file may be longer than any name
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return one.resolve() == other.resolve()


def check_document(path: Path, *suffixes: str) -> None:
    """Check, before the work is done, that a document can be written.

    Raises:
        InputError: another suffix than these, or there is no such folder.
    """
    if path.suffix not in suffixes:
        kinds = " or ".join(suffixes)
        raise InputError(f"{path}: it is written as {kinds}, by the suffix, not as '{path.suffix or path.name}'")
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raise InputError if there is no folder that the file could be in."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written: there is no folder {path.parent}")


def check_targets(output: Path | None, plot: Path | None) -> None:
    """Check, before the work is done, that its output and plot can be written.

    Raises:
        InputError (of a table: TrajectoryError): the suffix names no known format, or there is no such folder.
        MissingExtraError: a picture is wanted without Matplotlib.
    """
    if output is not None:
        from revolute.io.trajectory import check_output

        check_output(output)
    if plot is not None:
        from revolute.plot import check_picture

        check_picture(plot)
