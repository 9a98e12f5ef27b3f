"""Several object files as one string of bytes."""

import struct
from collections.abc import Iterator, Sequence

_MANY = b"revolute objects\n"
Named = tuple[bytes, tuple[str, ...]]  # an object file and the names of its functions that the first object file calls


def packed(files: Sequence[Named]) -> bytes:
    """Object files and names of their functions, each preceded by its length; a single file is unchanged."""
    if len(files) == 1:
        return files[0][0]
    fields = [field for file, functions in files for field in (" ".join(functions).encode(), file)]
    return _MANY + b"".join([struct.pack("<Q", len(field)) + field for field in fields])


def unpacked(code: bytes) -> list[Named]:
    """The object files that `packed` joined, with names of functions; an empty list if a length is wrong."""
    if not code.startswith(_MANY):
        return [(code, ())]
    fields = [*_fields(code)]
    if len(fields) % 2 or sum(8 + len(field) for field in fields) != len(code) - len(_MANY):
        return []
    return [(file, tuple(names.decode().split())) for names, file in zip(fields[::2], fields[1::2], strict=True)]


def pointer_to(function: str) -> str:
    """Name of the first file's variable for the address of a function of another file."""
    return f"address.{function}"


def _fields(code: bytes) -> Iterator[bytes]:
    at = len(_MANY)
    while at + 8 <= len(code):
        (size,) = struct.unpack_from("<Q", code, at)
        if at + 8 + size > len(code):
            return
        yield code[at + 8 : at + 8 + size]
        at += 8 + size
