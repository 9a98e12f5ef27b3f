"""What the thumbnails show: a function a guide, which draws into axes what the library computed."""

from typing import Any

import numpy as np

import revolute
from revolute import trajectory
from revolute.identification import ExcitationLimits, excite
from revolute.optimal import OptimalControl, StateCost, TorqueCost
from revolute.plot.style import COLOURS, FAINT
from tools.gallery.contacts import bounces
from tools.gallery.differential_ik import DAMPING, DT, motion
from tools.gallery.region_of_attraction import captured, planes, regulator
from tools.gallery.trot import hops

ARM = revolute.robots.planar(2)
HANGING = np.array([-np.pi / 2, 0.0])


def label(axes: Any, x: str, y: str) -> None:
    """Names of the axes."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def text(axes: Any, lines: str) -> None:
    """Lines of text in place of axes."""
    axes.axis("off")
    axes.text(0.02, 0.95, lines, family="monospace", va="top", transform=axes.transAxes)


def links(axes: Any, q: Any, **style: Any) -> None:
    """The arm at each row of q, as lines from joint to joint."""
    for row in np.atleast_2d(q):
        points = [ARM.forward_kinematics(row, link)[:2, 3] for link in ("link1", "link2", "tip")]
        axes.plot(*np.array(points).T, "o-", markersize=4, **style)
    axes.set_aspect("equal")


def drives(axes: Any) -> None:
    """Friction of a joint over its speed."""
    speed = np.linspace(-1, 1, 201)
    hinge = revolute.Drive(damping=0.3, friction=1.0, stribeck=0.5, stribeck_speed=0.1)
    driven = revolute.robots.planar(1).with_drives({"joint1": hinge}, smoothing=0.01)
    axes.plot(speed, driven.friction_forces(speed[:, None])[:, 0])
    label(axes, "speed [rad/s]", "friction [N m]")


def inverse_kinematics(axes: Any) -> None:
    """Two solutions of the two-link arm."""
    for q in ([0.2, 1.2], [1.4, -1.2]):
        pose = ARM.forward_kinematics(q, "tip")
        links(axes, ARM.inverse_kinematics(pose, "tip", q0=np.array(q) + 0.2).q)
    label(axes, "x [m]", "y [m]")


def operational_space(axes: Any) -> None:
    """Mobility of the tip, as ellipses."""
    angle = np.linspace(0, 2 * np.pi, 100)
    circle = np.array([np.cos(angle), np.sin(angle)])
    for bend in (0.6, 1.2, 1.8):
        q = np.array([0.3, bend])
        J = ARM.jacobian(q, "tip", "aligned")[3:5]
        ellipse = J @ np.linalg.cholesky(ARM.mass_matrix_inverse(q)) @ circle * 0.1
        tip = ARM.forward_kinematics(q, "tip")[:2, 3]
        links(axes, q, color=FAINT)
        axes.plot(*(tip[:, None] + ellipse))
    label(axes, "x [m]", "y [m]")


def motions(axes: Any) -> None:
    """The path of the tip while the arm falls."""
    t = np.linspace(0, 4, 401)
    fall = ARM.simulate([0.0, 0.0], [0.0, 0.0], None, t)
    axes.plot(*ARM.forward_kinematics(fall.q, "tip")[:, :2, 3].T, linewidth=0.9)
    axes.set_aspect("equal")
    label(axes, "x of the tip [m]", "y [m]")


def contacts(axes: Any) -> None:
    """Heights of balls that bounce."""
    bounces(axes)
    label(axes, "t [s]", "height [m]")


def differential_ik(axes: Any) -> None:
    """A hand that follows a target, which moves out of reach and back."""
    target, hand, _ = motion(DAMPING)
    t = np.arange(len(hand)) * DT
    axes.plot(t, target, "--", label="target")
    axes.plot(t, hand, label="hand")
    axes.legend()
    label(axes, "t [s]", "x [m]")


def integrators(axes: Any) -> None:
    """Errors of energy of two methods."""
    t = np.linspace(0, 5, 251)
    for method in ("runge_kutta_4", "semi_implicit_euler"):
        fall = ARM.simulate([0.0, 0.0], [0.0, 0.0], None, t, method)
        axes.plot(t, fall.energy - fall.energy[0], label=method)
    axes.legend()
    label(axes, "t [s]", "error of energy [J]")


def control(axes: Any) -> None:
    """Joint angles under a PD law."""
    law = revolute.StateFeedback([60.0, 40.0], [25.0, 10.0], q_ref=np.array([0.5, 0.5]))
    t = np.linspace(0, 3, 301)
    axes.plot(t, ARM.simulate(HANGING, [0.0, 0.0], law, t).q)
    label(axes, "t [s]", "q [rad]")


def whole_body(axes: Any) -> None:
    """Magnitudes of a mass matrix of a robot with a free base."""
    robot = revolute.robots.panda().to_base("free")
    axes.imshow(np.log10(np.abs(robot.mass_matrix(robot.home())) + 1e-3), cmap="Blues", aspect="auto")
    label(axes, "coordinate", "coordinate")


def steps_and_jumps(axes: Any) -> None:
    """Heights of a leg that hops."""
    rows = hops()
    for height in rows.T[1:3]:
        axes.plot(rows[:, 0], 100 * height)
    label(axes, "t [s]", "height [cm]")


def solvers(axes: Any) -> None:
    """The Jacobian of a step by the state."""
    robot = revolute.robots.panda()
    A, _ = robot.linearize(robot.home(), np.ones(7), robot.gravity_forces(robot.home()), step=0.1)
    axes.imshow(np.log10(np.abs(A) + 1e-3), cmap="Oranges", aspect="auto")
    label(axes, "state", "next state")


def identification(axes: Any) -> None:
    """Torques of a log with noise, and those of the model."""
    rng = np.random.default_rng(1)
    q = np.cumsum(rng.standard_normal((60, 2)), axis=0) * 0.1
    qd, qdd = rng.standard_normal((2, 60, 2))
    tau = ARM.regressor(q, qd, qdd) @ ARM.inertial_parameters.ravel()
    axes.plot(tau[:, 0] + 0.5 * rng.standard_normal(60), ".", markersize=3)
    axes.plot(ARM.inverse_dynamics(q, qd, qdd)[:, 0], linewidth=0.9)
    label(axes, "row", "torque [N m]")


def clusters(axes: Any) -> None:
    """Gravity torque of the first joint over a grid of configurations."""
    q = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 120)] * 2), axis=-1)
    axes.contourf(*np.moveaxis(q, -1, 0), ARM.gravity_forces(q)[..., 0], levels=8)
    label(axes, "q1 [rad]", "q2 [rad]")


def code(axes: Any) -> None:
    """The first operations of a kernel."""
    text(axes, "\n".join(line[:48] for line in str(ARM.kernel("inverse_dynamics").graph).splitlines()[:12]))


def recipes(axes: Any) -> None:
    """Gravity torques over the payload."""
    loads = np.linspace(0, 5, 11)
    arms = [ARM.with_payload("tip", revolute.Inertia.from_com(m, (0, 0, 0))) for m in loads + 1e-9]
    axes.plot(loads, [arm.gravity_forces([0.0, 0.0]) for arm in arms])
    label(axes, "payload [kg]", "torque [N m]")


def sensitivities(axes: Any) -> None:
    """Motions of arms whose first links differ in mass."""
    t = np.linspace(0, 2, 201)
    for heavier in (1.0, 1.1, 1.2):
        arm = ARM.with_inertial_parameters(ARM.inertial_parameters * [[heavier], [1.0]])
        axes.plot(t, arm.simulate([0.0, 0.0], [0.0, 0.0], None, t).q[:, 1], label=f"mass x {heavier}")
    axes.legend()
    label(axes, "t [s]", "q2 [rad]")


def gradients(axes: Any) -> None:
    """The gradient of the potential energy over both joints."""
    q = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 15)] * 2), axis=-1)
    axes.quiver(*np.moveaxis(q, -1, 0), *np.moveaxis(ARM.gravity_forces(q), -1, 0), color=COLOURS[0])
    label(axes, "q1 [rad]", "q2 [rad]")


def command_line(axes: Any) -> None:
    """Equations as the command line prints them."""
    text(axes, "$ revolute equations planar2.urdf\n" + ARM.equations().text("M")[:400])


def closed_loops(axes: Any) -> None:
    """A parallelogram of links, of which one goes on to the hand."""
    first, second = (length * np.array([np.cos(q), np.sin(q)]) for length, q in ((0.5, 0.4), (0.3, 1.9)))
    base, hand = np.zeros(2), first - second * 4 / 3
    for start, end in ((base, first), (base, second), (second, first + second), (hand, first + second)):
        axes.plot(*zip(start, end, strict=True), "o-", linewidth=2.5)
    axes.set_aspect("equal")
    label(axes, "x [m]", "y [m]")


def estimation(axes: Any) -> None:
    """States of an acrobot from which it is brought upright."""
    xlabel, _, width, height, (q, qd) = planes(121)[0]
    extent = (-width, width, -height, height)
    axes.contourf(captured(regulator(), q, qd), levels=[0.5, 1], extent=extent, colors=COLOURS[0], alpha=0.4)
    axes.set(xlim=(-width, width), ylim=(-height, height))
    label(axes, xlabel, "shoulder + elbow / 4")


def trajectories(axes: Any) -> None:
    """Speeds of a motion through waypoints."""
    way = [[0, -1], [0.5, -0.5], [1, -1]]
    t = np.linspace(0, 1.5, 151)
    axes.plot(t, trajectory.spline(ARM, way, [0.0, 0.6, 1.5]).q(t))
    label(axes, "t [s]", "q [rad]")


def excitation(axes: Any) -> None:
    """A motion that excites all parameters."""
    t = np.linspace(0, 8, 401)
    limits = ExcitationLimits(velocity=3.0, acceleration=5.0)
    axes.plot(t, excite(ARM, duration=8.0, harmonics=3, starts=1, limits=limits).trajectory.q(t))
    label(axes, "t [s]", "q [rad]")


def optimal_control(axes: Any) -> None:
    """The two joints of an acrobot that swings up."""
    costs, end = [StateCost(1e-3), TorqueCost(1e-3)], [StateCost(100.0)]
    problem = OptimalControl(ARM, costs, terminal=end, steps=150, dt=0.02, actuated=["joint2"])
    plan = problem.solve([-np.pi / 2, 0.0], goal={"state": [np.pi / 2, 0, 0, 0]}, iterations=500)
    axes.plot(plan.t, plan.q)
    label(axes, "t [s]", "q [rad]")


PICTURES = {
    "closed-loops": closed_loops,
    "estimation": estimation,
    "excitation": excitation,
    "trajectories": trajectories,
    "closed-loop-identification": sensitivities,
    "jax-and-pytorch": gradients,
    "command-line": command_line,
    "drives": drives,
    "inverse-kinematics": inverse_kinematics,
    "operational-space": operational_space,
    "motions": motions,
    "contacts": contacts,
    "differential-ik": differential_ik,
    "integrators": integrators,
    "control": control,
    "optimal-control": optimal_control,
    "whole-body": whole_body,
    "steps-and-jumps": steps_and_jumps,
    "solvers": solvers,
    "identification": identification,
    "clusters": clusters,
    "c-code": code,
    "recipes": recipes,
}

SMALLER = {"view": "images/view.png"}
"""Pictures of other pages."""
