"""The home page: its live figure computes what NumPy does, and it loads little."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio")  # which `bench` imports

import revolute
from bench.report import BEGIN, END
from tools.pages import live_figure

ROOT = Path(__file__).parents[2]
HOME = ROOT / "docs" / "index.md"
THEME = 1.25e6
"""Bound of what every page loads of the theme, of its own HTML and of the index of the search [byte].

Measured as 0.4 and 0.85 MB; `make docs-check` measures the whole.
"""

RUN = """
const { readFileSync } = require("fs");
const { script, q } = JSON.parse(readFileSync(0, "utf8"));
const UR5 = new Function(readFileSync(script, "utf8") + "; return UR5;")();
WebAssembly.instantiate(Buffer.from(UR5.code, "base64")).then(({ instance }) => {
  const { memory, ur5_gravity_forces, ur5_forward_kinematics } = instance.exports;
  console.log(JSON.stringify(q.map(row => {
    new Float64Array(memory.buffer, 0, 6).set(row);
    ur5_gravity_forces(0, 48);
    ur5_forward_kinematics(0, 96);
    return [...new Float64Array(memory.buffer, 48, 6 + 16 * UR5.links)];
  })));
});
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "ur5.js"
    path.write_text(live_figure.module(), encoding="utf-8")
    return path


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_module_computes_what_numpy_does(module: Path) -> None:
    robot = revolute.robots.ur5()
    q = robot.random_configuration(50, rng=0)
    given = json.dumps({"script": str(module), "q": q.tolist()})
    done = subprocess.run(["node", "-e", RUN], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = np.array(json.loads(done.stdout))
    wanted = np.hstack([robot.gravity_forces(q), robot.forward_kinematics(q).reshape(50, -1)])
    # A hundred operations of 1e-16, on torques up to 60 N m.
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_home_loads_little(module: Path) -> None:
    """At most 1.5 MB without a click; the recording waits for one."""
    text = HOME.read_text(encoding="utf-8")
    loaded = set(re.findall(r'\b(?:src|href)="([^"]+\.(?:js|css|png|svg))"', text))
    loaded |= set(re.findall(r"!\[[^]]*\]\(([^)]+)\)", text))
    assert {"assets/live/ur5.js", "assets/live/figure.js", "images/demo.png"} <= loaded
    assert "<iframe" not in text and 'data-recording="assets/live/ur5.html"' in text
    files = [module if name.endswith("/ur5.js") else HOME.parent / name for name in loaded]
    assert sum(file.stat().st_size for file in files) + THEME < 1.5e6


def test_home_has_the_table_of_speeds() -> None:
    """The one that `make bench` writes."""
    pages = [ROOT / "README.md", HOME, ROOT / "bench" / "RESULTS.md"]
    tables = {page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip() for page in pages}
    assert len(tables) == 1 and "Pinocchio" in tables.pop()
