"""Numbers so large that forces overflow are refused by their names; what is accepted gives finite forces."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged_scene import PART
from robots import chain, one_joint
from test_damaged_files import FORMATS, NUMBER, outcome

import revolute
from revolute import Drive, Helical, Inertia, JointClosure, PointClosure, Revolute, Robot, Transform
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.examine import examine
from revolute.machine.driven import Rotor
from revolute.model.body import Mimic
from revolute.plain_numbers import LARGEST
from revolute.spatial import Rotation

ARM = revolute.robots.planar(2)


def is_finite(robot: Robot) -> bool:
    """Forces of one motion and the mass matrix are numbers, by the recursions themselves."""
    q, qd = [0.5] * robot.nq, [0.5] * robot.nv
    return bool(np.isfinite(newton_euler(robot, q, qd, qd)).all() and np.isfinite(mass_matrix(robot, q)).all())


@pytest.mark.parametrize("figure", ["1e45", "1e51", "1e60", "-1e308"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_huge_figure_in_a_file_is_refused_or_gives_finite_forces(format: str, figure: str, tmp_path: Path) -> None:
    """Refused in words that say so, as far as masses, places and drives are huge; limits and shapes may be."""
    text, name, read = FORMATS[format]
    path = tmp_path / name
    (tmp_path / "part.sdf").write_text(PART)
    numbers, said = list(NUMBER.finditer(text)), []

    def finite(file: Path) -> Robot:
        robot = read(file) if format == "dh" else examine(file).robot
        assert is_finite(robot), figure
        return robot

    for number in numbers[:: max(len(numbers) // 25, 1)]:
        path.write_text(text[: number.start()] + figure + text[number.end() :])
        said.append(outcome(finite, path, f"{figure} at {number.start()}"))
    assert said.count("robot") >= (format != "dh")
    assert len([x for x in said if re.search("too large: |not finite|three finite", x)]) >= 3 * (figure != "1e45"), said


WAYS: dict[str, tuple[Callable[[float], Any], str]] = {
    "mass": (lambda x: ARM.with_payload("tip", Inertia(x)), "link 'link2': its mass is too large"),
    "first moment": (lambda x: ARM.with_payload("tip", Inertia(1.0, (0, x * x, 0))), "link 'link2': its mass times"),
    "inertia": (lambda x: ARM.with_payload("tip", Inertia(1.0, I=np.eye(3) * x * x * x)), "link 'link2': its inertia"),
    "centre of mass": (lambda x: one_joint(Revolute(), Inertia.from_com(abs(x), (0, x * x, 0))), "link 'body': its"),
    "gravity": (lambda x: ARM.with_gravity((0, 0, x)), "gravity must be three finite numbers"),
    "placement": (lambda x: one_joint(Revolute(), placement=Transform(p=(0, x, 0))), "joint 'j': its placement is"),
    "rotation": (lambda x: one_joint(Revolute(), placement=turned(x)), "joint 'j': its placement is too large"),
    "frame": (lambda x: framed(Transform(p=(x, 0, 0))), "link 'tip': its placement is too large"),
    "pitch": (lambda x: Helical(pitch=x), "pitch of a helical joint"),
    "table": (lambda x: Robot.from_dh([(x, 0, 0, 0)]), "flange': its placement is too large"),
    "screws": (lambda x: screws(Transform(p=(0, x, 0))), "joint 'joint1': its placement is too large"),
    "mimic": (lambda x: driven(Drive(mimic=Mimic("joint2", x))), "joint 'joint1': Mimic.multiplier"),
    **{
        name: (lambda x, name=name: driven(Drive(**{"stribeck_speed": 1.0, name: x})), f"Drive.{name} is too large")
        for name in Drive().columns()
    },
    "coupling": (lambda x: ARM.with_drives(coupling=[[x, 0], [0, 1]]), "coupling must be rows of finite numbers"),
    "offset": (lambda x: ARM.with_drives(offset=[x, 0]), "offset must be rows of finite numbers"),
    "ratio of a rotor": (lambda x: ARM.with_drives(rotors=[Rotor("joint1", ratio=x, inertia=1.0)]), "finite ratio"),
    "point": (lambda x: PointClosure("tip", at_b=(x, 0, 0)), "a closure needs"),
    "frame of a closure": (lambda x: revolute.FrameClosure("tip", at_b=turned(x)), "a closure needs"),
    "coefficient": (lambda x: JointClosure("joint1", "joint2", (0, x)), "a JointClosure needs a tuple"),
}
"""Ways to make a model, each with a number, and how the message begins."""


def screws(home: Transform) -> Robot:
    return Robot.from_screws([[0, 0, 1, home.p[1], 0, 0]], [home.matrix()], [np.eye(6)])


def turned(x: float) -> Transform:
    return Transform(Rotation.from_matrix(((1, 0, 0), (0, x, 0), (0, 0, 1))))


def framed(placement: Transform) -> Robot:
    return replace(ARM, frames=(*ARM.frames[:-1], replace(ARM.frames[-1], placement=placement)))


def driven(drive: Drive) -> Robot:
    return replace(ARM, bodies=(ARM.bodies[0], replace(ARM.bodies[1], drive=drive), *ARM.bodies[2:]))


@pytest.mark.filterwarnings("ignore:Inertia:revolute.ModelWarning")  # these numbers are no body's
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_make_a_model_names_a_huge_number(way: str) -> None:
    make, words = WAYS[way]
    for x in (2 * LARGEST, -2 * LARGEST, 1e150):
        with np.errstate(all="ignore"), pytest.raises(revolute.RevoluteError, match=re.escape(words)):
            make(x)
    make(0.25 if "closure" not in way else 1.0)


def test_the_largest_numbers_give_finite_forces() -> None:
    """All masses, lengths and gravity at the bound: what `LARGEST` is derived from."""
    rod = Inertia.from_com(LARGEST, (LARGEST / 2, 0, 0))
    robot = chain(*[(rod, Revolute())] * 3, at=LARGEST / 2, gravity=(0, -LARGEST, 0))
    q, qd = np.array([0.3, 0.4, 0.5]), np.array([1.0, -2.0, 0.5])
    for x in (
        robot.inverse_dynamics(q, qd, qd), robot.forward_dynamics(q, qd, qd), *robot.equations_of_motion(q, qd),
        robot.mass_matrix_inverse(q), *robot.forward_dynamics_partials(q, qd, qd)[:2], robot.kinetic_energy(q, qd),
        robot.potential_energy(q),
    ):
        assert np.isfinite(x).all()
