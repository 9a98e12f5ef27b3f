"""Every call that an answer on the texts prints runs as it is typed, with arguments that its page describes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import revolute
from revolute import published, tensors
from revolute.library import examples
from revolute.texts import TEXTS, find
from revolute.texts.row import parts

ROBOT = revolute.robots.ur5()
Q, QD, QDD, TAU = np.random.default_rng(3).normal(size=(4, 6))
U, V, W = np.random.default_rng(4).normal(size=(3, 3))
SYMMETRIC = [[3.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]]
TURN = revolute.Rotation.from_matrix([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
INERTIA = revolute.Inertia.from_com(2.0, (0.1, 0.2, 0.3), SYMMETRIC)
OMEGA = tensors.angular_acceleration(U, V)
X, Y = dynamicsymbols("x y")
KINETIC = (X.diff() ** 2 + 2 * Y.diff() ** 2) / 2
SYSTEM = revolute.lagrange([X, Y], KINETIC, sympy.Symbol("g") * Y)

COMMON: Mapping[str, Any] = {
    "revolute": revolute, "numpy": np, "robot": ROBOT, "frame": "tool0", "hand": "tool0", "f": np.ones(6),
    "h_e": np.ones(6), "q": Q, "qd": QD, "qdd": QDD, "tau": TAU, "acceleration": TAU, "qdr": QD, "qddr": QDD,
    "momentum": QD, "q0": Q, "qd0": QD, "torque": TAU, "t": np.linspace(0, 0.01, 3), "i": 3, "j": 2,
    "drives": {"shoulder_pan_joint": revolute.Drive(damping=1.0)}, "coordinates": [X, Y], "kinetic": KINETIC,
    "potential": Y, "system": SYSTEM, "r_i": (X, Y, 0), "f_i": (1, 0, 0), "constraints": [X.diff() - Y.diff()],
    "linkage": examples.five_bar(), "it": published.MotionPartials(ROBOT, Q, QD, QDD).it, "name": "elbow",
    "k": [100.0] * 6, "J_m": 0.1, "table": np.eye(3, 4), "twist": revolute.Twist(U, V), "other": revolute.Twist(V, U),
    "F": revolute.Wrench(U, V), "inertia": INERTIA, "rotation": TURN,
    "transform": revolute.Transform(TURN, revolute.spatial.Vector(U)), "mass": 2.0, "masses": [1.0, 2.0],
    "places": [U, V],
    "place": U, "density": lambda x, y, z: 1.0 + x * x, "box": (0.1, 0.2, 0.3), "size": (0.1, 0.2, 0.3), "m": 2.0,
    "S": SYMMETRIC, "M": U, "a": 0.1, "b": 0.2, "c": 0.3, "u": U, "v": V, "w": U, "wd": V, "x": U, "e": (0, 0, 1),
    "e_i": (1, 0, 0), "e_j": (0, 1, 0), "s": V, "p": U, "r": U, "r2": U, "r_c": U, "sd": V, "sdd": V, "L": U,
    "u_bar": tensors.dual(-U), "omega_0": U, "R": np.array(TURN.matrix()),
    "Rd": np.array(tensors.dual(U)) @ np.array(TURN.matrix()), "A": OMEGA, "T": SYMMETRIC, "I": SYMMETRIC,
    "I_c": SYMMETRIC, "K": SYMMETRIC, "Omega": OMEGA, "Omega_j": OMEGA,
    **dict.fromkeys(("J", "J_c", "J_o", "J_oj", "K_hat"), INERTIA.euler()),
}  # fmt: skip
"""Values of the arguments of printed calls."""

OWN: Mapping[str, Mapping[str, Any]] = {
    "from_screws": {"S": [(0, 0, 1, 0, 0, 0)], "M": [np.eye(4)], "G": [INERTIA]},
    "inertia.momentum": {"a": revolute.spatial.Vector(V), "V": revolute.Twist(U, V)},
    "from_com": {"inertia": SYMMETRIC},
    "angle": {"t": U},
    "coupling=[[": {"robot": revolute.robots.shv("elbow")},
    "passivity_check": {"t": np.linspace(0, 1, 3), **{x: np.tile(Q, (3, 1)) for x in ("q", "qd", "tau")}},
}  # fmt: skip
"""Values of letters that mean something else in these calls."""

CALLS = {
    call for letters, rows in TEXTS.items() for row in rows for call in find(f"{letters} {parts(row.place)[0]}").calls
}


@pytest.mark.parametrize("call", sorted(CALLS))
def test_a_printed_call_runs(call: str) -> None:
    own = {name: value for words, values in OWN.items() if words in call for name, value in values.items()}
    assert eval(call, {**COMMON, **own}) is not None
