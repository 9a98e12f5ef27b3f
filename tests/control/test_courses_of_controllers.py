"""States of a controller along motions that run in pieces, keep some instants, stop early, or break off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from motions import swing

import revolute
from revolute import SimulationError
from revolute.control import Adaptive

ARM = revolute.robots.planar(2)
START, STILL = np.array([0.3, -0.2]), np.zeros(2)
T = np.arange(401) * 1e-3
LAW = Adaptive(ARM, swing, 5.0, 3.0, rates=0.5, estimates=ARM.inertial_parameters / 2)


@pytest.fixture(params=["in pieces", "whole"])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Motions in pieces of the shortest length, or as usual."""
    if request.param == "in pieces":
        monkeypatch.setattr("revolute.simulate.loop.SECONDS", 1e-7)


def run(batch: tuple[int, ...] = (), **options: Any) -> Any:
    q = np.broadcast_to(START, (*batch, 2)) * np.linspace(0.5, 1, 2)
    return ARM.simulate(q, STILL, LAW, T, "semi_implicit_euler", **options)


WHOLE = run()


@pytest.mark.parametrize("batch", [(), (9,), (2, 3)])
@pytest.mark.usefixtures("pieces")
def test_states_are_those_of_the_whole_motion(batch: tuple[int, ...]) -> None:
    motion = run(batch)
    assert motion.controller["estimates"].shape == (*batch, 401, 2, 10)
    one = motion.row((0,) * len(batch)) if batch else motion
    assert np.array_equal(one.q, WHOLE.q) and np.array_equal(one.controller["estimates"], WHOLE.controller["estimates"])
    assert np.ptp(WHOLE.controller["estimates"], axis=0).max() > 1e-3


@pytest.mark.usefixtures("pieces")
def test_every_seventh_instant_has_its_state() -> None:
    motion = run(every=7)
    assert np.array_equal(motion.q, WHOLE.q[::7])
    assert np.array_equal(motion.controller["estimates"], WHOLE.controller["estimates"][::7])


@pytest.mark.parametrize("every", [1, 7])
def test_an_event_ends_the_states_too(every: int) -> None:
    motion = run(every=every, events=[lambda t, q, qd: 0.05 - t + 1e-4])
    assert motion.t[-1] == pytest.approx(0.0501, abs=1e-10)
    kept = WHOLE.controller["estimates"][:51:every]
    assert np.array_equal(motion.controller["estimates"][:-1], kept[: len(motion) - 1])
    assert np.array_equal(motion.controller["estimates"][-1], WHOLE.controller["estimates"][50])  # held since 50 ms


def test_parts_and_other_times_have_states() -> None:
    estimates = WHOLE.controller["estimates"]
    assert np.array_equal(WHOLE[10:20].controller["estimates"], estimates[10:20])
    between = WHOLE.resample((T[10:20] + T[11:21]) / 2).controller["estimates"]
    np.testing.assert_allclose(between, (estimates[10:20] + estimates[11:21]) / 2, rtol=1e-12, atol=1e-15)


@pytest.mark.usefixtures("pieces")
def test_a_motion_that_breaks_off_has_the_states_until_then() -> None:
    law = Adaptive(ARM, swing, 5.0, 3.0, rates=1e200)
    with pytest.raises(SimulationError, match=r"(diverge|no finite force).*joint|Adaptive.*diverge") as caught:
        ARM.simulate(START, STILL, law, T, every=1)
    motion: Any = caught.value.partial
    assert len(motion) == len(motion.controller["estimates"]) < 401
    assert np.isfinite(motion.q).all() and np.isfinite(motion.tau).all()


@pytest.mark.parametrize("torque", [None, lambda t, q, theta, qd, thetad: np.zeros(2)])
def test_elastic_joints_are_told_a_stable_step(torque: Any) -> None:
    """sqrt(K / B) and the arm's own stiffness of the springs: some hundred a second."""
    arm = ARM.with_elastic_joints([1e4, 1e4], [0.1, 0.1])
    t = np.arange(2000) * 0.02
    with pytest.raises(SimulationError, match=r"steps of 0\.02 s are too long.*steps of 0\.0025 s are stable"):
        arm.simulate([0.1, 0.0], STILL, STILL, STILL, torque, t, method="semi_implicit_euler")
    fine = arm.simulate([0.1, 0.0], STILL, STILL, STILL, torque, t[:50] / 8, method="semi_implicit_euler")
    assert np.abs(fine.q).max() < 1.0
