"""Rows of least squares that were computed once, for the passes that follow: in memory, or in a temporary file."""

from __future__ import annotations

import contextlib
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from revolute.identification.samples import Array

__all__ = ["Chunk", "KeptChunks"]


class Chunk(NamedTuple):
    """Y (m, nv, b) and tau (m, nv) of some instants; tau is NaN where nothing was measured.

    `continues`: whether the first instant follows the last one of the chunk before.
    """

    Y: Array
    tau: Array
    continues: bool


class KeptChunks:
    """Chunks in order, as often as they are asked for. Many go to a file: the system keeps that in memory as it can.

    Attributes:
        complete: whether all that were added are kept; False from where there were too many, or no room for the file.

    Args:
        in_memory: bytes of chunks that stay in memory; with more of them, all are in the file.
        in_file: bytes of chunks in the file, at most.
    """

    def __init__(self, in_memory: int, in_file: int) -> None:
        self.complete = True
        self._in_memory, self._in_file, self._size = in_memory, in_file, 0
        self._chunks: list[Chunk] = []
        self._places: list[tuple[int, bool]] = []  # in the file
        self._file: Any = None

    def add(self, chunk: Chunk) -> None:
        """Keep one more."""
        if not self.complete:
            return
        self._chunks.append(chunk)
        self._size += chunk.Y.nbytes + chunk.tau.nbytes
        if self._size <= self._in_memory:
            return
        self.complete = self._size <= self._in_file
        if self.complete:
            try:
                self._write()
            except OSError:  # no room
                self.complete = False
        self._chunks.clear()
        if not self.complete and self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def _write(self) -> None:
        """Write the chunks that are in memory."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="revolute-")  # noqa: SIM115 - it is open as long as this object
            weakref.finalize(self, self._file.close)
        for Y, tau, continues in self._chunks:
            self._places.append((self._file.tell(), continues))
            np.save(self._file, Y)
            np.save(self._file, tau)
        self._file.flush()  # what does not fit is told here, not by the next pass

    def __iter__(self) -> Iterator[Chunk]:
        for place, continues in self._places:
            self._file.seek(place)
            yield Chunk(np.load(self._file), np.load(self._file), continues)
        yield from self._chunks
