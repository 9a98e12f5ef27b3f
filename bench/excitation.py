"""Exciting motions: `OPENBLAS_NUM_THREADS=1 python -m bench.excitation [LOGS]` writes EXCITATION.md.

LOGS is a folder with `ur10/ur10_exciting_trajectory.csv` and `ur10/ur10_robot.urdf` of Petrone et al. 2025; without it
that comparison is left out.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from bench.tables import machine, number, table, yes
from revolute.identification import ExcitationLimits, ExcitingMotion, ExpectedLog, ForceModel, Samples, excite
from revolute.identification.excitation.information import UNSCALED, condition, log_det
from revolute.identification.excitation.problem import INFORMATION, Problem, problem_of
from revolute.identification.excitation.search import candidates, random_curve
from revolute.identification.forces.base_parameters import base_columns

__all__ = ["differences", "page", "random_search"]

PAGE = Path(__file__).with_name("EXCITATION.md")
SEEDS, STARTS = range(3), 2
ARMS: dict[str, tuple[Callable[[], revolute.Robot], ExcitationLimits]] = {
    "UR5": (revolute.robots.ur5, ExcitationLimits(height=0.0, acceleration=10.0)),
    "Panda": (revolute.robots.panda, ExcitationLimits(height=0.05, acceleration=8.0)),
}
HEADER = ("robot", "criterion", "seconds of one core", "Revolute", "random search", "curves", "errors smaller by", "")


def random_search(problem: Problem, seconds: float, seed: int) -> tuple[float, int]:
    """The best criterion of random curves within limits that can be drawn in a time, and their number."""
    rng, started, best, count = np.random.default_rng(seed), time.process_time(), np.inf, 0
    centers = candidates(problem, rng)
    basis = problem.curves.basis(problem.instants(INFORMATION))
    while time.process_time() - started < seconds:
        motion = problem.curves.motion(random_curve(problem, centers, rng), basis)
        best = min(best, problem.criterion(problem.information.matrix(problem.information.regressor(*motion)))[0])
        count += 1
    return best, count


def differences(problem: Problem, x: Any) -> Any:
    """The gradient by forward differences."""
    basis = problem.curves.basis(problem.instants(INFORMATION))

    def value(at: Any) -> float:
        motion = problem.curves.motion(at, basis)
        return problem.criterion(problem.information.matrix(problem.information.regressor(*motion)))[0]

    first, steps = value(x), 1e-7 * np.eye(len(x))
    return np.array([(value(x + step) - first) / 1e-7 for step in steps])


def _searches() -> Iterator[tuple[str, ...]]:
    for name, (make, limits) in ARMS.items():
        for criterion in ("d", "condition"):
            model = ForceModel(make())
            problem = problem_of(model, 10.0, 5, criterion, True, limits, ExpectedLog())
            found, drawn, seconds, counts = [], [], [], []
            for seed in SEEDS:
                started = time.process_time()
                ours = excite(model, criterion=criterion, starts=STARTS, rng=seed, limits=limits)
                seconds.append(time.process_time() - started)
                found.append(ours.starts.min())
                best, count = random_search(problem, seconds[-1], seed)
                drawn.append(best)
                counts.append(count)
                print(name, criterion, seed, found[-1], best, count, file=sys.stderr, flush=True)
            ours, theirs = statistics.median(found), statistics.median(drawn)
            texts = (f"{x:.3f}" if criterion == "d" else f"{np.exp(x):.1f}" for x in (ours, theirs))
            ratio = f"{np.exp((theirs - ours) / 2):.2f}" if criterion == "d" else "–"
            all_better = yes(all(a < b for a, b in zip(found, drawn, strict=True)))
            count = f"{statistics.median(counts):,.0f}"
            yield name, criterion, number(statistics.median(seconds)), *texts, count, ratio, all_better


def _median_us(calls: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """Microseconds of one core that each call takes: medians, in turn."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, own in zip(calls, times, strict=True):
            started = time.process_time()
            call()
            own.append(time.process_time() - started)
    return [1e6 * statistics.median(own) for own in times]


def _gradient(name: str, problem: Problem) -> tuple[str, ...]:
    rng = np.random.default_rng(0)
    x = random_curve(problem, candidates(problem, rng), rng)
    basis = problem.curves.basis(problem.instants(INFORMATION))
    exact, slow = problem.objective(x, basis)[1], differences(problem, x)
    error = np.abs(exact - slow).max() / np.abs(exact).max()
    motion = problem.curves.motion(x, basis)
    weights = rng.standard_normal((*motion[1].shape, problem.information.regressor.width))
    kernel, ours, theirs = _median_us(
        (
            lambda: problem.information.regressor.gradient(*motion, weights),
            lambda: problem.objective(x, basis),
            lambda: differences(problem, x),
        ),
        20,
    )
    texts = map(number, (kernel, ours, theirs, theirs / ours))
    return name, str(x.size), str(len(motion[0])), *texts, f"{error:.1g}"


def _published(folder: Path) -> Iterator[tuple[str, ...]]:
    """A published exciting motion of a UR10, and ours with its duration and its own largest rates for limits."""
    robot = revolute.load(folder / "ur10_robot.urdf")
    rows = np.loadtxt(folder / "ur10_exciting_trajectory.csv", delimiter=",", skiprows=1)
    t, q = rows[:, 0], rows[:, 1:7]
    qd, qdd = _rates(t, q)
    inner = slice(50, -50)  # ends of the filter
    most = [np.abs(x[inner]).max(axis=0) for x in (qd, qdd)]
    low, high = q[inner].min(axis=0), q[inner].max(axis=0)
    model = ForceModel(robot)
    ranges = {name: (a, b) for name, a, b in zip(robot.joint_names, low, high, strict=True)}
    limits = ExcitationLimits(position=ranges, velocity=most[0], acceleration=most[1])
    settings: dict[str, Any] = {
        "duration": float(t[-1] - t[0]), "limits": limits, "log": ExpectedLog(noise=1.0, rate=125.0)
    }  # fmt: skip
    theirs = model.regressor(Samples(t[inner], q[inner], qd[inner], qdd[inner], 0 * qd[inner]))
    columns = base_columns(model).columns
    yield _row("published, Petrone et al. 2025", theirs, columns)
    for harmonics, criterion in ((5, "d"), (10, "d"), (10, UNSCALED)):
        ours = excite(model, harmonics=harmonics, criterion=criterion, starts=1, **settings)
        yield _row(f"Revolute, {criterion}, {harmonics} harmonics", _sampled(ours), columns)


def _sampled(found: ExcitingMotion) -> Any:
    t = np.arange(0, found.trajectory.duration, 1 / found.rate)
    q, qd, qdd = found.trajectory(t)
    return found.model.regressor(Samples(t, q, qd, qdd, 0 * qd))


def _row(name: str, Y: Any, columns: Any) -> tuple[str, ...]:
    W = Y[..., columns].reshape(-1, len(columns))
    scaled = W / np.linalg.norm(W, axis=0)
    conditions = (f"{np.exp(condition(x)[0]):,.0f}" for x in (W, scaled))
    return name, f"{len(Y):,}", *conditions, f"{log_det(W)[0]:.2f}"


def _rates(t: Any, q: Any) -> tuple[Any, Any]:
    """Central differences of positions behind a filter of 10 Hz without phase."""
    from scipy.signal import butter, filtfilt

    step = float(np.median(np.diff(t)))
    b, a = butter(4, 10 * 2 * step)
    qd = np.gradient(filtfilt(b, a, q, axis=0), step, axis=0)
    return qd, np.gradient(qd, step, axis=0)


def page(logs: Path | None) -> str:
    """The page."""
    parts = [
        "# Exciting motions\n\nWritten by `OPENBLAS_NUM_THREADS=1 python -m bench.excitation`.",
        "## Beside random search in equal time\n\nRevolute searches from two starts; random search draws curves as "
        f"large as the limits allow, for the same time on one core. Figures are medians of {len(SEEDS)} seeds, for "
        '10 s, five harmonics, friction and offsets. "d" is -log det of the information per parameter, "condition" the '
        "condition number. The last column shows whether Revolute's motion is better for every seed.",
        table(HEADER, _searches()),
        "## The gradient\n\nMicroseconds on one core for criterion and gradient at all samples of a curve.",
        table(
            ("robot", "unknowns", "samples", "kernel of regressor_gradient", "criterion and gradient",
             "forward differences", "times slower", "differences' error"),
            [
                _gradient(name, problem_of(ForceModel(make()), 10.0, 5, "d", True, limits, ExpectedLog()))
                for name, (make, limits) in ARMS.items()
            ],
        ),
    ]  # fmt: skip
    if logs is not None:
        parts += [
            "## Beside a published motion\n\nRevolute's motion of a UR10 has the duration of the published one, and "
            "its ranges of position, velocity and acceleration as limits. The table lists condition numbers of the "
            "base regressor with friction and offsets, in SI units and with columns of length one, and -log det per "
            "parameter, of all samples.",
            table(("motion", "samples", "condition, SI", "of scaled columns", "-log det"), _published(logs / "ur10")),
        ]
    return "\n\n".join([*parts, machine()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]) if len(sys.argv) > 1 else None), encoding="utf-8")
