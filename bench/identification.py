"""Identification beside figaroh, and of published logs.

`OPENBLAS_NUM_THREADS=1 python -m bench.identification` writes IDENTIFICATION.md.
"""

from __future__ import annotations

import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import numpy as np

import revolute
from bench import identification_logs as logs
from bench.identification_peer import Figaroh
from bench.robots import Array
from bench.tables import machine, table, yes
from bench.timing import only_cores
from revolute.identification import Fit, ForceModel, Samples
from revolute.identification.fit.linear_fit import fit_model

__all__ = ["Contest", "contest", "page", "size_of"]

PAGE = Path(__file__).with_name("IDENTIFICATION.md")
REPEATS = 15
LEAST_RATIO, MOST_DIFFERENCE = 5.0, 1e-8


class Contest(NamedTuple):
    """A fit of the same samples by both: medians of processor times in turn [s], and the largest relative difference.

    `checked` is that of `revolute.identify` with all its checks of the data.
    """

    rows: int
    peer: str
    ours: float
    checked: float
    theirs: float
    difference: float
    parameters: int


def contest(urdf: Path, robot: revolute.Robot, samples: Samples, every: int = 1, repeats: int = REPEATS) -> Contest:
    """Ordinary least squares; ours with errors of correlated residuals, theirs with those of white noise."""
    peer, model = Figaroh(urdf), ForceModel(robot, drives=logs.DRIVES)

    def ours() -> Fit:
        return fit_model(model, samples, "ordinary", every)

    def theirs() -> tuple[Array, list[str], Array]:
        return peer.fit(samples, every)

    def checked() -> Fit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ForceModel(robot, drives=logs.DRIVES)
            return revolute.identify(model, samples, estimator="ordinary", decimate=every)

    fit, (values, sums, _), _ = ours(), theirs(), checked()  # compiled, and in the cache
    seconds = [(_time(ours), _time(checked), _time(theirs)) for _ in range(repeats)]
    own, whole, other = (statistics.median(x) for x in zip(*seconds, strict=True))
    sizes = np.array([_value(text, fit, joints(robot), abs) for text in sums])
    same = np.array([_value(text, fit, joints(robot), lambda x: x) for text in sums])
    difference = float(np.max(np.abs(same - values) / np.maximum(np.abs(values), 1e-3 * sizes)))
    return Contest(fit.rows // robot.nv, peer.name, own, whole, other, difference, len(values))


def joints(robot: revolute.Robot) -> dict[str, str]:
    """The link that each joint carries."""
    return {body.joint_name: body.name for body in robot.bodies}


def _value(text: str, fit: Fit, carried: dict[str, str], size: Callable[[float], float]) -> float:
    """A sum of theirs with our full parameters: "joint_2:mx + 0.225*joint_3:m"; `size` is taken of each term."""
    found = dict(zip(fit.model.names, fit.parameters.tolist(), strict=True))
    total = 0.0
    for sign, factor, name in re.findall(r"([+-]?)\s*(?:([\d.e+-]+)\s*\*\s*)?([A-Za-z_]\w*[:.]\w+)", text):
        joint, colon, kind = name.partition(":")
        own = f"{carried[joint]}.{kind}" if colon else name
        total += size((-1 if sign == "-" else 1) * float(factor or 1) * found[own])
    return total


def _time(call: Callable[[], object]) -> float:
    """Processor time of a call, which other programs hardly change."""
    start = time.process_time()
    call()
    return time.process_time() - start


# --- installed size --------------------------------------------------------------------------


def size_of(name: str, extra: str = "") -> tuple[int, float]:
    """Packages that a package brings, itself included, and their size [MB]; (0, 0) where it is not installed."""
    waiting, seen = [(name, extra)], dict[str, float]()
    while waiting:
        package, wanted = waiting.pop()
        key = re.sub(r"[-_.]+", "-", package).lower()
        if (found := _distribution(package)) is None:
            continue
        if key not in seen:
            seen[key] = sum(_bytes(path) for path in {Path(str(file.locate())) for file in found.files or ()}) / 1e6
        for line in found.requires or ():
            if (needed := _needed(line, wanted)) is not None and re.sub(r"[-_.]+", "-", needed).lower() not in seen:
                waiting.append((needed, ""))
    return len(seen), sum(seen.values())


def _distribution(package: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return None


def _needed(line: str, extra: str) -> str | None:
    """The package of a requirement, if it holds for this extra; those of other systems are not installed anyway."""
    of_extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
    if of_extra and of_extra[1] != extra:
        return None
    name = re.match(r"[\w.-]+", line)
    return name[0] if name else None


def _bytes(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


# --- published logs --------------------------------------------------------------------------


def _contests() -> Iterator[str]:
    robot, samples = logs.tx40()
    urdf = logs.DATA / "staubli_tx40" / "tx40_mdh_modified.urdf"
    rows = []
    with only_cores(1):
        for what, own, every in (
            ("at 100 Hz", samples[::50], 1),
            ("at 1 kHz", samples[::5], 1),
            ("at 5 kHz", samples, 50),
        ):
            x = contest(urdf, robot, own, every)
            ratio = x.theirs / x.ours
            figures = (
                f"{len(own):,} {what}{', decimated' if every > 1 else ''}",
                str(x.parameters),
                f"{1e3 * x.ours:.0f}",
                f"{1e3 * x.theirs:.0f}",
                f"{ratio:.1f}",
                f"{1e3 * x.checked:.0f}",
                f"{x.theirs / x.checked:.1f}",
            )
            met = ratio >= LEAST_RATIO and x.difference <= MOST_DIFFERENCE
            rows.append((*figures, f"{x.difference:.1e}", yes(met)))
    ours = ("Revolute [ms]", f"{x.peer} [ms]", "ratio", "checked [ms]", "checked ratio")
    header = ("instants", "parameters", *ours, "difference", "met")
    yield f"""## Beside figaroh

Both fit the same samples of the TX40 on one core, with one thread of BLAS. Figures are medians of processor times in
turns, from samples and a loaded model to base parameters by ordinary least squares with standard errors, without checks
of the log. "Checked" is `revolute.identify`, with its checks. Our errors are for correlated residuals, theirs for white
noise. "Decimated" is as in figaroh's example: one filter for regressor and torques. The difference is the largest one
between base parameters. Targets: a ratio of at least {LEAST_RATIO:.0f}, a difference of at most {MOST_DIFFERENCE:g}."""
    yield table(header, rows)
    sizes = [("Revolute with `identify`", *size_of("revolute", "identify")), ("figaroh", *size_of("figaroh"))]
    yield table(("installed", "packages", "MB"), [(n, str(k), f"{mb:.0f}") for n, k, mb in sizes if k])


def _tx40() -> Iterator[str]:
    robot, samples = logs.tx40()
    model = logs.tx40_model(robot)
    fits = {kind: fit_model(model, samples, kind, decimate=50) for kind in ("ordinary", "weighted", "huber")}
    published = logs.tx40_published()
    columns = fits["ordinary"].base.columns
    forms = np.array([logs.form(x.name, model.names)[columns] for x in published])
    rows = []
    for kind, fit in fits.items():
        ours = forms @ fit.values
        by = "ordinary" if kind == "ordinary" else "weighted"
        theirs = np.array([getattr(x, by) for x in published])
        deviations = np.abs(theirs) * [getattr(x, f"{by}_percent") for x in published] / 100
        within = int(np.sum(np.abs(ours - theirs) <= 3 * deviations))
        rows.append(
            (kind, f"{within} of 60", *_residuals(fit, fit.values), *_residuals(fit, np.linalg.solve(forms, theirs)))
        )
    few = fits["weighted"].essential(1e-3)
    yield """## Staubli TX40

5 kHz, positions filtered at 50 Hz, regressor and torques decimated in parallel to 100 Hz. Published: 60 base parameters
by figaroh. Our regressor computes the residuals of both, on the same rows [N m]."""
    header = (
        "estimator",
        "within 3 published deviations",
        "our residual",
        "by joint",
        "published residual",
        "by joint",
    )
    yield table(header, rows)
    yield f"F-tests at 0.1 % leave {len(few.values)} essential parameters; published: 25."


def _residuals(fit: Fit, values: Array) -> tuple[str, str]:
    squares = fit.sums.squares(values)
    by_joint = np.sqrt(squares / fit.sums.counts)
    return f"{np.sqrt(squares.sum() / fit.sums.counts.sum()):.3f}", _listed(by_joint)


def _listed(x: Iterable[float], digits: int = 2) -> str:
    return " ".join(f"{each:.{digits}f}" for each in x)


def _rms(x: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(x**2, axis=0)))


def _ur10() -> Iterator[str]:
    robot, exciting, other = logs.ur10()
    yield """## UR10

The filter has 10 Hz. The torques of the second file are computed by the authors' own identified model, not measured:
the difference is one of two models, fitted to the same exciting trajectory [N m]."""
    rows = [("signal of the second file", "", _listed(_rms(other.tau)))]
    for kind in ("ordinary", "weighted", "huber"):
        fit = revolute.identify(ForceModel(robot, drives=logs.DRIVES), exciting, estimator=kind)
        rows.append((kind, _listed(fit.residual_rms), _listed(_rms(fit.predict(other) - other.tau))))
    yield table(("estimator", "residual of the fit", "from the authors' model"), rows)


def _kr300() -> Iterator[str]:
    arm, samples = logs.kr300(), {name: logs.kr300_log(name) for name in "CAB"}
    yield """## KUKA KR300

Joint 2 has a counterbalance. Models are fitted to log C; the table lists the RMS of prediction errors, as a share of
the torques' RMS [%], by joint. C moves joint 2 by only 25 degrees, so a fit of all base parameters cannot distinguish
the counterbalance from weight. With the links' inertias from the maker's drawings, C determines its force."""
    rows = []
    for links in (True, False):
        for terms in ([], logs.kr300_counterbalance()):
            names = ForceModel(arm, drives=logs.DRIVES, terms=terms).names
            only = None if links else [*names[10 * arm.n_joints :]]
            fit = fit_model(ForceModel(arm, drives=logs.DRIVES, terms=terms, only=only), samples["C"])
            what = f"{'all' if links else 'drives alone'}, {'with' if terms else 'without'} counterbalance"
            shares = [100 * _rms(fit.predict(x) - x.tau) / _rms(x.tau) for x in samples.values()]
            force = ""
            if terms:
                k = fit.names.index("counterbalance.force")
                force = f"{fit.values[k] / 1e3:.1f} +- {fit.standard_errors[k] / 1e3:.1f}"
            rows.append((what, *(_listed(share, 0) for share in shares), force))
    yield table(("fitted", "C", "A", "B", "force [kN]"), rows)
    yield f"From the data of its gas and piston, the force is {logs.kr300_counterbalance()[0].value / 1e3:.1f} kN."


def page() -> str:
    """The page."""
    parts = ["# Identification", "Written by `OPENBLAS_NUM_THREADS=1 python -m bench.identification`.", machine()]
    for section in (_contests, _tx40, _ur10, _kr300):
        parts += section()
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
