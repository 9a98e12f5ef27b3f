"""The page for those who come from pink and placo: names of its last column exist, and both sides of its rows agree."""

import inspect
import re

import numpy as np
import pytest
from others import SETTING, text

import revolute
from revolute import control

PAGE = text("pink")
SECTIONS = PAGE.partition("## Call by call")[2].partition("## placo")[::2]
CALLS = [
    (package, *row)
    for package, section in zip(("pink", "placo"), SECTIONS, strict=True)
    for row in re.findall(r"^\| `([^`|]+)` \| `([^`|]+)` \|", section, re.MULTILINE)
]
OURS = [cells.rpartition("|")[2] for cells in re.findall(r"^\| (.+) \|$", PAGE.partition("## Call by call")[0], re.M)]
NAMES = sorted({name for cell in OURS for name in re.findall(r"`([^`]+)`", cell)})
NOT_NAMES = {"np.inf"}


@pytest.mark.parametrize("name", sorted({*NAMES} - NOT_NAMES))
def test_names_of_the_last_column_exist(name: str) -> None:
    options = inspect.signature(control.DifferentialIK).parameters
    if method := re.match(r"ik\.(\w+)\(", name):
        assert hasattr(control.DifferentialIK, method[1])
    elif name.rstrip("=").partition("=")[0] not in options:
        assert hasattr(revolute, name) or hasattr(control, name)


def test_names_are_read() -> None:
    assert len(NAMES) > 15 and len(CALLS) == 9


@pytest.mark.parametrize(("package", "theirs", "ours"), CALLS)
def test_both_sides_of_a_row_agree(package: str, theirs: str, ours: str) -> None:
    """Where pink or placo is not installed, only our side is run."""
    scene: dict[str, object] = {}
    first, *others = SETTING.findall(PAGE)
    exec(first, scene)
    own = np.asarray(eval(ours, scene), dtype=float)
    assert np.isfinite(own).all() and own.size
    pytest.importorskip(package)
    exec(others[package == "placo"], scene)
    np.testing.assert_allclose(np.asarray(eval(theirs, scene), dtype=float), own, rtol=0, atol=1e-12)
