"""Blocks of samples that can be read once, kept for the passes that follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from revolute.errors import InputError
from revolute.identification.samples import Samples

__all__ = ["Remembered"]

MOST = 256 * 2**20
"""Bytes of samples that are kept: a million instants of an arm of seven joints, whose regressors would have 4 GB."""


class Remembered:
    """The blocks of an iterator, as often as they are asked for. They are read when the first pass comes to them.

    Args:
        blocks: of samples; others are passed on, for whoever checks them.
        most: bytes of samples that are kept.

    Raises:
        InputError: a second pass, of more samples than are kept.
    """

    def __init__(self, blocks: Iterator[Any], most: int = MOST) -> None:
        self._blocks, self._left = blocks, most
        self._kept: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        k = 0
        while True:
            if self._left < 0:
                raise InputError(
                    f"the log is an iterator, which can be read once only, and has more than {MOST / 2**20:.0f} MB of "
                    "samples, which this estimate reads several times: give a list, a file, or an object whose "
                    "__iter__ begins anew"
                )
            if k == len(self._kept) and not self._read():
                return
            yield self._kept[k]
            k += 1

    def _read(self) -> bool:
        """Read one more block, if there is one."""
        block = next(self._blocks, None)
        if block is None:
            return False
        if isinstance(block, Samples):
            self._left -= sum(x.nbytes for x in (block.t, block.q, block.qd, block.qdd, block.tau))
        self._kept.append(block)
        return True
