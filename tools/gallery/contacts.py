"""Contacts, stops and impacts: bounces, slides, a joint on its stop, and energy after impacts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import revolute
from revolute import Contact, Inertia, Limits, Link, Plane, Robot
from revolute.plot.style import STYLE


def figure() -> Figure:
    """Four panels."""
    with rc_context(STYLE):
        found = Figure((8, 5.4), layout="constrained")
        panels = found.subplots(2, 2)
        for axes, draw in zip(panels.ravel(), (bounces, slides, stop, impacts), strict=True):
            draw(axes)
            axes.legend(loc="best")
    return found


def body(name: str, inertia: Inertia) -> Robot:
    """A free body."""
    return Robot.from_links(name, [Link(name, inertia)], [], base="free")


def bounces(axes: Any) -> None:
    """Heights of balls with different restitutions."""
    ball, start = body("ball", Inertia.sphere(2.0, 0.05)), [0, 0, 0.5, 0, 0, 0, 1]
    for e in (0.8, 0.5, 0.0):
        contact = Contact("ball", radius=0.05, restitution=e)
        motion = ball.simulate(start, np.zeros(6), None, 2.0, contacts=[contact])
        axes.plot(motion.t, motion.q[:, 2], label=f"e = {e:g}")
    _label(axes, "A ball with restitution e", "t [s]", "height [m]")


def slides(axes: Any) -> None:
    """Distances of boxes on a slope of 25 degrees."""
    box, angle = body("box", Inertia.box(2.0, (0.4, 0.3, 0.1))), np.radians(25)
    slope = Plane((np.sin(angle), 0, np.cos(angle)))
    start = np.array([*0.05 * np.array(slope.normal), 0, np.sin(angle / 2), 0, np.cos(angle / 2)])
    points = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    for mu in (0.2, 0.4, 0.6):
        corners = [Contact("box", p, friction=mu, surface=slope) for p in points]
        motion = box.simulate(start, np.zeros(6), None, 1.0, contacts=corners)
        axes.plot(motion.t, np.linalg.norm(motion.q[:, :3] - start[:3], axis=1), label=f"mu = {mu:g}")
    _label(axes, "A box on a slope of 25 degrees", "t [s]", "distance [m]")


def stop(axes: Any) -> None:
    """A rod that falls onto its stop, and the moment of the stop."""
    rod = revolute.robots.planar(1)
    base, link = rod.bodies
    rod = replace(rod, bodies=(base, replace(link, limits=Limits((-0.6,), (1.0,)))))
    motion = rod.simulate([0.0], [2.0], None, 1.5, stops=True)
    axes.plot(motion.t, motion.q[:, 0], label="angle [rad]")
    axes.plot(motion.t, np.clip(motion.stop_forces[:, 0] / 10, -1, 1), label="stop [10 N m]")
    axes.axhline(-0.6, linestyle="--", linewidth=0.8, color="0.6")
    _label(axes, "A rod that falls onto its stop", "t [s]", "")


def impacts(axes: Any) -> None:
    """Kinetic energy after a rod strikes the ground with one end, by its angle."""
    rod = body("rod", Inertia.box(1.0, (1.0, 0.02, 0.02)))
    angles, down = np.linspace(0, np.pi / 2, 91)[1:-1], np.array([0, 0, -1.0])
    q = np.zeros((len(angles), 7))
    q[:, 2], q[:, 4], q[:, 6] = 0.5 * np.sin(angles), np.sin(angles / 2), np.cos(angles / 2)
    R = rod.forward_kinematics(q, "rod")[:, :3, :3]
    qd = np.concatenate([np.zeros((len(angles), 3)), down @ R], axis=1)
    for e in (1.0, 0.5, 0.0):
        hit = rod.impact(q, qd, [Contact("rod", (0.5, 0, 0), restitution=e, friction=0.5)])
        axes.plot(np.degrees(angles), rod.kinetic_energy(q, hit.qd) / rod.kinetic_energy(q, qd), label=f"e = {e:g}")
    _label(axes, "A rod that strikes with one end", "angle to the ground [degrees]", "energy after / before")


def _label(axes: Any, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
