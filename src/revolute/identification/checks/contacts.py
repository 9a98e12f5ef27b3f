"""Check for contacts that the log lacks: the motion of a floating base disagrees with the measured wrenches."""

import numpy as np

from revolute.errors import advice
from revolute.identification.checks.unexplained_share import unexplained_share
from revolute.identification.forces.floating_bases import Floating, floating_bases
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.finding import LogFinding
from revolute.identification.samples import Array, Samples

TOUCHED = 0.3  # maximum force on a base without contacts, relative to the weight and inertial forces of the description
STRANGE = 0.1  # minimum unexplained fraction of the squared wrenches that is reported, about the square of one third


def unknown_contacts(model: ForceModel, samples: Samples) -> list[LogFinding]:
    """Report bases whose motion requires contact forces that the log lacks, and wrenches that no masses explain."""
    # Missing wrenches, as on the feet of a standing robot, act on joints too, so they bias fits of joint forces.
    robot, found = model.robot, []
    if not model.floating.any():
        return []
    needed = robot.inverse_dynamics(samples.q, samples.qd, samples.qdd)
    weight = robot.gravity_forces(samples.q)
    inertial = np.where(model.floating, samples.qdd, 0.0)
    inertial = (robot.mass_matrix(samples.q) @ inertial[..., None])[..., 0]
    for base in floating_bases(robot):
        forces = slice(base.qd.start + 3, base.qd.stop)
        wrenches = samples.tau[:, base.qd]
        if np.isfinite(wrenches).all() and wrenches.any():
            found += _unexplained(model, samples, base)
            continue
        size, scale = _rms(needed[:, forces]), _rms(weight[:, forces]) + _rms(inertial[:, forces])
        if size > TOUCHED * scale:
            text = (
                f"the motion of '{base.name}' requires forces of {size:.3g} N according to the description, but the "
                "log has none: if something touches the robot, such as the ground, give all wrenches, by "
            ) + advice(
                "columns={'wrench': {link: ...}} or with_wrenches; they act on the joints, too",
                "--columns wrench.LINK=COLUMNS; they act on the joints, too. Without any contact, give --in-flight",
            )
            found.append(LogFinding("contacts", (base.name,), text))
    return found


def _unexplained(model: ForceModel, samples: Samples, base: Floating) -> list[LogFinding]:
    """Report measured wrenches that no masses explain."""
    wrenches = samples.tau[:, base.qd]
    scale = np.maximum(np.sqrt(np.mean(wrenches**2, axis=0)), 1e-9 * np.abs(wrenches).max())
    Y = model.regressor(samples)[:, base.qd] / scale[:, None]
    share = unexplained_share(Y.reshape(-1, Y.shape[-1]), (wrenches / scale).ravel())
    if share < STRANGE:
        return []
    text = (
        f"no masses explain the wrenches on '{base.name}': {100 * share**0.5:.2g} % of them are unexplained. Check the "
        "order of quaternions (x, y, z, w), of twists (angular first, in the body frame) and of wrenches (moments "
        "first, about the link's origin and in its frame), their units, and whether all contacts are among them"
    )
    return [LogFinding("contacts", (base.name,), text)]


def _rms(forces: Array) -> float:
    return float(np.sqrt(np.mean(np.sum(forces**2, axis=1))))
