"""Blocks of a file, read while the ones before are in use."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["read_ahead"]

Block = TypeVar("Block")


def read_ahead(blocks: Iterator[Block]) -> Iterator[Block]:
    """The same blocks; a thread reads the next one while a block is in use. Nothing is read before the first is asked.

    Whoever ends early waits for the block that is being read.
    """
    with ThreadPoolExecutor(1, "read_ahead") as thread:
        waiting = thread.submit(next, blocks, None)
        while (block := waiting.result()) is not None:
            waiting = thread.submit(next, blocks, None)
            yield block
