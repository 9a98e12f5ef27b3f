"""The record of a motion, as people see it."""

from __future__ import annotations

import numpy as np

import revolute


def test_a_motion_is_one_line() -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 2, 2001)
    one = robot.simulate([0.0, 0.5], [0.0, 0.0], None, t)
    assert repr(one) == "<Simulation: 2,001 instants, t from 0 to 2 s, q (2001, 2), qd (2001, 2)>"
    batch = robot.simulate(np.zeros((3, 4, 2)), np.zeros(2), None, t[:11])
    assert repr(batch) == "<Simulation: 12 motions, 11 instants, t from 0 to 0.01 s, q (3, 4, 11, 2), qd (3, 4, 11, 2)>"
