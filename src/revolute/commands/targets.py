"""The files that a command is to write."""

from __future__ import annotations

from pathlib import Path

from revolute.trajectory import check_output

__all__ = ["check_targets"]


def check_targets(output: Path | None, plot: Path | None) -> None:
    """Refuse, before any work is done, files that could not be written after it.

    Raises:
        InputError (of a table: TrajectoryError): a suffix that names no known format, or a folder that is not there.
        MissingExtraError: a picture is wanted without Matplotlib.
    """
    if output is not None:
        check_output(output)
    if plot is not None:
        from revolute.plot import check_picture

        check_picture(plot)
