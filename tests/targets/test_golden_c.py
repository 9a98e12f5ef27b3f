"""Generated C, whole, as it was when someone read it: golden/*.

`python tests/targets/test_golden_c.py` writes the files anew, to be read. Other tests compile such code and run it.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import revolute

GOLDEN = Path(__file__).parent / "golden"


def friction() -> Any:
    drive = revolute.Drive(friction=(1.0,), damping=(0.5,), stribeck=(0.2,), stribeck_speed=(0.1,))
    return revolute.robots.planar(1).with_drives({"joint1": drive}, smoothing=0.01)


CASES: dict[str, tuple[Callable[[], Any], list[str], dict[str, Any]]] = {
    "pendulum": (lambda: revolute.robots.planar(1), ["inverse_dynamics", "forward_dynamics"], {"cpp": True}),
    "arm": (
        lambda: revolute.robots.planar(2),
        ["mass_matrix", "jacobian"],
        {"dtype": "float32", "layout": "column", "sincos": "own", "batch": True, "casadi": True,
         "options": {"jacobian": {"frame": "tip"}}},
    ),
    "friction": (friction, ["forward_dynamics"], {}),
}  # fmt: skip
"""{stem: machine, functions, options}; no self-tests: the last digit of their numbers is the platform's."""


def written(stem: str) -> dict[str, str]:
    machine, functions, options = CASES[stem]
    with tempfile.TemporaryDirectory() as folder:
        made = machine().to_c(functions, Path(folder, f"{stem}.c"), test=False, **options)
        return {path.name: path.read_text(encoding="utf-8") for path in made}


@pytest.mark.parametrize("stem", CASES)
def test_generated_code_is_as_it_was(stem: str) -> None:
    found = written(stem)
    assert found.keys() == {path.name for path in GOLDEN.glob(f"{stem}[._]*")}
    for name, text in found.items():
        golden = (GOLDEN / name).read_text(encoding="utf-8")
        assert text == golden, f"{name}: if it is meant, `python {Path(__file__).name}` writes it anew"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.iterdir():
        old.unlink()
    for each in CASES:
        for file, content in written(each).items():
            (GOLDEN / file).write_text(content, encoding="utf-8")
