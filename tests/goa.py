"""GOA's equations as printed, with 6x6 matrices in NumPy: twists are (v, w), as in the paper. States may be complex."""

from dataclasses import dataclass

import numpy as np

from revolute import Robot


def tilde(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def inverse_adjoint(T: np.ndarray) -> np.ndarray:
    """Ad^-1 of a pose; appendix."""
    R, p = T[:3, :3], T[:3, 3]
    return np.linalg.inv(np.block([[R, tilde(p) @ R], [np.zeros((3, 3)), R]]))


def adj(v: np.ndarray) -> np.ndarray:
    """The Lie bracket matrix of a twist; appendix."""
    return np.block([[tilde(v[3:]), tilde(v[:3])], [np.zeros((3, 3)), tilde(v[3:])]])


def A(v: np.ndarray) -> np.ndarray:
    """GOA 8-12: the momentum of a body is A(v) pi."""
    x, y, z = v[3:]
    hat = np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])
    zero = np.zeros((3, 1))
    return np.block([[v[:3, None], tilde(v[3:]), np.zeros((3, 6))], [zero, -tilde(v[:3]), hat]])


@dataclass(frozen=True)
class Body:
    """Inertia, parameters, Jacobian and its rate, twist and upward acceleration of body k."""

    inertia: np.ndarray
    pi: np.ndarray
    J: np.ndarray
    Jd: np.ndarray
    v: np.ndarray
    gamma: np.ndarray


def bodies(robot: Robot, q: np.ndarray, qd: np.ndarray) -> list[Body]:
    """The moving bodies, by the algorithm of GOA VI."""
    none = np.zeros((6, robot.nv))
    upward = np.array([*np.negative(robot.gravity), 0, 0, 0])
    found = [Body(np.zeros((6, 6)), np.zeros(10), none, none, none @ qd, upward)]
    for i, body in enumerate(robot.bodies[1:], 1):
        parent, at = found[body.parent], robot.v_index[i]
        T = np.array(body.placement.matrix()) @ np.array(body.joint.transform(list(q[robot.q_index[i]])).matrix())
        Xi = none.copy()
        Xi[:, at] = np.array([[*S.lin, *S.ang] for S in body.joint.columns()], dtype=float).T
        Ad = inverse_adjoint(T)
        J = Ad @ parent.J + Xi  # 27
        Jd = Ad @ parent.Jd - adj(Xi @ qd) @ Ad @ parent.J  # 28
        m, h, I = body.inertia.m, np.array(body.inertia.h, dtype=float), np.array(body.inertia.I, dtype=float)
        inertia = np.block([[m * np.eye(3), -tilde(h)], [tilde(h), I]])
        pi = np.array([m, *h, I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        found.append(Body(inertia, pi, J, Jd, J @ qd, Ad @ parent.gamma))
    return found[1:]


def coriolis_matrix(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """GOA 6b."""
    total = np.zeros((robot.nv, robot.nv))
    for k in bodies(robot, q, qd):
        Psi = k.inertia @ adj(k.v) - adj(k.v).T @ k.inertia
        total = total + k.J.T @ (Psi @ k.J + k.inertia @ k.Jd)
    return total


def coriolis_matrix_regressor(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """GOA 13b: (nv, nv, 10 n)."""
    blocks = []
    for k in bodies(robot, q, qd):
        columns = [k.J.T @ (A(adj(k.v) @ J + Jd) - adj(k.v).T @ A(J)) for J, Jd in zip(k.J.T, k.Jd.T, strict=True)]
        blocks.append(np.stack(columns, 1))
    return np.concatenate(blocks, -1)


def slotine_li_regressor(robot: Robot, q: np.ndarray, qd: np.ndarray, qdr: np.ndarray, qddr: np.ndarray) -> np.ndarray:
    """GOA 15-16."""
    blocks = []
    for k in bodies(robot, q, qd):
        alpha = k.J @ qddr + adj(k.v) @ k.J @ qdr + k.Jd @ qdr + k.gamma
        blocks.append(k.J.T @ (A(alpha) - adj(k.v).T @ A(k.J @ qdr)))
    return np.concatenate(blocks, -1)
