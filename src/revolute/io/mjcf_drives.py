"""Forces at the joints of a compiled MuJoCo model: the data of `Drive`, and a table of data that are not modelled."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import extra
from revolute.io.plain import listed

MjModel = Any  # a compiled model of MuJoCo, which is an extra


def mujoco() -> Any:
    """The package mujoco; raise `MissingExtraError` if it is not installed."""
    with extra("loading MJCF needs the package mujoco", "mjcf"):
        import mujoco
    return mujoco


BALL, SLIDE = 1, 2  # types of joints in MuJoCo; free joints come before balls, hinges after slides

LEFT_OUT = (
    ("the armature of {}, actuators not of a slide or hinge", "actuator", "", "free_actuator_armature"),
    ("the damping of {}, actuators not of a slide or hinge", "actuator", "damper passive", "free_actuator_damping"),
    ("the nonlinear terms of dampers of {}", "actuator", "damper passive", "actuator_dampingpoly"),
    ("the springs of {}, which are free joints", "jnt", "", "free_springs"),
    ("the nonlinear terms of springs of {}", "jnt", "spring passive", "jnt_stiffnesspoly"),
    ("the nonlinear terms of dampers of {}", "dof", "damper passive", "dof_dampingpoly"),
    ("the plasticity of springs of {}", "jnt", "spring passive", "jnt_springyield"),
    ("the ranges of {}, which are ball joints", "jnt", "limit constraint", "ball_ranges"),
    ("the smaller bound of the force ranges of {}: the larger one is the effort limit", "jnt", "", "smaller_bounds"),
    ("the springs of {}, which are tendons", "tendon", "spring passive", "tendon_stiffness tendon_stiffnesspoly"),
    ("the plasticity of {}, which are tendons", "tendon", "spring passive", "tendon_springyield"),
    ("the dampers of {}, which are tendons", "tendon", "damper passive", "tendon_damping tendon_dampingpoly"),
    ("the armature of {}, which are tendons", "tendon", "", "tendon_armature"),
    ("the friction of {}, which are tendons", "tendon", "frictionloss constraint", "tendon_frictionloss"),
    ("the ranges of {}, which are tendons", "tendon", "limit constraint", "tendon_limited"),
    ("the force ranges of {}, which are tendons", "tendon", "actuation", "tendon_actfrclimited"),
    ("the gravity compensation of {}", "body", "gravity", "body_gravcomp"),
    ("the plugins of {}", "body", "", "body_plugins"),
    ("the deformation of {}", "flex", "", "flex_dim"),
)
"""Data that are left out: words of a warning, kind of object, flags that disable it, arrays of the model."""


def columns(model: MjModel) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Damping, friction and armature of degrees of freedom, and stiffness of joints; zero if disabled by a flag.

    Actuators of slides and hinges add gear^2 armature and gear^2 damping.
    """
    damping, armature = model.dof_damping.copy(), model.dof_armature.copy()
    for k in np.flatnonzero(_on_one_axis(model)):
        at, gear = model.jnt_dofadr[model.actuator_trnid[k, 0]], model.actuator_gear[k, 0]
        armature[at] += gear**2 * _of_actuators(model, "armature")[k]
        damping[at] += gear**2 * _of_actuators(model, "damping")[k]
    off = [disabled(model, flags) for flags in ("damper passive", "frictionloss constraint", "spring passive")]
    return damping * (not off[0]), model.dof_frictionloss * (not off[1]), armature, model.jnt_stiffness * (not off[2])


def disabled(model: MjModel, flags: str) -> bool:
    """Whether the model disables one of these flags; before MuJoCo 3.4, "passive" disables springs and dampers."""
    bits = [getattr(mujoco().mjtDisableBit, f"mjDSBL_{flag.upper()}", 0) for flag in flags.split()]
    return any(int(bit) & int(model.opt.disableflags) for bit in bits)


def left_out(model: MjModel, names: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """Descriptions of the data in `LEFT_OUT` that a model contains; `names` returns all names of a kind of object."""
    elsewhere, (low, high) = ~_on_one_axis(model), model.jnt_actfrcrange.T
    derived = {
        "free_actuator_armature": elsewhere * _of_actuators(model, "armature"),
        "free_actuator_damping": elsewhere * _of_actuators(model, "damping"),
        "free_springs": (model.jnt_type < BALL) * columns(model)[3],
        "ball_ranges": (model.jnt_type == BALL) & (model.jnt_limited != 0),
        "smaller_bounds": (model.jnt_actfrclimited != 0) & (low != -high),
        "body_plugins": model.body_plugin >= 0,
    }
    for words, kind, flags, arrays in LEFT_OUT:
        found = [derived[x] if x in derived else getattr(model, x, np.zeros(0)) for x in arrays.split()]
        rows = {k for array in found for k in np.nonzero(array)[0].tolist()}
        objects = {model.dof_jntid[k] for k in rows} if kind == "dof" else rows
        if objects and not disabled(model, flags):
            all_names = names("jnt" if kind == "dof" else kind)
            yield words.format(listed([all_names[k] for k in sorted(objects)]))


def _of_actuators(model: MjModel, name: str) -> NDArray[Any]:
    """(nu,) armature or damping of the actuators: zeros before MuJoCo 4."""
    return np.asarray(getattr(model, f"actuator_{name}", np.zeros(model.nu)))


def _on_one_axis(model: MjModel) -> NDArray[Any]:
    """(nu,) whether each actuator acts on a slide or hinge."""
    joints = np.where(model.actuator_trntype < 2, model.actuator_trnid[:, 0], -1)  # 0 and 1 are joints
    return np.array([k >= 0 and model.jnt_type[k] >= SLIDE for k in joints], dtype=bool)
