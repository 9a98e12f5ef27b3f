"""What commands print, whole, with colours, as it was when someone looked at it: pages/*.txt.

`python tests/cli/test_printed_pages.py` writes the pages anew, to be looked at. Lines end with styles: <1> is bold,
<1;31> bold and red. What differs from run to run stands as #. The numbers are checked where they are computed.
"""

import difflib
import os
import re
from pathlib import Path

import numpy as np
import pytest
from cli.calling import driven_cart
from typer.testing import CliRunner

from revolute.cli.app import app
from revolute.io import trajectory

PAGES = Path(__file__).parent / "pages"
CART = driven_cart(0.5, 0.25, 2)
FAULTY = CART.replace('ixx="0.1"', 'ixx="-0.1"').replace('velocity="2"', 'velocity="0"').replace('"2"/>', '"2000"/>')
COMMANDS = {
    "info": "info cart.urdf",
    "info-free": "info random_tree:3:7:base=free",
    "torque": "torque cart.urdf motion.csv --payload pole=5 -o torques.csv",
    "torque-rows": "torque planar:2 rows.csv",
    "simulate": "simulate cart.urdf --q0 0.2,0.1 --qd0 rail=3 --tau rail=40 --duration 0.5 -o moved.csv",
    "simulate-damped": "simulate cart.urdf --qd0 hinge=1 --duration 0.5 --joint-damping --method RK45",
    "simulate-free": "simulate random_tree:1:3:base=free --qd0 root_joint.wx=0.1 --duration 0.1",
    "trajectory": "trajectory cart.urdf --via 0,0 --via 0.8,1 --kind minimum_jerk --duration 0.5 -o move.csv",
    "trajectory-fastest": "trajectory cart.urdf --via 0,0 --via 0.8,1 --duration 1 --limits torque=40 --fastest",
    "count": "count planar:2",
    "count-source": "count puma560 --algorithm luh_walker_paul --algorithm walker_orin --counting source",
    "compare": "compare planar:2",
    "check": "check cart.urdf faulty.urdf none.urdf ur5",
    "cache": "cache --clear",
    "demo": "demo",
    "equations": "equations planar:2",
    "equations-markdown": "equations planar:2 --markdown",
    "equations-latex": "equations planar:2 --latex -o equations.tex",
}
SETTINGS = {"COLUMNS": "110", "FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": None}
VARYING = {
    "demo": r"(?<=Computed in )\S+|(?<=ms, )\d+(?= ns)|(?<=ready in )\S+|(?<=box: )\S*(?=revolute torque)",
    "simulate": r"(?<=computed in )\S+|(?<=largest drift )\S+",
    "torque": r"(?<=residual at most )\S+",
    "cache": r"(?<=compiled for ).*",
    "compare": r"(?<= )\de[-+]\d\d(?= )| +\d+\.\d{3}(?= <|$)",
}
"""What differs from run to run: durations, rounding errors, processors, where programs are."""


def files(folder: Path) -> None:
    """What the commands read."""
    (folder / "cart.urdf").write_text(CART)
    (folder / "faulty.urdf").write_text(FAULTY)
    t = np.arange(200) / 100
    q = np.stack([1.2 * np.sin(2 * t), t**2], axis=1)
    trajectory.write(folder / "motion.csv", ["t", "q.rail", "q.hinge"], t, q)
    columns = [f"{name}.joint{k}" for name in ("q", "qd", "qdd") for k in (1, 2)]
    trajectory.write(folder / "rows.csv", columns, np.column_stack([q, q, q]))


def printed(command: str, folder: Path) -> str:
    """What a command prints in a folder, and its exit status."""
    own = {"REVOLUTE_CACHE_DIR": str(folder / "kernels")} if command.startswith(("cache", "demo")) else {}
    result = CliRunner(env=SETTINGS | own).invoke(app, command.split())
    lines = [styled(line) for line in result.stdout.replace(str(folder), "FOLDER").splitlines()]
    varying = VARYING.get(command.partition(" ")[0])
    if varying:
        lines = [re.sub(varying, "#", line) for line in lines]
    return "\n".join([f"$ revolute {command}", *lines, f"exit status {result.exit_code}\n"])


def styled(line: str) -> str:
    """A line without its escape sequences, ended by the style that it begins with."""
    style = re.match(r" ?\x1b\[([\d;]*)m", line)
    plain = re.sub(r"\x1b\[[\d;]*m", "", line).rstrip()
    return f"{plain} <{style[1]}>" if style else plain


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_their_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    expected = (PAGES / f"{name}.txt").read_text(encoding="utf-8")
    found = printed(COMMANDS[name], tmp_path)
    assert found == expected, "\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), lineterm=""))


def test_every_page_has_its_command() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(COMMANDS)


if __name__ == "__main__":
    import tempfile

    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            files(Path(folder))
            (PAGES / f"{name}.txt").write_text(printed(command, Path(folder)), encoding="utf-8")
