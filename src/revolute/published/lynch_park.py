"""Lynch and Park's Newton-Euler recursion in twists and wrenches at the centres of mass."""

from collections.abc import Sequence
from typing import NamedTuple

from revolute.dynamics.kinematics import in_child
from revolute.errors import InputError
from revolute.model.model import Model
from revolute.published.serial import along_z, serial, turn
from revolute.spatial import ZERO, Inertia, Scalar, Scalars, Transform, Twist, Vector, Wrench


class Links(NamedTuple):
    """T_{i-1,i}, A_i and G_i of links 1 ... n along the frames {i}, and the pose T_{n,n+1} of the tip. LP 9.49-9.53."""

    T: list[Transform]
    A: list[Twist]
    G: list[Inertia]
    tip: Transform


class LinkStates(NamedTuple):
    """Twists V_i, rates Vd_i with the base's -g, wrenches F_i at the joints, and joint forces tau. LP 9.54-9.57."""

    V: list[Twist]
    Vd: list[Twist]
    F: list[Wrench]
    tau: list[Scalar]


def lynch_park(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, F_tip: Scalars = (), tip: str | None = None
) -> list[Scalar]:
    """Inverse dynamics in twists and wrenches, in frames at the centres of mass. LP 9.49-9.57, 9.81.

    For `F_tip` and `tip` see `lynch_park_states`, which returns all V_i, Vd_i and F_i.
    """
    return lynch_park_states(model, q, qd, qdd, F_tip, tip).tau


def lynch_park_states(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, F_tip: Scalars = (), tip: str | None = None,
    frames: Sequence[str] | None = None,
) -> LinkStates:
    """V_i, Vd_i and F_i of each link by the Newton-Euler recursion. LP 9.42-9.48, 9.54-9.57, 9.62-9.63.

    See also LP 9.72-9.74, 9.77-9.79.

    9.55 has [V_i, A_i] qd_i; 9.58 has [Ad V_{i-1}, A_i] qd_i, which is equal, because [A_i, A_i] = 0. (LP starts with
    Vd_0 = (0, g); its own text requires -g. LP 9.51 prints M_{i-1} for M_i; 9.58 prints T_{i-1,i} for T_{i,i-1}.)

    Args:
        model: serial arm on a fixed base.
        q, qd, qdd: (n,) positions, velocities and accelerations.
        F_tip: wrench (m, f) that the tip exerts on its surroundings, along `tip`; zero by default.
        tip: name of a frame of the last link; {n} by default.
        frames: see `lynch_park_links`.

    Example:
        >>> from revolute import published, robots
        >>> arm = robots.planar(2).with_gravity((0, 0, 0))
        >>> push = (0, 0, 0, 0, 5.0, 0)
        >>> links = published.lynch_park_states(arm, [0, 0], [1, 0], [0, 0], push, "tip")
        >>> tuple(links.V[1].lin), links.tau  # 1.5 m/s at the second centre; 5 N at 2 m, 1 m
        ((0.0, 1.5, 0.0), [10.0, 5.0])
    """
    T, A, G, end = lynch_park_links(model, q, tip, frames)
    V, Vd = Twist(ZERO, ZERO), Twist(ZERO, -model.gravity)
    twists, rates, wrenches = [], [], []
    for i, A_i in enumerate(A):
        V = in_child(T[i], V) + A_i * qd[i]
        Vd = in_child(T[i], Vd) + V.cross(A_i) * qd[i] + A_i * qdd[i]
        twists.append(V)
        rates.append(Vd)
        wrenches.append(G[i].momentum(Vd) + V.cross_force(G[i].momentum(V)))
    if len(F_tip):
        wrenches[-1] += end @ Wrench(Vector(F_tip[:3]), Vector(F_tip[3:]))
    for i in range(len(A) - 1, 0, -1):
        wrenches[i - 1] += T[i] @ wrenches[i]
    return LinkStates(twists, rates, wrenches, [A_i.power(F) for A_i, F in zip(A, wrenches, strict=True)])


def lynch_park_links(
    model: Model, q: Scalars, tip: str | None = None, frames: Sequence[str] | None = None,
    formulation: str = "lynch_park",
) -> Links:
    """Poses T_{i-1,i}, screws A_i and inertias G_i of a serial arm. LP 9.35, 9.39-9.41, 9.49-9.53.

    Args:
        model: serial arm on a fixed base.
        q: (n,) positions.
        tip: name of a frame of the last link; {n} by default.
        frames: names of the frames {i}, one of each link, such as `frame1` ... of `Robot.from_screws`. By default
            {i} is at the centre of mass, with its z axis along joint i.
        formulation: name of the caller in messages.

    Raises:
        InputError: there is not one frame for each link, or the tip is not on the last link.
    """
    arm = serial(model, formulation)
    links, bodies = arm.links[1:], model.bodies[1:]
    if frames is None:
        X = [Transform(p=link.r) for link in links]
        G = [Inertia(link.m, ZERO, link.I_c) for link in links]
    else:
        named = [model.frame(frame) for frame in frames]
        if [frame.body for frame in named] != [*range(1, arm.n + 1)]:
            raise InputError(f"{formulation}: frames must name one frame of each of the {arm.n} links, in order")
        X = [Transform(turn(body)).inverse() @ frame.placement for body, frame in zip(bodies, named, strict=True)]
        G = [x.inverse() @ link.inertia for x, link in zip(X, links, strict=True)]
    before = [Transform(), *X]
    T = [before[i].inverse() @ link.pose(q[i]) @ X[i] for i, link in enumerate(links)]
    z = along_z(1)
    slide, axis = Twist(ZERO, z), Twist(z, ZERO)
    A = [in_child(x, axis if link.sigma else slide) for x, link in zip(X, links, strict=True)]
    end = Transform()
    if tip is not None:
        if model.frame(tip).body != arm.n:
            raise InputError(f"{formulation}: the tip must be a frame of the last link, but '{tip}' is not")
        end = (Transform(turn(bodies[-1])) @ X[-1]).inverse() @ model.frame(tip).placement
    return Links(T, A, G, end)
