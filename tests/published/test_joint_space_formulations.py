"""The published formulations of the inertia matrix, accelerations and sensitivity: what is particular to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from comparing import assert_raises

from revolute import ModelError, Robot
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.library import random_tree
from revolute.published import FORMULATIONS, Formulation
from revolute.published.walker_orin import conjugate_gradient
from revolute.spatial import Inertia

JOINT_SPACE = [f for f in FORMULATIONS.values() if f.quantity != "inverse_dynamics"]


def state_of(robot: Robot, seed: int) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, size).tolist() for size in (robot.nq, robot.nv, robot.nv)]


def test_the_closed_form_takes_floating_trees() -> None:
    robot = random_tree(7, rng=5, base="free")
    (q, _, _) = state_of(robot, 5)
    found = FORMULATIONS["closed_form_mass_matrix"].function(robot, q)
    ours = np.array(mass_matrix(robot, q))
    assert np.abs(np.array(found) - ours).max() <= 1e-12 * np.abs(ours).max()


def test_conjugate_gradients_need_no_more_iterations_than_joints_but_for_rounding() -> None:
    robot = random_tree(3, rng=2, branching=0, prismatic=0)
    q, qd, tau = state_of(robot, 2)
    ours = np.array(articulated_body(robot, q, qd, tau))
    errors = [np.abs(np.array(conjugate_gradient(robot, q, qd, tau, k)) - ours).max() for k in (1, 2, 3, 30)]
    # of order one before; then rounding times the square of the condition of M, some 1e2
    assert min(errors[:2]) > 1e-3 and max(errors[2:]) < 1e-10 * np.abs(ours).max(), errors


@pytest.mark.parametrize(
    "inertia",
    [
        Inertia.from_com(1.5, (0.1, 0.2, 0.3)),
        Inertia.from_com(1.5, (0.1, 0.2, 0.3), ((0, 0, 0), (0, 0.2, 0), (0, 0, 0.2))),
        Inertia(),
    ],
    ids=["point", "rod", "nothing"],
)
def test_the_orthogonal_complement_takes_links_without_extent(inertia: Inertia) -> None:
    robot = random_tree(2, rng=1, branching=0, prismatic=0)
    robot = replace(robot, bodies=(robot.bodies[0], replace(robot.bodies[1], inertia=inertia), robot.bodies[2]))
    q, qd, tau = state_of(robot, 1)
    ours = np.array(mass_matrix(robot, q))
    found = FORMULATIONS["natural_orthogonal_complement"].function(robot, q)
    assert np.abs(np.array(found) - ours).max() < 1e-12 * ours.max()
    qdd = np.array(articulated_body(robot, q, qd, tau))
    found = FORMULATIONS["orthogonal_complement_accelerations"].function(robot, q, qd, tau)
    assert np.abs(np.array(found) - qdd).max() < 1e-10 * np.abs(qdd).max()


def test_bodies_that_cannot_be_have_no_root() -> None:
    robot = random_tree(2, rng=1, branching=0)
    odd = replace(robot.bodies[2], inertia=Inertia(1.5, (0.1, 0.2, 0.3), ((-1, 0, 0), (0, 1, 0), (0, 0, 1))))
    robot = replace(robot, bodies=(*robot.bodies[:2], odd))
    message = r"link 'link2' of 'random_tree2_1' has mass 1.5 and an inertia .* not positive semidefinite"
    assert_raises(ModelError, message, FORMULATIONS["natural_orthogonal_complement"].function, robot, [0.1, 0.2])


@pytest.mark.parametrize("formulation", JOINT_SPACE, ids=lambda f: f.name)
def test_printed_totals_are_those_of_the_book_for_six_joints(formulation: Formulation) -> None:
    book = {
        "walker_orin": [(741, 601), (741, 598)],  # its total, and its polynomial
        "spatial_composite_bodies": [(505, 410)],
        "natural_orthogonal_complement": [(746, 629)],
        "generalized_links": [(420, 339), (271, 250)],
        "walker_orin_accelerations": [(1627, 1261)],
        "natural_complement_accelerations": [(1353, 1165)],
        "generalized_links_accelerations": [(956, 790)],
        "spatial_composite_accelerations": [(1303, 1019)],
        "articulated_bodies": [(1533, 1415)],
        "sensitivity": [(2056, 1762), (1516, 1472)],
    }
    assert [printed.at(6) for printed in formulation.published] == book.get(formulation.name, [])
