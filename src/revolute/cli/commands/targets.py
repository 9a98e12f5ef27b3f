"""The files that a command is to write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from revolute.errors import InputError
from revolute.io.trajectory import check_output

__all__ = ["check_apart", "check_targets"]


def check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path | None]) -> None:
    """Refuse to write over a file that the command reads, or twice to one file, under whatever name.

    Args:
        inputs: what the command line names to be read; words that name no file are passed over.
        outputs: the files to write.

    Raises:
        InputError: an output is the same file as an input or another output, if only by a link.
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
    except (OSError, ValueError):  # numbers in place of a file may be longer than any name
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return one.resolve() == other.resolve()


def check_targets(output: Path | None, plot: Path | None) -> None:
    """Refuse, before any work is done, files that could not be written after it.

    Raises:
        InputError (of a table: TrajectoryError): a suffix that names no known format, or a folder that is not there.
        MissingExtraError: a picture is wanted without Matplotlib.
    """
    if output is not None:
        check_output(output)
    if plot is not None:
        from revolute.plot.pictures import check_picture

        check_picture(plot)
