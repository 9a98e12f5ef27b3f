"""REVOLUTE_OPT: code that is compiled quickly has a key of its own, and gives the same bits."""

import numpy as np
import pytest

import revolute
from revolute.compiler import cache
from revolute.compiler.stored import key_of, load_text
from revolute.errors import InputError


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_both_levels_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, function: str, dtype: type) -> None:
    robot = revolute.robots.random_tree(3, seed=2, base="free")
    q, qd, tau = (np.random.default_rng(1).standard_normal((9, n)).astype(dtype) for n in (10, 9, 9))
    found, codes = [], []
    for level in ("0", "1"):
        monkeypatch.setenv("REVOLUTE_OPT", level)
        kernel = revolute.Robot.of(robot).kernel(function, dtype=dtype)
        found.append([kernel(q, qd, tau), kernel(q[0], qd[0], tau[0])])
        stored = cache.read(kernel._key)
        assert stored is not None
        codes.append(stored[0])
    for quick, usual in zip(*found, strict=True):
        np.testing.assert_array_equal(quick, usual)
    assert codes[0] != codes[1]


def test_each_level_has_keys_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {}
    for level in ("", "0", "1"):
        monkeypatch.setenv("REVOLUTE_OPT", level)
        keys[level] = key_of("any")
    assert keys[""] == keys["1"] != keys["0"]


@pytest.mark.parametrize("level", ["2", "quick"])
def test_other_levels_are_refused(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("REVOLUTE_OPT", level)
    for compile_it in (lambda: revolute.robots.ur5().mass_matrix(np.zeros(6)), lambda: load_text("")):
        with pytest.raises(InputError, match=f"REVOLUTE_OPT is '{level}'; it must be 0, to compile quickly, or 1"):
            compile_it()
