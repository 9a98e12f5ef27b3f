"""A WebAssembly object file as a directly executable module: memory and functions exported, nothing imported.

LLVM writes relocatable objects: they import their memory, name functions in a symbol table, and leave calls open. For
code without data, stack and library there is little left to link: the memory becomes the module's own, calls get the
numbers of functions, and global functions are exported. (Tool conventions of WebAssembly, "Linking", version 2.)
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from revolute.errors import CompileError

PAGE = 65536  # size of a memory page [bytes]
_HEAD = b"\0asm\1\0\0\0"
_CUSTOM, _TYPES, _IMPORTS, _FUNCTIONS, _MEMORY, _EXPORTS, _CODE = 0, 1, 2, 3, 5, 7, 10
_SYMBOL_TABLE, _FUNCTION_SYMBOL, _CALL = 8, 0, 0
_UNDEFINED, _LOCAL = 0x10, 0x02
_MEMORY_IMPORT = b"\x03env\x0f__linear_memory\x02"


class _Symbol(NamedTuple):
    """A function: its name, its number, and whether it is visible outside its object file."""

    name: bytes
    function: int
    is_global: bool


def wasm_module(code: bytes, pages: int) -> bytes:
    """The module of an object file, with `pages` pages of initial memory.

    Raise `CompileError` if the code needs more than memory: data, a stack, functions of a library.
    """
    sections = list(_sections(code))
    plain = {kind: body for kind, _, body in sections if kind != _CUSTOM}
    custom = {name: body for kind, name, body in sections if kind == _CUSTOM}
    # tables, globals and data would need memory, but all memory is reserved for the caller's arrays
    if plain.keys() - {_TYPES, _IMPORTS, _FUNCTIONS, _CODE}:
        raise CompileError("WebAssembly modules cannot contain data, but this code has some")
    imported = plain.get(_IMPORTS, b"\0")
    if imported[0] > 1 or (imported[0] == 1 and not imported.startswith(_MEMORY_IMPORT, 1)):
        raise CompileError("WebAssembly modules cannot import anything, but this code needs a function or a stack")
    symbols = _symbols(custom[b"linking"])
    exports = [(b"memory", b"\2\0"), *((x.name, b"\0" + _number(x.function)) for x in symbols if x.is_global)]
    return b"".join(
        [
            _HEAD,
            _section(_TYPES, plain[_TYPES]),
            _section(_FUNCTIONS, plain[_FUNCTIONS]),
            _section(_MEMORY, b"\1\0" + _number(pages)),
            _section(_EXPORTS, _number(len(exports)) + b"".join(_text(name) + what for name, what in exports)),
            _section(_CODE, _linked(plain[_CODE], custom.get(b"reloc.CODE", b""), symbols)),
        ]
    )


def _sections(code: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Kind, name (empty unless the kind is custom) and content of each section."""
    at = len(_HEAD)
    while at < len(code):
        # a section consists of kind, size and content
        kind = code[at]
        size, begin = _read(code, at + 1)
        at, name = begin + size, b""
        if kind == _CUSTOM:
            length, start = _read(code, begin)
            begin = start + length
            name = code[start:begin]
        yield kind, name, code[begin:at]


def _symbols(linking: bytes) -> list[_Symbol]:
    """The symbol table. All symbols are functions that the file defines, as nothing is imported."""
    _, at = _read(linking, 0)  # version of the format
    while linking[at] != _SYMBOL_TABLE:
        size, at = _read(linking, at + 1)
        at += size
    _, at = _read(linking, at + 1)
    count, at = _read(linking, at)
    symbols = []
    for _ in range(count):
        kind, (flags, at) = linking[at], _read(linking, at + 1)
        if kind != _FUNCTION_SYMBOL or flags & _UNDEFINED:
            raise CompileError("WebAssembly modules can contain only their own functions")
        function, at = _read(linking, at)
        length, at = _read(linking, at)
        symbols.append(_Symbol(linking[at : at + length], function, not flags & _LOCAL))
        at += length
    return symbols


def _linked(code: bytes, relocations: bytes, symbols: Sequence[_Symbol]) -> bytes:
    """The code section with the numbers of functions in its calls, in five bytes each."""
    linked = bytearray(code)
    if relocations:
        _, at = _read(relocations, 0)  # index of the relocated section
        count, at = _read(relocations, at)
        for _ in range(count):
            kind = relocations[at]
            place, at = _read(relocations, at + 1)
            symbol, at = _read(relocations, at)
            if kind != _CALL:
                raise CompileError(f"WebAssembly modules can contain only calls, not relocations of kind {kind}")
            n = symbols[symbol].function
            # LLVM reserves five bytes for each number, so that any value fits without moving the subsequent code
            linked[place : place + 5] = bytes([*((n >> shift & 127) | 128 for shift in (0, 7, 14, 21)), n >> 28])
    return bytes(linked)


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _number(len(body)) + body


def _text(name: bytes) -> bytes:
    return _number(len(name)) + name


def _number(n: int) -> bytes:
    """An unsigned integer in LEB128: seven bits per byte, the lowest first."""
    groups = [n & 127]
    while n := n >> 7:
        groups.append(n & 127)
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def _read(code: bytes, at: int) -> tuple[int, int]:
    """The LEB128 integer at an index, and the index after its last byte."""
    value = shift = 0
    while True:
        value |= (code[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if code[at - 1] < 128:
            return value, at
