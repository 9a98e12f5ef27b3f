"""The published formulations: all agree, on random arms, with the recursion that judges them."""

import numpy as np
import pytest

import revolute
from revolute import ModelError
from revolute.dynamics.newton_euler import newton_euler
from revolute.formulations import FORMULATIONS, Formulation, Printed

INVERSE = [f for f in FORMULATIONS.values() if f.quantity == "inverse_dynamics"]


@pytest.mark.parametrize("formulation", INVERSE, ids=lambda f: f.name)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 12])
def test_inverse_dynamics_formulations_agree(formulation: Formulation, n: int) -> None:
    for seed, prismatic in ((n, 0.0), (100 + n, 0.4 if "prismatic" in formulation.joints else 0.0)):
        robot = revolute.robots.random_tree(n, seed=seed, branching=0, prismatic=prismatic)
        robot = robot.with_gravity((1.0, -2.0, 9.0))
        rng = np.random.default_rng(seed)
        state = [rng.standard_normal(n).tolist() for _ in range(3)]
        expected = np.array(newton_euler(robot, *state))  # type: ignore[arg-type]
        tau = np.array(formulation.function(robot, *state))
        # 1e-10 is what is promised; some 1e4 roundings of the longest sums lie far below
        assert np.abs(tau - expected).max() <= 1e-10 * np.abs(expected).max(), (seed, tau, expected)


@pytest.mark.parametrize(
    "formulation", [f for f in FORMULATIONS.values() if "free" not in f.joints], ids=lambda f: f.name
)
def test_formulations_name_what_they_cannot_take(formulation: Formulation) -> None:
    arrays = 1 if formulation.quantity == "mass_matrix" else 3
    tree = revolute.robots.random_tree(4, seed=3, branching=1, prismatic=0)
    free = revolute.robots.random_tree(2, seed=3, branching=0, prismatic=0, base="free")
    with pytest.raises(ModelError, match=f"{formulation.name} is for serial arms; .* branches off"):
        formulation.function(tree, *[[0.0] * 4] * arrays)
    with pytest.raises(ModelError, match=f"{formulation.name} is for revolute.* is free"):
        formulation.function(free, *[[0.0] * 9] * arrays)
    if "prismatic" not in formulation.joints:
        slide = revolute.robots.random_tree(2, seed=3, branching=0, prismatic=1)
        with pytest.raises(ModelError, match="is prismatic"):
            formulation.function(slide, *[[0.0] * 2] * arrays)


def test_printed_counts_read_as_in_the_book() -> None:
    assert str(Printed((-42, 11, 11), (-54, 32.5, 5.5), "")) == (
        "11n^2 + 11n - 42 multiplications, 5.5n^2 + 32.5n - 54 additions"
    )
    assert str(Printed((66271,), (51548,), "", only=6)) == "66,271 multiplications, 51,548 additions"
    assert Printed((0, 1), (1, -1), "").at(3) == (3, -2)
    assert str(Printed((0, 1), (1, -1), "")) == "n multiplications, -n + 1 additions"
