"""Items for several passes: the first pass stores them, in memory or in a temporary file."""

from __future__ import annotations

import contextlib
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from revolute.errors import InputError

__all__ = ["SAMPLES", "Passes"]

T = TypeVar("T")

SAMPLES = 256 * 2**20
"""Bytes of samples kept in memory: a million instants of an arm with seven joints."""


class Passes(Generic[T]):
    """The items of a source in order, for any number of passes.

    If there are too many, each pass reads the source again; a second pass over an iterator is then an `InputError`.

    Args:
        source: function that returns an iterator for a pass; or an iterator.
        in_memory: bytes of items kept in memory; the rest is written to a file.
        in_file: maximum bytes of items in the file. Items must be named tuples of arrays.
    """

    def __init__(self, source: Callable[[], Iterator[T]] | Iterator[T], in_memory: float, in_file: float = 0) -> None:
        self._source, self._sizes = source, (in_memory, in_file)
        self._store: _Store[T] | None = _Store(*self._sizes) if isinstance(source, Iterator) else None

    @property
    def kept(self) -> bool:
        """Whether the next pass does not need the source."""
        return self._store is not None

    def __iter__(self) -> Iterator[T]:
        if isinstance(self._source, Iterator):
            yield from self._continued(self._source)
        elif self._store is not None:
            yield from self._store
        else:
            store = _Store[T](*self._sizes)  # of this pass: another may go on beside it
            for item in self._source():
                store.add(item)
                yield item
            if store.complete:
                self._store = store  # of a pass that has not ended before its end

    def _continued(self, source: Iterator[T]) -> Iterator[T]:
        """The stored items of an iterator, then the others: passes may end early."""
        assert self._store is not None
        items, k = self._store.items, 0
        while True:
            if not self._store.complete:
                raise InputError(
                    f"the log is an iterator, which can be read once only, and has more than {SAMPLES / 2**20:.0f} MB "
                    "of samples, which this estimate reads several times: give a list, a file, or an object whose "
                    "__iter__ begins anew"
                )
            if k < len(items):
                yield items[k]
            else:
                item = next(source, None)
                if item is None:
                    return
                self._store.add(item)
                yield item
            k += 1


class _Store(Generic[T]):
    """Items in order: `items` in memory, others in a file. `complete` is False after too many, or disk full."""

    def __init__(self, in_memory: float, in_file: float) -> None:
        self.complete, self.items = True, list[T]()
        self._in_memory, self._in_file, self._size = in_memory, in_file, 0
        self._places: list[tuple[int, type]] = []  # in the file
        self._file: Any = None

    def add(self, item: T) -> None:
        """Store another item."""
        if not self.complete:
            return
        self.items.append(item)
        self._size += _bytes(item)
        if self._size <= self._in_memory:
            return
        self.complete = self._size <= self._in_file
        if self.complete:
            try:
                self._write()
            except OSError:  # no room
                self.complete = False
        self.items.clear()
        if not self.complete and self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def _write(self) -> None:
        """Write the items that are in memory."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="revolute-")  # noqa: SIM115 - it is open as long as this object
            weakref.finalize(self, self._file.close)
        for item in self.items:
            self._places.append((self._file.tell(), type(item)))
            for part in item:  # type: ignore[attr-defined]
                np.save(self._file, part)
        self._file.flush()  # a full disk raises here, not in the next pass

    def __iter__(self) -> Iterator[T]:
        for place, kind in self._places:
            self._file.seek(place)
            yield kind(*(np.load(self._file) for _ in kind._fields))  # type: ignore[attr-defined]
        yield from self.items


def _bytes(item: Any) -> int:
    """Bytes of the arrays in a tuple, or in attributes."""
    parts = item if isinstance(item, tuple) else vars(item).values() if hasattr(item, "__dict__") else ()
    return sum(x.nbytes for x in parts if isinstance(x, np.ndarray))
