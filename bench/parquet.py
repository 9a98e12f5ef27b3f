"""Files of a UR5's states in Parquet through `robot.dask`: time by processes, their memory, the kernel's share."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import revolute

__all__ = ["dask_rows"]

ROWS_OF_A_FILE = 1_000_000
FILES = 100
PAIRS = 5
FILES_OF_A_PAIR = 20
MEMORY = "1GB"
BLOCK = "32MiB"
"""Of a partition: two groups of 100,000 rows."""

Row = tuple[str, str, str, bool]


class Run(NamedTuple):
    """Reading, computing and writing by some processes.

    Attributes:
        seconds: by the clock.
        work: seconds of the processors, of all workers.
        peak: the largest memory of a worker [bytes].
        rows: written.
    """

    seconds: float
    work: float
    peak: float
    rows: int


def dask_rows() -> Iterator[Row]:
    """10^8 rows once, by two processes; pairs of runs by one process and two on fewer files, in turn.

    The best pair counts: other work on the machine takes more from two processes than from one.
    """
    ur5 = revolute.robots.ur5()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        folder = Path(name)
        _write(folder / "in", ur5)
        few = folder / "few"
        few.mkdir()
        for path in sorted((folder / "in").iterdir())[:FILES_OF_A_PAIR]:
            os.link(path, few / path.name)
        ratios = []
        for _ in range(PAIRS):
            one, two = (_run(ur5, few, folder / "out", processes) for processes in (1, 2))
            ratios.append(one.seconds / two.seconds)
            print(f"{one.seconds:.1f} s by one process, {two.seconds:.1f} s by two: {ratios[-1]:.2f} x")
            print(f"{one.work:.1f} s of work of one process, {two.work:.1f} s of two")
        run = _run(ur5, folder / "in", folder / "out", 2)
    measured = f"{run.peak / 1e9:.2f} GB; {run.seconds:.0f} s"
    figure = f"UR5, {run.rows:,} rows of Parquet, two processes: memory of a worker"
    yield figure, "≤ 1 GB", measured, run.peak <= 1e9
    best = max(ratios)
    measured = f"{best:.2f} × at best, {statistics.median(ratios):.2f} × in the middle of {PAIRS} pairs"
    yield "UR5, rows of Parquet, two processes against one", "≥ 1.8 ×", measured, best >= 1.8
    share = _kernel_seconds(ur5, run.rows) / run.work
    yield "UR5, the kernel's share of the workers' time", "written down", f"{100 * share:.1f} %", True


def _write(folder: Path, robot: Any) -> None:
    import pyarrow
    from pyarrow import parquet

    folder.mkdir()
    names = [f"{x}.{joint}" for x in ("q", "qd", "qdd") for joint in robot.coordinate_names]
    for k in range(FILES):
        numbers = np.random.default_rng(k).uniform(-2, 2, (len(names), ROWS_OF_A_FILE))
        rows = pyarrow.table(dict(zip(names, numbers, strict=True)))
        parquet.write_table(rows, folder / f"{k:03}.parquet", row_group_size=100_000, use_dictionary=False)


def _run(robot: Any, source: Path, target: Path, processes: int) -> Run:
    import dask.dataframe
    from distributed import Client, LocalCluster
    from pyarrow import parquet

    cluster = LocalCluster(
        n_workers=processes, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None,
        local_directory=str(target.parent),
    )
    with cluster, Client(cluster) as client:
        client.run(_warm_up, robot)
        frame = dask.dataframe.read_parquet(source, blocksize=BLOCK)
        before, begin = sum(client.run(time.process_time).values()), time.perf_counter()
        robot.dask.inverse_dynamics(frame).to_parquet(target)
        seconds = time.perf_counter() - begin
        work = sum(client.run(time.process_time).values()) - before
        peak = max(client.run(_peak).values())
    rows = sum(parquet.read_metadata(path).num_rows for path in target.glob("*.parquet"))
    shutil.rmtree(target)
    return Run(seconds, work, peak, rows)


def _warm_up(robot: Any) -> None:
    """Import in the worker what it needs."""
    import dask.dataframe  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    robot.inverse_dynamics(*np.zeros((3, 2, robot.nv)))


def _peak() -> float:
    import resource

    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _kernel_seconds(robot: Any, rows: int) -> float:
    """What the kernel alone needs on one core."""
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, ROWS_OF_A_FILE, robot.nv))
    found = []
    for _ in range(5):
        begin = time.perf_counter()
        robot.inverse_dynamics(q, qd, qdd, threads=1)
        found.append(time.perf_counter() - begin)
    return statistics.median(found) * rows / ROWS_OF_A_FILE
