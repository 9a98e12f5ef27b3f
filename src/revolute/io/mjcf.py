"""MJCF, the format of MuJoCo: bodies and joints of a model compiled by MuJoCo.

MuJoCo resolves defaults, includes, meshes and inertias from geometry; this module reads the
result. https://mujoco.readthedocs.io/en/stable/XMLreference.html
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from revolute.errors import ModelError
from revolute.io.description import Description, Part, Remark
from revolute.io.mjcf_drives import BALL, SLIDE, MjModel, columns, disabled, left_out, mujoco
from revolute.io.mjcf_equality import read_equalities
from revolute.io.mjcf_limits import check_sizes
from revolute.io.mjcf_numbers import axis, keyframes, refuse_nan, rotation, vector
from revolute.io.mjcf_shapes import Geoms, moved_meshes
from revolute.io.plain import listed, of_file
from revolute.io.source import Source
from revolute.io.urdf import mimics
from revolute.io.xml import Tag
from revolute.model import Drive, Joint, Limits, Link
from revolute.model.joints import Free, JointType, Prismatic, Revolute, Spherical
from revolute.spatial import Inertia, Transform, Vector
from revolute.spatial.quaternion import logarithm

TO_TWIST = (3, 4, 5, 0, 1, 2)  # indices of the entries of a twist (w, v) in the velocity (v, w) of MuJoCo's free joint


def read_mjcf(root: Tag, source: Source) -> Description:
    """The links and joints of an MJCF file or text: see `revolute.load`."""
    model, spec = mujoco().MjModel, mujoco().MjSpec
    content, faults = source.content, "surrogateescape" if source.path else "replace"
    text = content if isinstance(content, str) else content.decode("utf-8-sig", errors=faults)
    check_sizes(text, root.where, source.folder)

    compile_model = partial(model.from_xml_path if source.path else model.from_xml_string, source.path or text)
    specification = partial(spec.from_file if source.path else spec.from_string, source.path or text)
    return _described(*_compiled(root.where, compile_model, root), root.where, specification)


def read_mujoco(source: Any) -> Description:
    """The links and joints of an MjModel, or of an MjSpec, of which a copy is compiled."""
    where = type(source).__name__
    if where == "MjModel":
        return _described(source, [], where)
    return _described(*_compiled(where, lambda: source.copy().compile()), where, lambda: source)


def _described(
    model: MjModel, warnings: list[str], where: str, specification: Callable[[], Any] | None = None
) -> Description:
    """The links and joints of a compiled model; `specification` returns its MjSpec, which has further data."""
    if model.nbody == 1 and not (model.nsite or model.ngeom):
        raise ModelError(f"{where}: it has no bodies; if it is part of a model, load the model that includes it")
    with _warnings():
        moved = moved_meshes(specification()) if specification and model.nmesh else {}
    reader = _MJCFReader(model, where, moved)
    links, joints = [reader.link(0)], []
    for body in range(1, model.nbody):
        with of_file(f"{where}: body '{reader.bodies[body]}'"):
            for link, joint in reader.chain(body):
                links.append(link)
                joints.append(joint)
    for name, carrier, placement in reader.sites():
        links.append(Link(name))
        joints.append(Joint(f"{name}:mount", carrier, name, placement=placement))
    name = model.names.split(b"\0")[0].decode(errors="replace")
    gravity = (0.0, 0.0, 0.0) if disabled(model, "gravity") else tuple(model.opt.gravity.tolist())
    remarks = [Remark(f"{where}: MuJoCo warns: {warning}") for warning in warnings]
    remarks += reader.remarks() + mimics(where, joints)

    def parts(meshes: bool) -> list[Part]:
        """All bodies except the world; MuJoCo has already opened their meshes."""
        return [(reader.link(k), reader.geoms.solids(k)) for k in range(1, model.nbody)]

    closures = tuple(reader.equalities.closures)
    return Description(name, links, joints, where, remarks, closures, gravity, reader.keyframes, parts)


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect the warnings of MuJoCo in a list; by default MuJoCo writes them to a log file in the current folder."""
    warnings: list[str] = []
    handler = mujoco().get_mju_user_warning()
    mujoco().set_mju_user_warning(warnings.append)
    try:
        yield warnings
    finally:
        mujoco().set_mju_user_warning(handler)


def _compiled(where: str, compile_model: Callable[[], Any], root: Tag | None = None) -> tuple[Any, list[str]]:
    """The model that MuJoCo compiles, and its warnings; `root` is the file's outermost element."""
    with _warnings() as warnings:
        try:
            model = compile_model()
        except Exception as error:  # MuJoCo documents no types of errors
            if root is not None:
                refuse_nan(root, warnings)
            reason = ": ".join(line.strip() for line in str(error).splitlines() if line.strip())
            raise ModelError(f"{where}: MuJoCo cannot compile it: {reason}") from None
    if root is not None:
        refuse_nan(root, warnings)
    return model, warnings


class _MJCFReader:
    """Reader of a compiled model; unnamed bodies and joints get names."""

    def __init__(self, model: MjModel, where: str, moved: Mapping[str, Transform | None]) -> None:
        self.model, self.where = model, where
        self.bodies = self._names("body", "body", {"world"})
        self.bodies[0] = "world"
        self.joints = self._names("jnt", "joint")
        meshes, fields = self._names("mesh", "mesh"), self._names("hfield", "hfield")
        self.geoms = Geoms(model, self._names("geom"), self.bodies, meshes, fields, moved)
        self.columns = columns(model)
        self.keyframes = keyframes(model, self.joints, self._names("key", "key"))
        self.equalities = read_equalities(model, self.bodies, self.joints, self._names("eq", "equality"))

    def chain(self, body: int) -> Iterator[tuple[Link, Joint]]:
        """The links and joints between a body and its parent, one pair for each joint of the body."""
        # A joint rotates the body about an anchor, which may differ from the origin of the body's frame. Massless links
        # connect its joints. mj_kinematics: T <- T Trans(anchor) Joint(q - q0) Trans(-anchor).
        model, name, link = self.model, self.bodies[body], self.link(body)
        before = self.bodies[model.body_parentid[body]]
        pose = Transform(rotation(model.body_quat[body]), vector(model.body_pos[body]))
        joints = range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
        for k in joints:
            joint, start, anchor = self._joint(k)
            placement = start if isinstance(joint, Free) else pose @ Transform(p=anchor) @ start
            at_frame = k == joints[-1] and not any(anchor)
            carried = name if at_frame else self._between(name, self.joints[k])
            yield link if at_frame else Link(carried), Joint(
                self.joints[k], before, carried, joint, placement, self._limits(k), self._drive(k, joint)
            )
            before, pose = carried, Transform(p=-anchor)
        if before != name:
            yield link, Joint(f"{name}:mount", before, name, placement=pose)

    def _names(self, objects: str, kind: str = "", taken: Collection[str] = ()) -> list[str]:
        """Names of all objects of a type. If `kind` is not empty, unnamed objects are named `kind` and a number."""
        texts: bytes = self.model.names
        starts = map(int, getattr(self.model, f"name_{objects}adr"))
        names = [texts[start : texts.index(b"\0", start)].decode(errors="replace") for start in starts]
        taken = {*taken, *names}
        for k, name in enumerate(names):
            if not name and kind:
                names[k] = f"{kind}{k}"
                while names[k] in taken:
                    names[k] += "_"
        return names

    def link(self, body: int) -> Link:
        """The link of a body, with its shapes; the world has no inertia."""
        inertia = self._inertia(body) if body else Inertia()
        return Link(self.bodies[body], inertia, self.geoms.visuals(body), self.geoms.collisions(body))

    def _inertia(self, body: int) -> Inertia:
        """Inertia of a body about its origin, expressed in the body frame."""
        mass, com, moments, quaternion = (
            getattr(self.model, f"body_{name}")[body] for name in ("mass", "ipos", "inertia", "iquat")
        )
        return Inertia.from_com(float(mass), com.tolist(), np.diag(moments).tolist(), rotation(quaternion))

    def _between(self, body: str, joint: str) -> str:
        name = f"{body}:{joint}"
        while name in self.bodies:
            name += ":"
        return name

    def _joint(self, k: int) -> tuple[JointType, Transform, Vector]:
        """A joint, its transform at q = 0, and its anchor in the body frame."""
        model, types = self.model, mujoco().mjtJoint
        kind = model.jnt_type[k]
        direction, anchor = axis(model.jnt_axis[k]), vector(model.jnt_pos[k])
        reference = float(model.qpos0[model.jnt_qposadr[k]])
        if kind == types.mjJNT_HINGE:
            hinge = Revolute(direction)
            return hinge, hinge.transform([-reference]).merged() if reference else Transform(), anchor
        if kind == types.mjJNT_SLIDE:
            slide = Prismatic(direction)
            return slide, slide.transform([-reference]) if reference else Transform(), Vector((0, 0, 0))
        if kind == types.mjJNT_BALL:
            return Spherical(), Transform(), anchor
        return Free(), Transform(), Vector((0, 0, 0))

    def _limits(self, k: int) -> Limits:
        model = self.model
        if model.jnt_type[k] < SLIDE:
            return Limits()
        low, high = model.jnt_range[k].tolist()
        limited = model.jnt_limited[k] and not disabled(model, "limit constraint")
        lower, upper = ((low,), (high,)) if limited else ((), ())
        effort = float(np.abs(model.jnt_actfrcrange[k]).max())
        return Limits(lower, upper, effort=(effort,) if model.jnt_actfrclimited[k] else ())

    def _drive(self, k: int, joint: JointType) -> Drive:
        start, order = self.model.jnt_dofadr[k], TO_TWIST if isinstance(joint, Free) else range(joint.nv)
        rows = []
        for values in self.columns[:3]:
            row = tuple(float(values[start + i]) for i in order)
            rows.append(row if any(row) else ())
        damping, friction, armature = rows
        spring: dict[str, tuple[float, ...]] = {}
        if joint.nv < 6 and self.columns[3][k]:
            spring["stiffness"] = (float(self.columns[3][k]),) * joint.nv
            at = self.model.jnt_qposadr[k]
            slack = self.model.qpos_spring[at : at + joint.nq].tolist()
            if any(rest := slack if joint.nv == 1 else logarithm((*slack[1:], slack[0]))):
                spring["rest_position"] = tuple(rest)
        return Drive(damping, friction, self.equalities.couplings.get(k), armature, **spring)

    def sites(self) -> Iterator[tuple[str, str, Transform]]:
        """Named sites as frames: name, body, pose in the body."""
        model, taken = self.model, {*self.bodies}
        for k, name in enumerate(self._names("site")):
            if not name:
                continue
            while name in taken:
                name += ":site"
            taken.add(name)
            pose = Transform(rotation(model.site_quat[k]), vector(model.site_pos[k]))
            yield name, self.bodies[model.site_bodyid[k]], pose

    def remarks(self) -> list[Remark]:
        """Remarks on data of the model that the robot's own equations ignore."""
        model, kept = self.model, []
        if closures := self.equalities.closures:
            kept.append(
                f"{self.where}: {len(closures)} equality constraint(s) close loops or couple joints, but the robot is "
                "the tree without them; they are in Robot.closures, and robot.with_closures() enforces them"
            )
        if shapeless := self.geoms.left_out:
            kept.append(f"{self.where}: shapes without effect on the equations are omitted: {listed(shapeless)}")
        if moving := [named.name for named, qvel in zip(self.keyframes, model.key_qvel, strict=True) if qvel.any()]:
            kept.append(f"{self.where}: velocities of the keyframes {listed(moving)} are omitted; positions are read")
        if armature := [self.joints[k] for k in np.unique(model.dof_jntid[self.columns[2] != 0])]:
            kept.append(
                f"{self.where}: the armature of {listed(armature)} is stored as Drive.armature: only the mass "
                "matrix of robot.with_drives() includes it"
            )
        if linear := [self.joints[k] for k in np.flatnonzero(self.columns[3]) if model.jnt_type[k] >= BALL]:
            kept.append(
                f"{self.where}: the springs of {listed(linear)} are stored as Drive.stiffness and Drive.rest_position: "
                "only the equations of robot.with_drives() include them"
            )
        words = left_out(model, lambda kind: self.joints if kind == "jnt" else self._names(kind, kind))
        omitted = [*self.equalities.left_out, *words]
        if model.opt.density or model.opt.viscosity:
            omitted.append("the drag of a fluid")
        return [Remark(text, kept=True) for text in kept] + [
            Remark(f"{self.where}: not modelled: {what}") for what in omitted
        ]
