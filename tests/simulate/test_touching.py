"""Motions with contacts and stops: at rest, their bits, laws, files, warnings, and what is refused."""

import functools
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import assert_same, step_by_step
from robots import FILES, one_joint

import revolute
from revolute import Contact, Inertia, InputError, Limits, Plane, Robot, Simulation, StateFeedback
from revolute.simulate import ADAPTIVE, FIXED
from revolute.simulate.contact_wrenches import contact_wrenches

G, H = 9.81, 2.0**-10
ROWS = 1024


@functools.cache
def dog() -> tuple[Robot, list[Contact], np.ndarray]:
    """A quadruped with dampers, whose joints can move by 0.1 rad; its feet; a configuration 5 cm above the ground."""
    robot = revolute.load(str(FILES["solo_description/solo12"]), base="free")
    contacts = [Contact(name, friction=0.7) for name in robot.link_names if name.endswith("FOOT")]
    q = robot.neutral()
    q[7:] = [0.3, 0.6, -1.2] * 4
    q[2] += 0.05 - min(robot.forward_kinematics(q, foot.link)[2, 3] for foot in contacts)
    bodies = [*robot.bodies]
    for i, x in enumerate(q[7:], 2):
        drive = replace(bodies[i].drive, damping=(0.5,))
        bodies[i] = replace(bodies[i], limits=Limits((x - 0.1,), (x + 0.1,)), drive=drive)
    return replace(robot, bodies=tuple(bodies)), contacts, q


def weight(inertia: Inertia, **limits: Any) -> Robot:
    """A mass on a vertical slide."""
    return one_joint(revolute.Prismatic((0, 0, 1)), inertia, limits=Limits(**limits))


def test_a_quadruped_dropped_from_5_cm_comes_to_rest() -> None:
    """With springs and dampers at its joints: speeds, weight, height of the feet; it fell freely before it landed."""
    robot, contacts, q0 = dog()

    def springs(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros(6), 20 * (q0[7:] - q[7:])])

    motion = robot.simulate(q0, np.zeros(18), springs, np.arange(5121) * H, contacts=contacts, joint_damping=True)
    assert motion.contact_forces is not None and motion.residual is not None and motion.residual.max() <= 1e-12
    force, total = motion.contact_forces[-1], robot.mass * G
    assert np.abs(motion.qd[-1]).max() <= 1e-9
    np.testing.assert_allclose(force.sum(axis=0), [0, 0, total], rtol=1e-9, atol=1e-9 * total)
    heights = np.array([robot.forward_kinematics(motion.q, foot.link)[:, 2, 3] for foot in contacts])
    assert np.abs(heights[:, -1]).max() <= 1e-9 and heights.min() >= -2e-6
    wrenches = contact_wrenches(robot, motion[-1])
    balance = robot.inverse_dynamics(motion.q[-1], np.zeros(18), np.zeros(18), wrenches=wrenches)[0]
    np.testing.assert_allclose(balance, motion.tau[-1], rtol=0, atol=1e-7)
    drop = motion.t < 0.09
    assert not motion.contact_forces[drop].any() and np.allclose(motion.qdd[drop, 5], -G)


@pytest.mark.filterwarnings("ignore:simulate. forces of:revolute.SimulationWarning")
def test_motions_have_the_bits_of_steps() -> None:
    """In machine code, in Python, in steps in place, in a large batch on any threads, whatever the neighbours touch."""
    robot, contacts, q0 = dog()
    contacts = [replace(x, restitution=0.2) for x in contacts]
    rng, t = np.random.default_rng(0), np.arange(65) * H
    q, qd, tau = np.tile(q0, (ROWS, 1)), rng.standard_normal((ROWS, 18)), np.zeros((ROWS, 65, 18))
    q[:, 2] -= rng.uniform(0.02, 0.055, ROWS)
    tau[..., 6:] = rng.standard_normal((ROWS, 65, 12))
    options = {"contacts": contacts, "stops": ["FL_KFE", "HR_KFE"], "joint_damping": True}
    whole = robot.simulate(q, qd, tau, t, threads=1, **options)
    assert_same(whole, robot.simulate(q, qd, tau, t, threads=2, **options))
    stepper = robot.stepper(H, **options)
    for k in (0, 77, ROWS - 1):
        row = robot.simulate(q[k], qd[k], tau[k], t, **options)
        assert_same(whole.row(k), row)
        assert_same(row, step_by_step(lambda k=k: robot.simulate(q[k], qd[k], tau[k], t, **options)))  # type: ignore[misc]
        state = q[k].copy(), qd[k].copy()
        for i in range(64):
            step = stepper.step(*state, tau[k, i])
            for name in ("qdd", "contact_forces", "stop_forces", "residual"):
                np.testing.assert_array_equal(getattr(step, name), getattr(row, name)[i])
        assert step.q is state[0] and step.qd is state[1]
        np.testing.assert_array_equal(np.concatenate(state), np.concatenate([row.q[-1], row.qd[-1]]))
    block = q[:40].copy(), qd[:40].copy()
    for i in range(64):
        pickle.loads(pickle.dumps(stepper)).step(*block, tau[:40, i])
    np.testing.assert_array_equal(block[0], whole.q[:40, -1])


def test_stored_instants_and_events_are_those_of_the_motion() -> None:
    (robot, contacts, q), low = dog(), dog()[2][2] - 0.055
    options = {"contacts": contacts, "joint_damping": True}
    motion = robot.simulate(q, np.zeros(18), None, np.arange(301) * H, **options)
    assert_same(motion[::7], robot.simulate(q, np.zeros(18), None, np.arange(301) * H, every=7, **options))
    falls = revolute.Event(lambda t, q, qd: q[2] - low, "low")
    stopped = robot.simulate(q, np.zeros(18), None, np.arange(301) * H, events=[falls], **options)
    k = len(stopped) - 1
    assert stopped.event is not None and stopped.t[-1] == stopped.event.t and abs(stopped.q[-1, 2] - low) < 1e-9
    assert stopped.contact_forces is not None and stopped.contact_forces.shape == (k + 1, 4, 3)
    np.testing.assert_array_equal(stopped.contact_forces[:k], motion.contact_forces[:k])


def test_laws_parameters_and_wrenches_act_with_contacts() -> None:
    """A mass that is pressed onto the ground by a law, a wrench, and its weight by parameters of a row."""
    robot = weight(Inertia(m=2.0))
    masses = np.array([1.0, 2.0, 3.0])
    parameters = masses[:, None, None] * robot.inertial_parameters / 2
    law = StateFeedback([10.0], [0.0], tau=[-7.0])
    for forces in (law, lambda t, q, qd: -7.0 - 10.0 * q):
        motion = robot.simulate(
            np.full((3, 1), 0.02), [0.0], forces, 0.5, contacts=[Contact("body")], parameters=parameters,
            wrenches={"body": [0, 0, 0, 0, 0, -5.0]},
        )
        assert motion.contact_forces is not None and motion.owner is not None
        np.testing.assert_allclose(motion.contact_forces[:, -1, 0, 2], masses * G + 12, rtol=1e-12)
        assert np.abs(motion.q[:, -1]).max() <= 1e-12 and motion.owner.contacts == ("body",)


def test_laws_of_batches_on_threads_have_the_bits_of_single_motions() -> None:
    """Arms that are driven onto the ground by computed torques and by a feedback, in machine code, in 2,048 rows."""
    arm, rng, t = revolute.robots.planar(3), np.random.default_rng(4), np.arange(321) * 2.0**-9
    contacts = [Contact(x, friction=0.5, restitution=0.3, surface=Plane((0, 1, 0), -1.9)) for x in ("tip", "link3")]
    q, qd = rng.uniform(-0.3, 0.3, (2048, 3)), rng.standard_normal((2048, 3))
    goal = np.array([-0.9, -0.6, -0.3])
    for law in (StateFeedback([200.0] * 3, [20.0] * 3, goal), revolute.control.ComputedTorque(arm, goal, 100.0)):
        whole = arm.simulate(q, qd, law, t, contacts=contacts, threads=2)
        assert_same(whole, arm.simulate(q, qd, law, t, contacts=contacts, threads=1))
        assert whole.contact_forces is not None and (np.abs(whole.contact_forces).max(axis=(1, 2, 3)) > 0).mean() > 0.5
        for row in (0, 1023, 2047):
            assert_same(whole.row(row), arm.simulate(q[row], qd[row], law, t, contacts=contacts))


def test_a_motion_with_stops_only() -> None:
    """A mass falls onto its lower stop, and is pushed to the upper one."""
    robot = weight(Inertia(m=2.0), lower=(-0.2,), upper=(0.1,))
    for force, end, stop in ((0.0, -0.2, 2 * G), (50.0, 0.1, 2 * G - 50)):
        motion = robot.simulate([0.0], [0.0], [force], 1.0, stops=True)
        assert motion.stop_forces is not None and motion.contact_forces is None and motion.contacts == ()
        np.testing.assert_allclose([motion.q[-1, 0], motion.stop_forces[-1, 0]], [end, stop], rtol=1e-9)
    assert robot.simulate([0.0], [0.0], None, 1.0, stops=False).stop_forces is None
    free = weight(Inertia(m=2.0)).simulate([0.0], [0.0], None, 1.0, stops=True)
    assert free.stop_forces is None and free.q[-1, 0] == pytest.approx(-G / 2)


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_files_carry_forces(suffix: str, tmp_path: Path) -> None:
    robot = weight(Inertia(m=2.0), lower=(-0.2,), upper=(0.1,))
    contacts = [Contact("body", point=(x, 0, 0)) for x in (0.0, 0.1)]
    motion = robot.simulate([0.01], [0.0], None, 0.2, contacts=contacts, stops=True)
    motion.save(tmp_path / f"motion{suffix}")
    again = Simulation.load(tmp_path / f"motion{suffix}", robot)
    assert again.owner is not None and motion.owner is not None
    assert again.owner.contacts == motion.owner.contacts == ("body[0]", "body[1]") and again.owner.stops == ("j",)
    for name in ("q", "contact_forces", "stop_forces"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))
    assert "contact_forces.body[1].z" in motion.to_dataframe()
    middle = motion.resample([0.1005])
    np.testing.assert_allclose(middle.contact_forces, motion.contact_forces[100:102].mean(axis=0, keepdims=True))
    assert motion[:0].contact_forces.shape == (0, 2, 3) and motion[-1].residual.shape == (1,)


def test_forces_that_are_not_solved_warn_once_by_name_and_instant() -> None:
    """Corners of a plate that turns on the ground and cannot slide: forces between them grow without bounds."""
    plate = Robot.from_links("plate", [revolute.Link("plate", Inertia.box(2.0, (0.4, 0.3, 0.02)))], [], base="free")
    corners = [Contact("plate", point=(x, y, -0.01), friction=50.0) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    q = np.array([[0, 0, 0.02 + 0.2 * a, 0.0, np.sin(a / 2), 0, np.cos(a / 2)] for a in np.linspace(0, 0.3, 64)])
    qd = np.random.default_rng(1).standard_normal((64, 6))
    with pytest.warns(revolute.SimulationWarning) as found:
        motion = plate.simulate(q, qd, None, 0.5, contacts=corners)
    (message,) = [str(x.message) for x in found]
    bad = np.argwhere(motion.residual > 1e-8)
    row, k = bad[bad[:, 1].argmin()]
    assert f"at t={motion.t[k]:g} s in row {row} of the batch" in message and "'plate[" in message
    assert found[0].filename == __file__


@pytest.mark.parametrize("method", [x for x in (*FIXED, *ADAPTIVE) if x != "semi_implicit_euler"])
def test_other_methods_are_refused(method: str) -> None:
    robot, words = weight(Inertia(m=2.0)), f"is 'semi_implicit_euler': leave out method='{method}'"
    assert_raises(InputError, words, robot.simulate, [0.1], [0.0], None, 1.0, method, contacts=[Contact("body")])
    assert_raises(InputError, words, robot.stepper, 1e-3, method, contacts=[Contact("body")])


def test_what_cannot_be_a_motion_with_contacts() -> None:
    robot = weight(Inertia(m=2.0), lower=(-0.5,), upper=(0.1,))
    touches, still = {"contacts": [Contact("body", radius=0.05)]}, ([0.0], None, 1.0)
    for q, options, words in (
        ([-0.05], touches, "contact of 'body' is inside its surface, by 0.1; at most 0.01"),
        ([[0.1], [-0.05]], touches, "at q0 in row 1 of the batch the contact of 'body' is inside its surface, by 0.1"),
        ([[0.0], [0.1], [0.2]], {"stops": True}, "at q0 in row 2 of the batch the joint 'j' is beyond its stop"),
        ([0.2], {"stops": True}, "at q0 the joint 'j' is beyond its stop, by 0.1; at most 0.01"),
        ([0.0], {"contacts": ["body"]}, "of the type Contact"),
        ([0.0], {"contacts": [Contact("body")], "joint_damping": 3}, "joint_damping must be"),
    ):
        assert_raises(InputError, words, robot.simulate, q, *still, **options)
    soft = robot.simulate([-0.05], *still, contacts=[Contact("body", radius=0.05, compliance=1e-3, damping=50.0)])
    assert soft.q[-1, 0] == pytest.approx(0.05 - 2e-3 * G, abs=1e-6)
    near = robot.simulate([0.045], *still, **touches)
    assert near.q[-1, 0] == pytest.approx(0.05, abs=1e-12)
    assert_raises(revolute.UnknownNameError, "hand", robot.simulate, [0.0], *still, contacts=[Contact("hand")])
    stepper, q, qd = robot.stepper(1e-3, **touches), np.full((3, 1), 0.1), np.zeros((3, 1))
    assert_raises(InputError, "step takes q, qd, tau, not 4 arrays", stepper.step, q, qd, [0.0], [0.0])
    assert_raises(revolute.ShapeError, "tau has the batch", stepper.step, q, qd, np.zeros((2, 1)))
    floor = Contact("body", surface=Plane(offset=-1.0))
    assert robot.simulate([0.0], *still, contacts=[floor], events=[Contact("body")]).event is not None


def test_wrenches_of_contacts_between_links_act_on_both() -> None:
    """Inverse dynamics of a folded arm with these wrenches gives the joint forces, here none."""
    arm = revolute.robots.planar(3)
    ball = revolute.Contact("tip", radius=0.1, friction=0.5, surface=revolute.Contact("link1", (0.5, 0.0, 0.0), 0.4))
    q0 = np.array([0.3, 1.9, 2.1])
    motion = arm.simulate(q0, [0.0, -1.0, 0.5], None, np.arange(513) * H, contacts=[ball])
    assert motion.contact_forces is not None
    k = int(np.abs(motion.contact_forces[:, 0]).max(axis=-1).argmax())
    assert np.abs(motion.contact_forces[k]).max() > 1.0
    wrenches = contact_wrenches(arm, motion)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd, wrenches=wrenches)
    np.testing.assert_allclose(tau[:-1], 0.0, rtol=0, atol=1e-9 * np.abs(motion.contact_forces).max())
