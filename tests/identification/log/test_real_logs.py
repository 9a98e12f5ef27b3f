"""Logs of real robots load, and least squares of their samples leaves what others have found."""

from dataclasses import replace

import numpy as np
import pytest
from logs import REAL, ur10

from revolute.identification import ForceModel, Log, Samples, identify
from revolute.identification.log.blocks import advised_decimation

DRIVES = ("armature", "damping", "friction")


def unexplained(log: Log, samples: Samples, factor: int = 1) -> tuple[float, np.ndarray]:
    """Share of the forces that least squares leave, and their RMS by joint."""
    model = ForceModel(log.robot, drives=DRIVES)
    fit = identify(model, samples, estimator="ordinary", decimate=factor, check=False)
    return float(np.linalg.norm(fit.residual_rms) / np.linalg.norm(fit.signal_rms)), fit.residual_rms


def test_every_second_row_of_a_ur10() -> None:
    """Least squares of 58 parameters; its authors' log has a residual of 6.5 %."""
    log = ur10()
    share, _ = unexplained(log, log.samples(10.0))
    assert 0.05 < share < 0.07


def test_a_ur10() -> None:
    log = REAL["ur10"]()
    share, rms = unexplained(log, log.samples(10.0))
    assert share == pytest.approx(0.065, abs=0.001)
    assert rms == pytest.approx([3.4, 2.9, 2.0, 0.56, 0.49, 1.8], rel=0.06)


def test_decimation_of_a_ur10_explains_more() -> None:
    """Friction that changes its sign is filtered like the torques, so its edges fit."""
    log = REAL["ur10"]()
    share, _ = unexplained(log, log.samples(torque_cutoff=np.inf, every=1), factor := advised_decimation(log))
    assert factor > 1 and share < unexplained(log, log.samples())[0]


def test_a_tx40_without_its_coupled_wrist() -> None:
    """Joints 1 to 4 fit as they do with the coupling, that of joints 5 and 6 is missing: see the README of the log."""
    log = REAL["tx40"]()
    assert 40 < log.advised_cutoff < 80  # its publishers take 50 Hz
    _, rms = unexplained(log, log.samples(50.0, every=50))
    assert (rms[:4] / np.array([31.5, 32.9, 12.2, 5.8]) < 0.2).all()


def test_a_kr300() -> None:
    """All columns in degrees; motors' positions are those of joints; a counterbalance is missing in the model."""
    log = REAL["kr300"]()
    samples = log.samples()
    share, _ = unexplained(log, samples)
    assert len(samples) > 400 and np.abs(samples.q).max() < np.pi and share < 0.1


def test_a_tiago() -> None:
    """Steps scatter by 6 %; nothing of that is left, and the wrist has no forces to speak of."""
    log = REAL["tiago"]()
    samples = log.samples()
    assert 0.05 < log.jitter < 0.07 and log.step == pytest.approx(0.01, rel=1e-3)
    assert len(samples) > 7000 // log.preparation().every
    assert np.abs(np.diff(samples.t, 2)).max() < 1e-9
    assert (log.zero_forces[-3:] > 0.85).all() and (log.zero_forces[:-3] < 0.01).all()


def test_a_fit_reports_what_a_tiago_does_not_excite() -> None:
    """Without the forces of the wrist, no parameter of it is well determined, and fewer directions are."""
    log = REAL["tiago"]()
    model, samples = ForceModel(log.robot, drives=DRIVES), log.samples()
    arm = replace(samples, tau=np.where(np.arange(samples.tau.shape[1]) < 5, samples.tau, np.nan))
    whole, found = (identify(model, x, check=False) for x in (samples, arm))
    assert found.rank < whole.rank
    known = [name for name, verdict in zip(found.names, found.verdicts, strict=True) if verdict == "good"]
    wrist = ("arm_5_joint", "arm_6_joint", "arm_7_joint")
    assert any(name.startswith("arm_1_joint") for name in known) and not any(x.startswith(wrist) for x in known)
