"""Logs of joints at rest, of constant, absent or zero forces, and of few rows: a fit, or an error of this library."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from recorded import fourier

import revolute
from revolute import ModelWarning, RevoluteError
from revolute.identification import Fit, ForceModel, Samples, read_log, save_report, validate
from revolute.identification.validation.bias import bias, bins_of

ARM = revolute.robots.planar(2)
REAL = ARM.with_drives({name: revolute.Drive(damping=2.0, friction=1.5) for name in ARM.joint_names})
T, Q, *_ = fourier(2, 600, 50.0)

Array = np.ndarray
Change = Callable[[Array, Array], tuple[Array, Array]]


def moved(q: Array, noise: float = 0.01) -> Samples:
    """The motion and its forces, by differences."""
    t = T[: len(q)]
    qd = np.gradient(q, t, axis=0)
    qdd = np.gradient(qd, t, axis=0)
    tau = REAL.inverse_dynamics(q, qd, qdd)
    return Samples(t, q, qd, qdd, tau + noise * np.random.default_rng(1).standard_normal(tau.shape))


def second(x: Array, value: float | Array) -> Array:
    return np.column_stack([x[:, 0], np.broadcast_to(value, len(x))])


MOTIONS = {
    "one joint at rest": second(Q, 0.3),
    "all at rest": 0 * Q + 0.3,
    "at rest half of the time": np.concatenate([np.repeat(Q[:1], 300, axis=0), Q[:300]]),
    "a single stroke": second(Q, np.clip(T / 8, 0, 1)),
    "constant speed": 0.1 * T[:, None] * [1, 1],
    "a jump": second(Q, T > 5.0),
    "rounded": Q.round(1),
    "40 rows": Q[:40],
    "3 rows": Q[:3],
}
FORCES: dict[str, Callable[[Array], Array]] = {
    "constant": lambda tau: second(tau, 2.0),
    "all constant": lambda tau: 0 * tau + 2.0,
    "zero": lambda tau: second(tau, 0.0),
    "all zero": lambda tau: 0 * tau,
    "one column empty": lambda tau: second(tau, np.nan),
    "half a column empty": lambda tau: second(tau, np.where(np.arange(len(tau)) < 300, np.nan, tau[:, 1])),
    "one cell left": lambda tau: second(tau, np.where(np.arange(len(tau)) > 0, np.nan, tau[:, 1])),
    "rounded": lambda tau: tau.round(0),
    "immense": lambda tau: 1e40 * tau,
    "minute": lambda tau: 1e-40 * tau,
    "an outlier": lambda tau: tau + 1e9 * (np.arange(len(tau)) == 100)[:, None],
}
LOGS = {**{name: moved(q) for name, q in MOTIONS.items()}, "without noise": moved(Q, 0.0)}
LOGS |= {f"forces: {name}": Samples(*[getattr(moved(Q), x) for x in ("t", "q", "qd", "qdd")], change(moved(Q).tau))
         for name, change in FORCES.items()}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize(
    "way", ["samples", "log", "auto", "huber", "physical", pytest.param("search", marks=pytest.mark.slow)]
)
def test_degenerate_logs_end_in_a_fit_or_in_an_error_of_this_library(name: str, way: str, tmp_path: Path) -> None:
    """Warnings of NumPy are errors in tests."""
    log = LOGS[name]
    estimator = "huber" if way == "huber" else "weighted"
    model = ForceModel(ARM, stribeck="search" if way == "search" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            source = log
            if way in ("log", "auto"):
                source = read_log(ARM, {"t": log.t, "q": log.q, "tau": log.tau}, delay="auto" if way == "auto" else 0)
            fit = revolute.identify(model, source, estimator=estimator, physical=way == "physical")
        except RevoluteError as error:
            assert str(error) and (len(log) < 50 or "rest" in name or name.startswith("forces") or way == "auto")
            return
        trial = validate(fit, source)
    assert isinstance(fit, Fit) and str(fit) and str(trial) and fit.to_dict() and trial.to_dict()
    save_report(tmp_path / "report.html", fit, {"own": trial})
    assert (fit.standard_errors >= 0).all() and not np.isnan(fit.values).any()


@pytest.mark.parametrize("still", [0.15, 0.5, 0.97])
def test_no_bin_of_speeds_is_empty(still: float) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(0, 0.3, int(rng.integers(200, 1000)))
        x[rng.random(len(x)) < still] = 0.0  # a joint that stands still for a while
        measured = rng.random(len(x)) < 0.9
        bins = bins_of(x, measured)
        if bins is None:  # speeds of one sign, and hardly any
            assert still == 0.97
            continue
        assert bins.counts.min() > 0 and bins.counts.sum() == measured.sum()
        assert (bins.edges[:-1] <= bins.centres).all() and (bins.centres <= bins.edges[1:]).all()
        found = bias(np.where(measured, rng.normal(size=len(x)), np.nan), bins)
        assert np.isfinite(found.means).all() and np.isfinite(found.errors).all() and 0 <= found.p <= 1
