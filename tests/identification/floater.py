"""A floating robot with two joints, and a motion of it in flight."""

import numpy as np

from revolute import Free, Inertia, Joint, Link, Revolute, Robot, Transform
from revolute.identification import Samples

T = np.arange(2000) / 500


def floater() -> Robot:
    """A floating box of 6 kg, and two links on axes that are not parallel."""
    box = Inertia.box(6.0, (0.5, 0.3, 0.2))
    first = Inertia.box(2.0, (0.4, 0.1, 0.1), Transform(p=(0.2, 0.0, 0.02)))
    second = Inertia.box(1.0, (0.1, 0.1, 0.5), Transform(p=(0.03, 0.0, 0.25)))
    return Robot.from_links(
        "floater",
        [Link("world"), Link("box", box), Link("upper", first), Link("lower", second)],
        [
            Joint("free", "world", "box", Free()),
            Joint("shoulder", "box", "upper", Revolute((0, 0, 1)), Transform(p=(0.2, 0.1, 0.1))),
            Joint("elbow", "upper", "lower", Revolute((0, 1, 0)), Transform(p=(0.4, 0.0, 0.0))),
        ],
    )


ROBOT = floater()
TRUE = ROBOT.with_inertial_parameters(np.array([[1.2], [0.85], [1.3]]) * ROBOT.inertial_parameters)
"""The robot of the log."""


def flight(robot: Robot) -> Samples:
    """A motion by forces of the joints alone, which are measured."""
    rng = np.random.default_rng(3)
    w, phase = rng.uniform(4, 12, (2, 6, 1, 2))
    tau = np.zeros((len(T), robot.nv))
    tau[:, 6:] = np.array([1.5, 0.6]) * np.sin(w * T[:, None] + phase).sum(axis=0)
    turning = np.array([1.0, 0.7, -0.5, 0.3, 0.2, 9.0, 0.0, 0.0])  # thrown up
    found = robot.simulate(robot.home(), turning, tau, T)
    return Samples(T, found.q, found.qd, found.qdd, np.where(np.arange(robot.nv) < 6, np.nan, found.tau))
