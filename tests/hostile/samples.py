"""Whole files of every format that is read, and what is done with them: a robot's torques, a table's numbers."""

import functools
import json
import math
import struct
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from damage import damaged_bytes, damaged_text

sys.path.insert(0, str(Path(__file__).parents[1] / "io"))  # the process that reads has this folder alone

from damaged_scene import DH, MJCF, PART, SCENE

import revolute
from revolute import Drive, FrameClosure, Inertia, JointClosure, Limits, Mimic, ModelWarning, PointClosure, Robot
from revolute.dynamics.newton_euler import newton_euler
from revolute.io.data import toml_text
from revolute.library.random_tree import TYPES

SPREAD = (0.1, 0.2, -0.3)
INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.1"/><mass value="2.5"/>'
    '<inertia ixx=".3" iyy=".4" izz=".35" ixy=".01" ixz=".02" iyz="-.03"/></inertial>'
)


@dataclass(frozen=True)
class Format:
    """Files of one format, one for each version of it, and how they are used.

    Attributes:
        name: of the files.
        whole: makes the content of a file beside which others may be written; it is read without an error.
        use: reads a file and does with it what people do; what comes of it are finite numbers.
        is_text: damage is done to text, too.
        is_needed: whether nothing can be said of a file that cannot be read.
        part: the file that is damaged, where it is another one that the first names.
    """

    name: str
    whole: tuple[Callable[[], str | bytes], ...]
    use: Callable[[Path], None]
    is_text: bool = True
    is_needed: bool = True
    part: str = ""
    beside: dict[str, Callable[[], str | bytes]] = field(default_factory=dict)

    def damaged(self, seed: int) -> bytes:
        """A file of the format, damaged."""
        content = whole(self, seed % len(self.whole))
        if self.is_text:
            return damaged_text(content.decode(), seed)
        return damaged_bytes(content, seed)


@functools.cache
def _content(make: Callable[[], str | bytes]) -> bytes:
    content = make()
    return content.encode() if isinstance(content, str) else content


def whole(format: Format, version: int) -> bytes:
    """A file as it should be."""
    return _content(format.whole[version])


def check_robot(robot: Robot) -> None:
    """A robot's torques in finite states are finite."""
    rng = np.random.default_rng(0)
    for q in (robot.neutral().tolist(), rng.standard_normal(robot.nq).tolist()):
        qd, qdd = rng.standard_normal((2, robot.nv)).tolist()
        tau = [float(x) for x in newton_euler(robot, q, qd, qdd)]
        if not all(map(math.isfinite, tau)):
            raise AssertionError(f"torques {tau} at q {q}, qd {qd}, qdd {qdd}")


def checked(read: Callable[[Any], Robot], source: Any) -> None:
    """A robot that is read, in spite of warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        check_robot(read(source))


def load_and_examine(path: Path) -> None:
    """A robot's description, and all that is found wrong with it."""
    from revolute.examine import examine

    checked(revolute.load, path)
    assert all(str(finding) for finding in examine(path, meshes=True).findings)


def load_table(path: Path) -> None:
    """A table of Denavit and Hartenberg."""
    checked(Robot.from_dh, path)


def load_json(path: Path) -> None:
    """A robot as plain data, which has no file that could be named: the data is told instead."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return
    checked(Robot.from_dict, data)


def read_states(path: Path) -> None:
    """A trajectory, with derivatives from it or from splines."""
    from revolute.io import trajectory

    found = trajectory.read(ARM, path)
    for name in ("t", "q", "qd", "qdd"):
        array = getattr(found, name)
        assert array is None or np.isfinite(array).all(), f"{name} is not finite"


def read_forces(path: Path) -> None:
    """A table of joint forces over time, as the command line reads it."""
    from revolute.cli.commands.forces import forces_and_times

    forces, t = forces_and_times(ARM, str(path), None, 0.01, "runge_kutta_4")
    assert np.isfinite(forces).all() and np.isfinite(t).all()


def read_mesh(path: Path) -> None:
    """The inertia of a solid."""
    inertia = Inertia.mesh(path, density=1000.0)
    assert np.isfinite([inertia.m, *inertia.h, *(x for row in inertia.I for x in row)]).all(), inertia


ARM = revolute.robots.planar(2)
TREE = revolute.robots.random_tree(6, rng=3, base="free")


def urdf_arm() -> str:
    links = "".join(
        f'<link name="{name}">{INERTIAL}<visual><origin rpy="0 1 0"/><geometry>{shape}</geometry></visual></link>'
        for name, shape in {
            "trunk": '<box size=".3 .2 .1"/>', "thigh": '<cylinder radius=".05" length=".4"/>',
            "shank": '<sphere radius=".1"/>', "slide": '<mesh filename="part.stl" scale="1 1 1"/>',
            "tool": "", "plate": "", "ball": "",
        }.items()
    )  # fmt: skip
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><origin xyz=".1 .2 -.3" rpy=".1 .2 .3"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz=".6 0 .8"/><limit lower="-1" upper="2" effort="50" velocity="8"/>'
        f'<dynamics damping=".5" friction=".2"/>{more}</joint>\n'
        for name, kind, parent, child, more in (
            ("hip", "revolute", "trunk", "thigh", ""),
            ("knee", "continuous", "thigh", "shank", ""),
            ("rail", "prismatic", "trunk", "slide", '<mimic joint="hip" multiplier="2" offset="-.5"/>'),
            ("mount", "fixed", "slide", "tool", ""),
            ("table", "planar", "trunk", "plate", ""),
            ("float", "floating", "shank", "ball", ""),
        )
    )
    return f'<?xml version="1.0"?>\n<robot name="m">\n{links}\n{joints}</robot>\n'


def mjcf_loops() -> str:
    """With two meshes, one of them of a file."""
    meshes = '<mesh name="part" file="part.stl"/><mesh name="points" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
    solids = '<geom type="mesh" mesh="part"/><geom type="mesh" mesh="points" density="9"/><site name="s"'
    return MJCF.replace("<worldbody>", f"<asset>{meshes}</asset><worldbody>").replace('<site name="s"', solids)


def sdf_leg() -> str:
    inertial = (
        "<inertial><pose>.1 .2 .3 .3 -.2 .1</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.35</izz>"
        "<ixy>.01</ixy><ixz>.02</ixz><iyz>-.03</iyz></inertia></inertial></link>"
    )
    axis = (
        "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>8</velocity></limit>"
        "<dynamics><damping>.5</damping><friction>.2</friction><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>.1</spring_reference></dynamics></axis>"
    )
    mimic = '<mimic joint="hip"><multiplier>2</multiplier><offset>.1</offset><reference>.2</reference></mimic></axis>'
    return f"""<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity>
<model name="m" placement_frame="rail_frame"><pose>1 2 3 0 0 1</pose>
  <link name="trunk">{inertial}
  <link name="thigh"><pose relative_to="hip"/>{inertial}
  <link name="shank"><pose relative_to="thigh">0 0 -.4 1 0 0</pose>{inertial}
  <link name="slide"><pose relative_to="rail_frame" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>{inertial}
  <link name="tool"><pose relative_to="mount_frame" degrees="true">0 0 0 0 57.3 0</pose>{inertial}
  <link name="cross"><pose>0 1 0 0 0 0</pose>{inertial}
  <link name="nut"><pose>1 1 0 0 0 0</pose>{inertial}
  <joint name="hip" type="revolute"><pose relative_to="trunk">.1 .2 -.3 .1 .2 .3</pose>
    <parent>trunk</parent><child>thigh</child>{axis}</joint>
  <joint name="knee" type="continuous"><parent>thigh</parent><child>shank</child>{axis}</joint>
  <joint name="rail" type="prismatic"><parent>rail_frame</parent><child>slide</child>
    {axis.replace("</axis>", mimic)}</joint>
  <joint name="mount" type="fixed"><parent>slide</parent><child>tool</child></joint>
  <joint name="cardan" type="universal"><parent>trunk</parent><child>cross</child>{axis}
    <axis2><xyz expressed_in="trunk">1 0 0</xyz><mimic joint="rail"><multiplier>1</multiplier></mimic></axis2></joint>
  <joint name="thread" type="screw"><parent>trunk</parent><child>nut</child>{axis}
    <screw_thread_pitch>.01</screw_thread_pitch></joint>
  <joint name="loop" type="ball"><parent>tool</parent><child>shank</child></joint>
  <frame name="rail_frame" attached_to="trunk"><pose>0 .3 0 0 0 2</pose></frame>
  <frame name="mount_frame" attached_to="slide"><pose>.1 0 0 0 0 0</pose></frame>
</model></world></sdf>
"""


def closed_robot() -> Robot:
    closures = PointClosure("tip", at_b=(1.0, 0.0, 0.0)), FrameClosure("tip", "link1"), JointClosure("joint2", "joint1")
    drive = Drive((0.1,), (0.2,), Mimic("joint1", 2.0, 0.5), (0.3,), (50.0,), (1e-4,), (0.0,), (0.0,), (0.1,), (0.01,))
    *bodies, last = revolute.robots.planar(3).bodies
    last = replace(last, drive=drive, limits=Limits((-1.0,), (1.0,), (2.0,), (3.0,)))
    return replace(revolute.robots.planar(3), closures=closures, bodies=(*bodies, last))


def mixed_robot() -> Robot:
    return revolute.robots.random_tree(8, rng=1, base="free", types=tuple(TYPES))


def toml_of(make: Callable[[], Robot]) -> Callable[[], str]:
    return lambda: toml_text(make())


def json_of(make: Callable[[], Robot]) -> Callable[[], str]:
    return lambda: json.dumps(make().to_dict(), indent=1)


def columns(kinds: Sequence[str], rows: int) -> tuple[list[str], np.ndarray]:
    """Names and (rows, columns) numbers of a table for the arm: kinds are "q", "qd", "qdd", "tau"."""
    from revolute.io import trajectory

    t = np.arange(rows) / 50
    names = ["t"]
    for kind in kinds:
        names += trajectory.position_names(ARM) if kind == "q" else trajectory.rate_names(ARM, kind)
    return names, np.column_stack([t, np.sin(np.multiply.outer(t, np.arange(1.0, len(names))))])


def csv_text(kinds: Sequence[str], rows: int, separator: str = ",", quoted: bool = False) -> str:
    names, values = columns(kinds, rows)
    head = [f'"{name}"' if quoted else name for name in names]
    return "".join(separator.join(map(str, row)) + "\n" for row in (head, *values.tolist()))


def parquet(kinds: Sequence[str], rows: int, options: dict[str, object]) -> bytes:
    import io

    import pyarrow
    import pyarrow.parquet

    names, values = columns(kinds, rows)
    types = [np.float64, np.float32] if options.get("write_page_checksum") else [np.float64]
    table = pyarrow.table({name: values[:, k].astype(types[k % len(types)]) for k, name in enumerate(names)})
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, **options)
    return file.getvalue()


PARQUET = tuple(
    functools.partial(parquet, kinds, rows, options)
    for kinds, rows, options in (
        (("q", "qd", "qdd"), 300, {"write_page_checksum": True}),
        (("q", "qd", "qdd"), 40, {"compression": "none", "use_dictionary": False}),
        (("q", "qd", "qdd"), 40, {"compression": "zstd", "data_page_version": "2.0"}),
        (("q",), 40, {"compression": "gzip", "row_group_size": 10}),
        (("q", "qd", "qdd"), 40, {"compression": "brotli", "data_page_size": 64, "store_schema": False}),
        (("q", "qd", "qdd"), 40, {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"}),
    )
)


CORNERS = [(x, y, z) for x in (0.0, 0.2) for y in (0.0, 0.3) for z in (0.0, 0.4)]
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def stl() -> bytes:
    faces = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in CORNERS[k]), 0) for face in FACES)
    return b"box".ljust(80) + struct.pack("<I", len(FACES)) + faces


def stl_text() -> str:
    corner = "vertex {} {} {}\n".format
    faces = ("".join(corner(*CORNERS[k]) for k in face) for face in FACES)
    middle = "".join(f"facet normal 0 0 0\nouter loop\n{face}endloop\nendfacet\n" for face in faces)
    return f"solid box\n{middle}endsolid box\n"


def lines(begin: str, rows: Sequence[Sequence[float]]) -> str:
    return "".join(f"{begin} {' '.join(map(str, row))}\n" for row in rows)


def obj() -> str:
    return lines("v", CORNERS) + lines("f", [[k + 1 for k in face] for face in FACES])


def off() -> str:
    return f"OFF\n{len(CORNERS)} {len(FACES)} 0\n" + lines("", CORNERS) + lines("3", FACES)


def _exported(kind: str) -> bytes:
    import trimesh

    found: bytes = trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type=kind)
    return found


_csv, _all = functools.partial(functools.partial, csv_text), ("q", "qd", "qdd")
FORMATS: dict[str, Format] = {
    "urdf": Format("arm.urdf", (urdf_arm, revolute.robots.panda().to_urdf), load_and_examine, beside={"part.stl": stl}),
    "urdf with a mesh": Format(
        "arm.urdf", (stl, stl), load_and_examine, False, False, "part.stl", {"arm.urdf": urdf_arm}
    ),
    "mjcf": Format("arm.xml", (mjcf_loops, TREE.to_mjcf), load_and_examine, beside={"part.stl": stl}),
    "mjcf with a mesh": Format("arm.xml", (stl,), load_and_examine, False, True, "part.stl", {"arm.xml": mjcf_loops}),
    "mjcf with an obj": Format(
        "arm.xml", (obj,), load_and_examine, part="part.obj",
        beside={"arm.xml": lambda: mjcf_loops().replace(".stl", ".obj")},
    ),
    "sdf": Format("leg.sdf", (sdf_leg, lambda: SCENE), load_and_examine, beside={"part.sdf": lambda: PART}),
    "toml": Format("arm.toml", (toml_of(closed_robot), toml_of(mixed_robot)), load_and_examine),
    "plain data": Format("arm.json", (json_of(closed_robot), json_of(mixed_robot)), load_json),
    "dh": Format("arm.csv", (lambda: DH, lambda: DH.replace(",", ";")), load_table),
    "csv": Format(
        "states.csv", (_csv(_all, 30), _csv(("q",), 30, "\t"), _csv(("q", "qd"), 30, ";", True)), read_states
    ),
    "forces": Format("forces.csv", (_csv(("tau",), 30),), read_forces),
    "parquet": Format("states.parquet", PARQUET, read_states, False),
    "stl": Format("box.stl", (stl,), read_mesh, False),
    "stl of text": Format("box.stl", (stl_text,), read_mesh),
    "obj": Format("box.obj", (obj,), read_mesh),
    "off": Format("box.off", (off,), read_mesh),
    "ply": Format("box.ply", (functools.partial(_exported, "ply"),), read_mesh, False),
    "glb": Format("box.glb", (functools.partial(_exported, "glb"),), read_mesh, False),
}  # fmt: skip
"""Everything that is read: descriptions of robots, what they name, tables over time, and solids."""
