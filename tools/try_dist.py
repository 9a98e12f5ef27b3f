"""Try the wheel and the source distribution of dist/ as a user would: each in a new virtual environment.

    python -m tools.try_dist

An environment gets one file and what it depends on. Then a script runs in it, from an empty folder: the demo robot
computes, the command line answers, an extra is named where it is missing, and an extra can be added afterwards.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

DIST = Path(__file__).parents[1] / "dist"
KINDS = ("*.whl", "*.tar.gz")

SCRIPT = """
import numpy as np, revolute

assert "site-packages" in revolute.__file__, revolute.__file__
assert revolute.__version__ == {version!r}, revolute.__version__
robot = revolute.robots.ur5()
q = robot.random_configuration(1000, rng=0)
tau = robot.inverse_dynamics(q, 0 * q, 0 * q)
assert np.allclose(tau, robot.gravity_forces(q)), "at rest, joint forces are those of gravity"
assert np.allclose(robot.forward_dynamics(q, 0 * q, tau), 0, atol=1e-9)
"""
"""What must run with the core alone."""

EXTRA = "import revolute, matplotlib; revolute.robots.ur5().plot().savefig('ur5.png')"
"""What needs the extra `plot`."""


def distributions() -> list[Path]:
    """The newest wheel and source distribution of dist/."""
    newest = {kind: max(DIST.glob(kind), key=lambda path: path.stat().st_mtime, default=None) for kind in KINDS}
    for kind, path in newest.items():
        if path is None:
            raise SystemExit(f"there is no {kind} in {DIST}: run `make dist`")
    return [path for path in newest.values() if path]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; a failure ends the program with all that it printed."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def try_one(distribution: Path) -> None:
    """Install a distribution in a new environment, and use it."""
    version = distribution.name.split("-")[1].removesuffix(".tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        venv.create(here / "env", with_pip=True)
        bin_ = here / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        pip = (bin_ / "python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
        run(*pip, distribution, cwd=here)
        run(bin_ / "python", "-c", SCRIPT.format(version=version), cwd=here)
        assert "shoulder_pan_joint" in run(bin_ / "revolute", "info", "ur5", cwd=here)
        assert "robot.velocity(q, qd, frame)" in run(bin_ / "revolute", "text", "LP", "9.45", cwd=here)
        run(*pip, f"{distribution}[plot]", cwd=here)
        run(bin_ / "python", "-c", EXTRA, cwd=here)
        assert (here / "ur5.png").stat().st_size > 10_000
    print(f"{distribution.name}: installed, computed, drew a picture")


def main() -> None:
    """Try both."""
    for distribution in distributions():
        try_one(distribution)


if __name__ == "__main__":
    main()
