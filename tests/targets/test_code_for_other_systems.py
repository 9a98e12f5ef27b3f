"""Machine code for macOS and Windows, made here: which functions of the system it calls, and what it computes."""

import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from robots import signature

import revolute
from revolute.targets.llvm import Lanes, compile_object, host, module_text, row_parts
from revolute.targets.llvm.call import call_text
from revolute.targets.llvm.near import close_together
from revolute.targets.llvm.object_files import unpacked

EVERYWHERE = {"cos", "free", "malloc", "memcpy", "memset", "sin"}
"""Functions of the C library, in a library that every process has loaded."""

SYSTEMS = {
    "arm64-apple-darwin": ("apple-m1", {"bzero"}),
    "x86_64-pc-windows-msvc": ("x86-64-v3", {"__chkstk", "_fltused"}),  # of ntdll.dll; a mark that nothing reads
}

RUNNER = Path(__file__).with_name("run_foreign_code.py")


def texts(lanes: Lanes) -> Iterator[str]:
    """Every kind of module: batches, single rows, calls."""
    graph = signature(revolute.robots.planar(3), "forward_dynamics_partials", {}).graph()
    yield module_text(graph, lanes, 500)
    yield from (part.text for part in row_parts(graph, lanes))
    yield call_text()


def called(code: bytes) -> set[str]:
    """Names that an object file does not define."""
    return set(_of_coff(code) if code.startswith(b"\x64\x86") else _of_mach_o(code))


def _of_coff(code: bytes) -> Iterator[str]:
    first, count = struct.unpack_from("<II", code, 8)
    for k in range(count):
        zeros, place, _, section, _, kind, _ = struct.unpack_from("<IIIhHBB", code, first + 18 * k)
        if section == 0 and kind == 2:
            start = first + 18 * count + place if zeros == 0 else first + 18 * k
            yield code[start : start + (8 if zeros else 99)].split(b"\0")[0].decode()


def _of_mach_o(code: bytes) -> Iterator[str]:
    at = 32
    for _ in range(struct.unpack_from("<I", code, 16)[0]):
        kind, size, symbols, count, names, _ = struct.unpack_from("<6I", code, at)
        at += size
        for k in range(count if kind == 2 else 0):
            name, flags = struct.unpack_from("<IB", code, symbols + 16 * k)
            if flags & 0x0F == 1:
                yield code[names + name :].split(b"\0")[0].decode().removeprefix("_")


@pytest.mark.parametrize("triple", SYSTEMS)
def test_it_calls_what_every_system_has(triple: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cpu, own = SYSTEMS[triple]
    target = replace(host(), triple=triple, cpu=cpu, features="")
    names: set[str] = set()
    for text in texts(Lanes(4 if "x86" in triple else 2, 64, True)):
        for file, _ in unpacked(compile_object(text, target)):
            names |= called(file)
    names = {name for name in names if not name.startswith("Py")}
    assert {"sin", "cos"} <= names <= EVERYWHERE | own


@pytest.mark.skipif(not close_together(host().triple), reason="needs Linux on x86-64")
@pytest.mark.parametrize("arguments", [("x86_64-pc-windows-msvc", "win64cc", ""), ("x86_64-apple-darwin", "ccc", "_")])
def test_it_gives_the_same_bits(arguments: tuple[str, ...]) -> None:
    """In a process of its own: names of the C library mean other functions there."""
    done = subprocess.run([sys.executable, RUNNER, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "the same\n"), done.stderr
