"""The states from which LQR holds an acrobot upright: docs/images/acrobot-region.png."""

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

import revolute
from revolute.control import LQR
from revolute.plot.style import INK, LIMIT, STYLE

UPRIGHT = np.array([np.pi / 2, 0.0])
STEP = 0.005  # [s]
SECONDS = 12.0
LOST = 2.0  # a first link that is so far from upright does not come back [rad]
HELD = 0.01  # ... and a robot that ends so near to upright is held [rad, rad/s]
POINTS = 121


def regulator() -> LQR:
    """The regulator of the page: a motor at the elbow, none at the shoulder."""
    weights = [10.0, 10.0, 1.0, 1.0]
    return LQR(revolute.robots.planar(2), UPRIGHT, weights, [0.1], actuated=["joint2"], dt=STEP)


def captured(lqr: LQR, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Which of the first states (..., 2) the regulator brings upright; all advance together."""
    robot, q, qd = lqr.robot, q.copy(), qd.copy()
    stepper, tau, lost = robot.stepper(STEP, "runge_kutta_4"), np.zeros_like(q), np.zeros(q.shape[:-1], dtype=bool)
    for _ in range(round(SECONDS / STEP)):
        lqr.torque(0.0, q, qd, out=tau)
        stepper.step(q, qd, tau)
        lost |= ~(np.abs(q[..., 0] - UPRIGHT[0]) < LOST)
        q[lost], qd[lost] = UPRIGHT, 0.0  # so that no number overflows
    still = np.abs(np.concatenate([q - UPRIGHT, qd], axis=-1)).max(axis=-1) < HELD
    found: np.ndarray = still & ~lost
    return found


def planes(points: int = POINTS) -> list[tuple[str, str, float, float, np.ndarray]]:
    """Two planes through the upright state: labels, half-widths, and the states (2, points, points, 2) of each."""
    found = []
    for xlabel, ylabel, width, height, slope in (
        ("elbow [rad]", "shoulder + elbow / 4 [rad]", 1.8, 0.08, 1 / 4),  # where the centre of mass leans
        ("shoulder [rad]", "its speed + 2.7 / s shoulder [rad/s]", 1.2, 0.15, 2.7),  # how fast it falls over
    ):
        x, y = np.meshgrid(np.linspace(-width, width, points), np.linspace(-height, height, points))
        zero, other = np.zeros_like(x), y - slope * x
        states = ((other, x), (zero, zero)) if xlabel.startswith("elbow") else ((x, zero), (other, zero))
        q, qd = (np.stack(pair, axis=-1) for pair in states)
        found.append((xlabel, ylabel, width, height, np.stack([q + UPRIGHT, qd])))
    return found


def figure() -> Figure:
    """The picture: captured states, and the largest level of x^T P x among them."""
    lqr = regulator()
    with rc_context(STYLE | {"axes.grid": False}):
        drawn = Figure((9.2, 4.0), dpi=110, layout="constrained")
        panels = drawn.subplots(1, 2)
        for panel, (xlabel, ylabel, width, height, (q, qd)) in zip(panels, planes(), strict=True):
            held, cost = captured(lqr, q, qd), lqr.cost_to_go(q, qd)
            level = cost[~held].min()
            extent = (-width, width, -height, height)
            colours = ListedColormap(["#f4f6f8", "#a9cfe0"])
            panel.imshow(held, origin="lower", extent=extent, aspect="auto", cmap=colours, vmin=0, vmax=1)
            panel.contour(cost, levels=[level], origin="lower", extent=extent, colors=LIMIT, linewidths=1.5)
            panel.plot(0, 0, "+", color=INK)
            panel.set(xlabel=f"{xlabel}, from upright", ylabel=ylabel)
    return drawn
