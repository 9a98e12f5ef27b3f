"""Floating robots on the ground: measured wrenches replace forces of the base."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import mapping
from revolute.identification.forces.coordinates import floating
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot


def with_wrenches(robot: Robot | DrivenRobot, samples: Samples, wrenches: Mapping[str, ArrayLike]) -> Samples:
    """Samples with the forces J^T w of known wrenches added, for all estimators. GOA 27; RBDA 9.

        Y pi = tau + sum over links of J^T w

    No motor acts on a floating base. So its rows, where they are not measured, are only J^T w: force plates below the
    feet determine the masses of a robot. Ayusawa, Venture & Nakamura 2014.

    Args:
        robot: that moved.
        samples: with forces of motors; NaN at the base.
        wrenches: {link name: (T, 6)} wrenches (m, f) [N m, N] that the environment applies to the robot, about the
            link's origin and expressed in its frame. All contacts must be included.

    Raises:
        UnknownNameError, ShapeError, InputError: wrenches do not fit the robot or the samples.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import Samples, with_wrenches
        >>> box = revolute.robots.random_tree(1, rng=1, base="free")
        >>> q, still = box.home()[None], np.zeros((1, box.nv))
        >>> samples = Samples([0.0], q, still, still, np.full((1, box.nv), np.nan))
        >>> forces = with_wrenches(box, samples, {"base": [[0.0, 0, 0, 0, 0, 5.0]]})
        >>> print(forces.tau[0, :6])
        [0. 0. 0. 0. 0. 5.]
    """
    links = robot.robot if isinstance(robot, DrivenRobot) else robot
    driven = robot if isinstance(robot, DrivenRobot) else robot.with_drives()
    given = {name: np.asarray(w, dtype=float) for name, w in mapping("with_wrenches: wrenches", wrenches).items()}
    q, still = driven.joint_positions(samples.q), np.zeros((len(samples), links.nv))
    alone = links.inverse_dynamics(q, still, still)
    added = (alone - links.inverse_dynamics(q, still, still, wrenches=given)) @ driven.coupling
    tau = np.where(np.isnan(samples.tau) & floating(driven), 0.0, samples.tau)
    return replace(samples, tau=tau + added)
