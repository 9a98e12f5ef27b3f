"""REVOLUTE_OPT: code that is compiled quickly has a key of its own, and gives the same bits."""

import struct
from collections.abc import Iterator

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute.compiler import cache
from revolute.compiler.stored import load_shared
from revolute.errors import InputError
from revolute.graph import Input, trace
from revolute.targets.llvm import compile_parts, host, module_parts
from revolute.targets.llvm.near import close_together
from revolute.targets.llvm.object_files import unpacked


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_both_levels_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, function: str, dtype: type) -> None:
    robot = revolute.robots.random_tree(3, rng=2, base="free")
    q, qd, tau = (np.random.default_rng(1).standard_normal((9, n)).astype(dtype) for n in (10, 9, 9))
    found, codes = [], []
    for level in ("0", "1"):
        monkeypatch.setenv("REVOLUTE_OPT", level)
        kernel = revolute.Robot.from_model(robot).kernel(function, dtype=dtype)
        found.append([kernel(q, qd, tau), kernel(q[0], qd[0], tau[0])])
        stored = cache.read(kernel._key)
        assert stored is not None
        codes.append(stored[0])
    for quick, usual in zip(*found, strict=True):
        np.testing.assert_array_equal(quick, usual)
    assert codes[0] != codes[1]


@pytest.mark.parametrize("level", ["2", "quick"])
def test_other_levels_are_refused(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("REVOLUTE_OPT", level)
    for compile_it in (lambda: revolute.robots.ur5().mass_matrix(np.zeros(6)), lambda: load_shared("nothing", str)):
        assert_raises(InputError, f"REVOLUTE_OPT is '{level}'; it must be 0, to compile quickly, or 1", compile_it)


def relocations(file: bytes) -> Iterator[tuple[int, bool]]:
    """Types of the relocations of an ELF file, and whether their symbols are in other files."""
    start, size, number = (struct.unpack_from("<Q", file, 40)[0], *struct.unpack_from("<HH", file, 58))
    sections = [struct.unpack_from("<IIQQQQIIQQ", file, start + k * size) for k in range(number)]
    for _, kind, _, _, place, length, symbols, _, _, entry in sections:
        for at in range(place, place + length, entry) if kind == 4 else ():
            kind_and_symbol = struct.unpack_from("<QQ", file, at)[1]
            symbol = sections[symbols][4] + 24 * (kind_and_symbol >> 32)
            yield kind_and_symbol & 0xFFFFFFFF, struct.unpack_from("<H", file, symbol + 6)[0] == 0


@pytest.mark.skipif(not close_together(host().triple), reason="object files lie anywhere")
@pytest.mark.parametrize("quick", [False, True])
def test_other_files_are_reached_by_pointers(quick: bool) -> None:
    """They may be too far away for a call, which then ends the process."""
    shape, zeros = (20, 20), [0.0] * 390
    graph = trace("sparse", lambda x: [("y", shape, [*(a.sin() for a in x), *zeros])], [Input("x", (10,))])
    for file, _ in unpacked(compile_parts(module_parts(graph, host().lanes()), host(), quick=quick)):
        kinds = {kind for kind, elsewhere in relocations(file) if elsewhere}
        assert kinds and kinds <= {1, 9, 41, 42}  # addresses of 64 bits, and places in the table
