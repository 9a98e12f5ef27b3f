"""Masked arrays and CasADi's symbols in methods for NumPy: refused everywhere, with what to do."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import revolute
from revolute import AxisClosure

MACHINES: dict[str, Callable[[], Any]] = {
    "arm": lambda: revolute.robots.planar(2),
    "driven": lambda: revolute.robots.planar(2).with_drives({"joint1": revolute.Drive(damping=(0.5,))}),
    "closed": lambda: revolute.robots.planar(3).with_closures(AxisClosure("tip", at_b=(1.5, 0.0, 0.0))),
    "elastic": lambda: revolute.robots.planar(2).with_elastic_joints([100.0, 80.0], rotor_inertia=0.2),
}
MASKED = np.ma.array([0.1, 0.2], mask=[False, True])


KINDS = {"masked": "is a masked array", "symbolic": "is symbolic"}


def arrays_of(kind: str) -> list[Any]:
    if kind == "masked":
        return [MASKED]
    casadi = pytest.importorskip("casadi")
    return [casadi.SX.sym("x", 2), casadi.MX.sym("x", 2)]


def refuses(message: str, call: Callable[..., Any], *args: Any, **named: Any) -> None:
    with pytest.raises(revolute.DtypeError, match=message):
        call(*args, **named)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_function_refuses_them_in_every_place(machine: str, kind: str) -> None:
    thing = MACHINES[machine]()
    message, given, compared = KINDS[kind], arrays_of(kind), 0
    for name in ("inverse_dynamics", "forward_dynamics", "gravity_forces", "mass_matrix", "kinetic_energy", "error"):
        if name not in thing.functions():
            continue
        kernel = thing.kernel(name)
        for place in range(len(kernel.inputs)):
            for x in given:
                arrays = [np.full(i.shape, 0.1) for i in kernel.inputs]
                arrays[place] = x
                what = rf"{name}: {kernel.inputs[place].name} {message}"
                refuses(what, kernel, *arrays)
                if machine in ("arm", "driven"):
                    refuses(what, getattr(thing, name), *arrays)
                compared += 1
    assert compared


def test_lists_of_them_are_refused_by_learned_calls_too() -> None:
    arm = MACHINES["arm"]()
    for _ in range(3):
        arm.gravity_forces([0.1, 0.2])
        refuses("an entry of q is a masked array", arm.gravity_forces, [np.ma.masked, 0.1])
        refuses("an entry of q is a masked array", arm.gravity_forces, [MASKED, MASKED])
        refuses("an entry of q is a masked array", arm.gravity_forces, [[0.1, 0.2], [0.1, np.ma.masked]])


@pytest.mark.parametrize("kind", KINDS)
def test_other_arguments_refuse_them(kind: str) -> None:
    arm, z, message = MACHINES["arm"](), np.zeros(2), KINDS[kind]
    for x in arrays_of(kind):
        refuses(rf"wrench on 'tip' {message}", arm.inverse_dynamics, z, z, z, wrenches={"tip": x})
        refuses(rf"q0 {message}", arm.simulate, x, z, None, [0.0, 0.1])
        refuses(rf"t \[s\] {message}", arm.simulate, z, z, None, x)
        refuses(rf"step {message}", arm.linearize, z, z, z, step=x)
        refuses(rf"damping {message}", arm.dynamically_consistent_inverse, z, "tip", singularity_damping=x)
        refuses(rf"stiffness {message}", arm.with_elastic_joints, x, rotor_inertia=0.1)
        refuses(rf"'joint1' {message}", arm.configuration, {"joint1": x})
        refuses(rf"pose of 'tip' {message}", arm.inverse_kinematics, x, "tip")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("masked", r"q is a masked array, .*x\.filled\(np\.nan\).*x\.data"),
        ("symbolic", r"the functions of robot\.casadi take it: robot\.casadi\.inverse_dynamics"),
    ],
)
def test_messages_say_what_to_do(kind: str, message: str) -> None:
    refuses(message, MACHINES["arm"]().gravity_forces, arrays_of(kind)[0])
