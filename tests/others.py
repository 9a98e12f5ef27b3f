"""Pages for those who come from another library, as tests read them: their text, and the setting of their blocks."""

import re
from functools import cache
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "coming-from"
PACKAGE = {
    "drake": "pydrake",
    "mujoco": "mujoco",
    "pinocchio": "pinocchio",
    "robotics-toolbox": "roboticstoolbox",
    "sympy": "sympy",
}
SETTING = re.compile(r"^```(?:python|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text(name: str) -> str:
    """The source of a page."""
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


@cache
def scene(name: str) -> dict[str, object]:
    """What a page's blocks define; skips the test where the other library is not installed."""
    pytest.importorskip(PACKAGE[name])
    namespace: dict[str, object] = {}
    for code in SETTING.findall(text(name)):
        exec(compile(code, f"{name}.md", "exec"), namespace)
    return namespace
