"""Balafoutis and Patel's tensor form of the Newton-Euler recursion."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.newton_euler import inwards, motions_by_tensors
from revolute.published.serial import serial
from revolute.spatial.scalar import Scalar
from revolute.spatial.tensors import euler_moment

__all__ = ["tensor_newton_euler"]


def tensor_newton_euler(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics with the angular-acceleration tensor. BP Alg. 5.6, 5.3.7-5.3.8."""
    arm = serial(model, "tensor_newton_euler")
    A, s = arm.poses(q)
    _, _, sdd, Omega = motions_by_tensors(arm, A, s, qd, qdd)
    F = [(x @ link.r + a) * link.m for x, link, a in zip(Omega, arm.links, sdd, strict=True)]
    M = [euler_moment(x, link.J_c) for x, link in zip(Omega, arm.links, strict=True)]  # 5.3.7g-h
    return inwards(arm, A, s, F, M)
