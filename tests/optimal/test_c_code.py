"""A tick of predictive control in C, beside the tick in Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_stack import stack_of
from comparing import assert_raises
from reaching import BENT, UR5

import revolute
from revolute import Contact, InputError, Plane
from revolute.optimal import LimitCost, OptimalControl, PoseCost, StateCost, TorqueCost, TorqueRateCost

ARM = revolute.robots.planar(2)
CHAIN, CLOSED = revolute.robots.planar(3), np.array([0.5, 0.8, -1.3])
LINKAGE = CHAIN.with_closures(CHAIN.hold("tip", CLOSED, revolute.PointClosure))
FLOATING = revolute.robots.random_tree(2, rng=1, base="free")
POSE = UR5.forward_kinematics(BENT + 0.1, "tool0")
STATE, AIM = [StateCost([10, 10, 1, 1])], {"state": [0.4, -0.3, 0, 0]}
PROBLEMS: dict[str, tuple[Any, Any, Any]] = {
    "accelerations": (lambda: problem(ARM, STATE, TorqueCost(1e-2)), np.zeros(2), AIM),
    "bounds": (lambda: problem(ARM, STATE, TorqueCost(1e-2), effort_limits=[30.0, 8.0]), np.zeros(2), AIM),
    "rates": (lambda: problem(ARM, STATE, TorqueRateCost(1e-4)), np.zeros(2), AIM),
    "one motor": (
        lambda: problem(ARM, STATE, TorqueCost(1e-2), actuated=["joint2"]), np.array([-1.5, 0.1]),
        {"state": [-1.4, 0, 0, 0]},
    ),
    "floating": (
        lambda: problem(FLOATING.with_gravity((0, 0, 0)), [StateCost(1.0)], TorqueCost(0.1)), FLOATING.neutral(), None
    ),
    "contacts": (
        lambda: problem(
            revolute.robots.planar(3), [StateCost([1, 1, 1, 0.1, 0.1, 0.1])], TorqueCost(1e-2),
            contacts=[Contact("tip", surface=Plane((0, 1, 0)))], contact_gains=(0.0, 50.0),
        ), np.array([0.5, -0.8, 0.6]), {"state": [0.6, -0.9, 0.6, 0, 0, 0]},
    ),
    "loops": (
        lambda: problem(LINKAGE, [StateCost([1.0, 0, 0, 0.1, 0, 0])], TorqueCost(1e-2), actuated=["joint1"]), CLOSED,
        {"state": [0.7, 0, 0, 0, 0, 0]},
    ),
    "pose": (
        lambda: problem(UR5, [PoseCost("tool0", 1e3), StateCost([1e-2] * 6 + [1.0] * 6)], TorqueCost(1e-3)), BENT,
        {"pose of tool0": POSE},
    ),
}  # fmt: skip


def problem(robot: Any, both: list[Any], control: Any, **options: Any) -> OptimalControl:
    return OptimalControl(robot, [*both, control], terminal=both, steps=6, dt=0.02, **options)


class Tick:
    """The compiled function, and its plan."""

    def __init__(self, problem: OptimalControl, folder: Path, dtype: type) -> None:
        problem.to_c(folder / "plan.c", dtype=dtype)
        flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, folder / "plan.c", "-o", folder / "plan.so", "-lm"], check=True, timeout=300)
        self.call = ctypes.CDLL(str(folder / "plan.so")).plan_tick
        self.call.restype = None
        self.dtype, self.problem = dtype, problem
        self.bounds = [x.astype(dtype) for x in problem._bounds if problem._setting.boxed]

    def begin(self, plan: Any, goal: Any) -> None:
        """Take a plan, and parameters."""
        motors = [self.problem._tree.coordinate_names.index(name) for name in self.problem.actuated]
        before = np.vstack([plan.tau[:1], plan.tau]) if self.problem._setting.dynamics.remembers else plan.q[:, :0]
        arrays = np.hstack([plan.q, plan.qd, before]), plan.tau, plan.gains[:, motors]
        self.plan = [np.ascontiguousarray(x, self.dtype) for x in arrays]
        self.constants = [x.astype(self.dtype) for x in (self.problem.parameters(goal), self.problem._dt)]

    def step(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, bool]:
        """Efforts, and whether the plan is better."""
        state = [x.astype(self.dtype) for x in (q, qd)]
        out = [np.full(self.problem._tree.nv, 7, self.dtype), *map(np.zeros_like, self.plan), np.zeros(1, self.dtype)]
        arrays = [*state, *self.plan, *self.constants, *self.bounds, *out]
        self.call(*(x.ctypes.data_as(ctypes.c_void_p) for x in arrays))
        self.plan = out[1:-1]
        return out[0], bool(out[-1][0])


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(x, kind, marks=[pytest.mark.slow] * (kind is np.float32 and x in ("floating", "pose")))
        for x in PROBLEMS for kind in (np.float64, np.float32)[: 1 + (x != "loops")]
    ],
)  # fmt: skip
def test_a_tick_in_c_is_the_tick_of_python(name: str, dtype: type, tmp_path: Path) -> None:
    """States near the plan, in each tick another one; where the state or the goal is not known, the plan goes on."""
    make, q0, goal = PROBLEMS[name]
    problem, rng = make(), np.random.default_rng(0)
    robot, loop = problem._tree, problem.stepper()
    tau = np.zeros(robot.nv)
    tick = Tick(problem, tmp_path, dtype)
    loop.step(q0, np.zeros(robot.nv), goal, out=tau)
    tick.begin(loop.plan, goal)
    size, near = max(np.abs(loop.plan.tau).max(), 1.0), 1e-9 if dtype is np.float64 else 2e-3
    for k in range(8):
        plan = loop.plan
        q = robot.integrate(plan.q[1], rng.normal(0, 5e-2, robot.nv)) * (np.nan if k == 4 else 1)
        qd = plan.qd[1] + rng.normal(0, 5e-2, robot.nv)
        unknown = {name: np.asarray(x) * np.nan for name, x in goal.items()} if goal and k == 6 else None
        parameters = tick.constants[0]
        if unknown:
            tick.constants[0] = parameters * parameters.dtype.type(np.nan)
        applied, improved = tick.step(q, qd)
        loop.step(q, qd, unknown or goal, out=tau)
        tick.constants[0] = parameters
        assert improved == (not loop.failed) == (k != 4 and not unknown)
        np.testing.assert_allclose(applied, tau, atol=near * size)
        np.testing.assert_allclose(tick.plan[0], loop._nodes.x[:, 0], atol=near)
        np.testing.assert_allclose(tick.plan[1], loop._nodes.tau[:-1, 0], atol=near * size)
        gains = loop._nodes.K[:-1, 0]
        np.testing.assert_allclose(tick.plan[2], gains, atol=10 * near * np.abs(gains).max())


@pytest.mark.parametrize(("name", "dtype"), [("bounds", "float64"), ("floating", "float32"), ("pose", "float64")])
def test_the_header_says_how_much_stack_a_tick_takes(name: str, dtype: str, tmp_path: Path) -> None:
    PROBLEMS[name][0]().to_c(tmp_path / "plan.c", dtype=dtype)
    size = stack_of((tmp_path / "plan.c").read_text(), "plan_tick") * np.dtype(dtype).itemsize
    assert size > 5_000
    assert f" * Its local arrays take {size} bytes of stack;" in (tmp_path / "plan.h").read_text()


def test_what_the_header_says(tmp_path: Path) -> None:
    make, _, goal = PROBLEMS["bounds"]
    files = make().to_c(tmp_path, cpp=True)
    assert [file.suffix for file in files] == [".h", ".c", ".hpp"]
    text = files[0].read_text()
    for line in ("weights of 'state': 0 to 3.", "goal of 'state': 4 to 7.", "#define PLANAR2_STEPS 6"):
        assert line in text
    assert "bounds of the forces of motors [N m, N]" in text
    assert make().parameters(goal).shape == (7, 12)
    hard = OptimalControl(ARM, [LimitCost(hard=True)], steps=3, dt=0.1)
    assert_raises(InputError, "to_c: hard costs need many iterations per call", hard.to_c, tmp_path)
