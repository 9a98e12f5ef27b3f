"""Logs of ten million rows: seconds and memory of a fit, and what of it is reading.

`python -m bench.long_logs` writes LONG_LOGS.md. A file takes up to 3 GB under `BENCH_FOLDER`, or where temporary files
are.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import revolute
from bench import fresh
from bench.tables import machine, table, yes
from revolute.io import trajectory

__all__ = ["DAMPING", "FEW", "FRICTION", "page", "write_log"]

PAGE = Path(__file__).with_name("LONG_LOGS.md")
ROWS = 10_000_000
RATE = 1000.0
DAMPING, FRICTION, NOISE = 2.0, 1.0, 0.05
"""Of all joints [N m s, N m]; standard deviation of measured torques [N m]."""
BLOCK = 100_000
MOST_MEMORY = 500e6
FEW = 20_000
"""Rows of a log that is fitted first: what is compiled, and memory that is no log's, come from it."""


def write_log(path: Path, rows: int, *, derivatives: bool, seed: int = 0) -> Path:
    """A log of a Panda with friction and noise: t, q, tau, and qd and qdd if asked for."""
    robot = revolute.robots.panda()
    rng = np.random.default_rng(seed)
    w, phase = 2 * np.pi * rng.uniform(0.05, 0.5, (robot.nv, 5)), rng.uniform(0, 2 * np.pi, (robot.nv, 5))
    size = rng.uniform(0.1, 0.4, (robot.nv, 5)) / w**0.5
    quantities = ("q", "qd", "qdd", "tau") if derivatives else ("q", "tau")
    names = ["t", *(f"{x}.{joint}" for x in quantities for joint in robot.coordinate_names)]
    with trajectory.open_writer(path, names) as writer:
        for begin in range(0, rows, BLOCK):
            t = np.arange(begin, min(begin + BLOCK, rows)) / RATE
            angle = t[:, None, None] * w + phase
            sine, cosine = size * np.sin(angle), size * np.cos(angle)
            q, qd, qdd = sine.sum(axis=-1), (w * cosine).sum(axis=-1), -(w**2 * sine).sum(axis=-1)
            drives = DAMPING * qd + FRICTION * np.sign(qd)
            tau = robot.inverse_dynamics(q, qd, qdd) + drives + rng.normal(0, NOISE, q.shape)
            values = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
            writer.add(np.column_stack([t, *(values[x] for x in quantities)]))
    return path


def page(rows: int, say: Callable[[str], None]) -> str:
    """The whole page."""
    found = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        few = write_log(Path(name) / "few.parquet", FEW, derivatives=False)
        for what, suffix, derivatives in (
            ("Parquet: t, q, tau", ".parquet", False),
            ("Parquet: t, q, qd, qdd, tau", ".parquet", True),
            ("CSV: t, q, tau", ".csv", False),
        ):
            path = write_log(Path(name) / f"log{suffix}", rows, derivatives=derivatives)
            size = path.stat().st_size
            say(f"{what}: {size / 1e9:.1f} GB")
            x = fresh.fitted(path, few, DAMPING, FRICTION)
            say(str(x))
            path.unlink()
            found.append((
                what,
                f"{size / 1e9:.1f}",
                f"{x.seconds:.0f}",
                f"{x.reading:.1f}",
                f"{100 * x.reading / x.seconds:.0f} %",
                f"{x.before / 1e6:.0f}",
                f"{x.peak / 1e6:.0f}",
                f"{x.bias:.1f}",
                yes(x.peak <= MOST_MEMORY),
            ))
    header = ("file", "GB", "s", "reading [s]", "share", "MB before", "MB at most", "bias", "≤ 500 MB")
    return f"""# Long logs

Written by `python -m bench.long_logs`.

`revolute.identify` fits a file of {rows:,} rows of a Panda, 7 joints, 1 kHz, in a process of its own: positions
are filtered, regressor and forces decimated, base parameters include friction, and errors account for correlated
residuals. A thread reads ahead; the table lists its seconds, and their share of the elapsed time. MB is the memory of
the process, before the fit (after one of {FEW:,} rows) and at most. The bias is the largest deviation of a base
parameter from its true value, in standard errors.

{machine()}

{table(header, found)}
"""


if __name__ == "__main__":
    PAGE.write_text(page(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS, print), encoding="utf-8")
    print(f"wrote {PAGE}")
