"""Checks of output files before computation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from revolute.errors import InputError

__all__ = ["check_apart", "check_document", "check_folder", "check_targets"]


def check_apart(inputs: Iterable[str | Path | None], outputs: Iterable[Path | None]) -> None:
    """Raise InputError if an output is the same file as an input or another output, also through a link.

    Args:
        inputs: arguments that may name files to read; other words are ignored.
        outputs: the files to write.
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
    except OSError:  # one does not exist yet
        return one.resolve() == other.resolve()


def check_document(path: Path, *suffixes: str) -> None:
    """Raise InputError unless a document has one of these suffixes, and its folder exists."""
    if path.suffix not in suffixes:
        kinds = " or ".join(suffixes)
        raise InputError(f"{path}: the suffix must be {kinds}, not '{path.suffix or path.name}'")
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raise InputError if the folder of a file does not exist."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be written: there is no folder {path.parent}")


def check_targets(output: Path | None, plot: Path | None) -> None:
    """Raise if a table or a picture cannot be written.

    Raises:
        InputError (TrajectoryError for a table): the suffix is unknown, or the folder does not exist.
        MissingExtraError: a picture requires Matplotlib.
    """
    if output is not None:
        from revolute.io.trajectory import check_output

        check_output(output)
    if plot is not None:
        from revolute.plot import check_picture

        check_picture(plot)
