"""Robots of the pip package example-robot-data: files with meshes, which need neither git nor a network."""

import os
import sys

__all__ = ["KINDS", "PACKAGE", "file_of", "folder", "has", "names"]

PACKAGE = "example-robot-data"

KINDS = {
    "humanoids": {
        "alex": "alex_description/urdf/alex_nub_hands", "g1": "g1_description/urdf/g1_29dof_rev_1_0",
        "g1_with_hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0", "human": "human_description/robots/human",
        "icub": "icub_description/robots/icub", "romeo": "romeo_description/urdf/romeo",
        "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid",
        "talos": "talos_data/robots/talos_reduced",
    },
    "two legs": {
        "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly", "bolt": "bolt_description/robots/bolt",
        "cassie": "cassie_description/robots/cassie_v2.sdf",
    },
    "four legs": {
        "a1": "a1_description/urdf/a1", "anymal_b": "anymal_b_simple_description/robots/anymal",
        "anymal_b_kinova": "anymal_b_simple_description/robots/anymal-kinova",
        "anymal_c": "anymal_c_simple_description/urdf/anymal", "b1": "b1_description/urdf/b1",
        "b1_z1": "b1_description/urdf/b1-z1", "centauro": "centauro_description/urdf/centauro",
        "go1": "go1_description/urdf/go1", "go2": "go2_description/urdf/go2",
        "hyq": "hyq_description/robots/hyq_no_sensors", "laikago": "laikago_description/urdf/laikago",
        "quadruped": "quadruped_description/urdf/quadruped", "solo8": "solo_description/robots/solo",
        "solo12": "solo_description/robots/solo12",
    },
    "arms": {
        "double_pendulum": "double_pendulum_description/urdf/double_pendulum",
        "finger_edu": "finger_edu_description/robots/finger_edu", "kinova": "kinova_description/robots/kinova",
        "panda_description": "panda_description/urdf/panda", "so100": "so_arm_description/urdf/so100",
        "so101": "so_arm_description/urdf/so101", "talos_arm": "talos_data/robots/talos_left_arm",
        "ur3": "ur_description/urdf/ur3_robot", "ur5_description": "ur_description/urdf/ur5_robot",
        "ur10": "ur_description/urdf/ur10_robot", "xarm7": "xarm_description/urdf/xarm7",
        "z1": "z1_description/urdf/z1",
    },
    "hands": {
        "allegro_left": "allegro_hand_description/urdf/allegro_left_hand",
        "allegro_right": "allegro_hand_description/urdf/allegro_right_hand",
    },
    "on wheels": {
        "baxter": "baxter_description/urdf/baxter", "pr2": "pr2_description/urdf/pr2",
        "tiago": "tiago_description/robots/tiago", "tiago_dual": "tiago_description/robots/tiago_dual",
        "tiago_pro": "tiago_pro_description/robots/tiago_pro",
    },
    "flying": {
        "borinot": "borinot_description/urdf/borinot_flying_arm_2", "iris": "iris_description/robots/iris",
        "hector": "hector_description/robots/quadrotor_base",
        "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5",
    },
}  # fmt: skip
"""{kind: {name: file in the package}}, without the suffix of URDF files. "panda" and "ur5" are of the library."""

_FILES = {name: path for kind in KINDS.values() for name, path in kind.items()}


def names() -> list[str]:
    """The names of all robots, whether or not the package is installed."""
    return list(_FILES)


def has(name: str) -> bool:
    """Whether the package contains a robot of that name, with or without "_description" at the end."""
    return _path(name) is not None


def folder() -> str | None:
    """The folder of the package's robots on `sys.path`; None if not installed. `importlib.metadata` would be slower."""
    places = (os.path.join(path, "cmeel.prefix", "share", PACKAGE, "robots") for path in sys.path)
    return next(filter(os.path.isdir, places), None)


def file_of(name: str) -> str | None:
    """The path of the file of a robot; None if the package is not installed, or has no such file."""
    path, home = _path(name), folder()
    if path is None or home is None:
        return None
    file = os.path.join(home, *path.split("/")) + ("" if path.endswith(".sdf") else ".urdf")
    return file if os.path.isfile(file) else None


def _path(name: str) -> str | None:
    return _FILES.get(name) or _FILES.get(name.removesuffix("_description"))
