"""Methods of `Robot`: robots from tables, screws and dicts, and descriptions of robots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from revolute.arguments import instances
from revolute.io.plain import of_file
from revolute.machine.robot.base import Group
from revolute.model import Contact, numeric
from revolute.model.compose import with_frame

if TYPE_CHECKING:
    from revolute.io.dh import DHTable
    from revolute.model.body import Drive, Limits
    from revolute.spatial import Inertia, Transform


class Descriptions(Group):
    """Robots from tables, and descriptions of robots."""

    @classmethod
    def from_dh(
        cls, table: str | os.PathLike[str] | DHTable | Iterable[Sequence[float] | Mapping[str, Any]],
        convention: str = "standard", *, joints: str | Sequence[str] | None = None,
        inertias: Iterable[Inertia] | None = None, limits: Iterable[Limits] | None = None,
        drives: Iterable[Drive] | None = None, tool: Transform | None = None, name: str = "arm",
        gravity: Sequence[float] = (0, 0, -9.81), degrees: bool = False,
    ) -> Self:
        """A serial arm from a Denavit-Hartenberg table, with one row per joint.

        - "standard" (Denavit & Hartenberg, Paul, SHV): T = Rz(theta) Tz(d) Tx(a) Rx(alpha). A link's frame is at its
          far end, on the axis of the next joint.
        - "modified" (Craig, Khalil & Kleinfinger) and "bp" (BP 2.3.1): T = Rx(alpha) Tx(a) Rz(theta) Tz(d). A link's
          frame is on its own joint axis. Craig gives a and alpha the index of the previous row, BP the row's own.

        The joint's coordinate is added to theta (revolute) or d (prismatic). Links are called "base", "link1" ...,
        joints "joint1" ...; "flange" is the last row's frame. For the frames of standard rows, "frame1" ... are added,
        because a link's own frame is on its joint axis.

        Args:
            table: rows of a [m], alpha [rad], d [m], theta [rad], numbers or SymPy expressions; rows by name; a
                `DHTable`; or the path of a CSV file with names in its first line, or of a TOML file with tables
                [[rows]]. Names are a, alpha, d, theta, and optionally joint (R or P), mass, x, y, z (centre of mass),
                Ixx, Iyy, Izz, Ixy, Ixz, Iyz (about the centre of mass), lower, upper, velocity, effort, and the fields
                of `Drive`. A heading of a CSV file may contain a unit, such as [deg], [mm], [lb] or [kg cm^2]; the
                default is SI.
            convention: "standard", "modified" or "bp".
            joints: "R" or "P" for each row, such as "RRPRRR"; revolute by default.
            inertias: an `Inertia` for each row, about the frame of the row.
            limits: `Limits` for each row.
            drives: a `Drive` for each row, in place of the table's drives; `with_drives` includes them.
            tool: pose of a frame "tool" in the frame "flange"; none by default.
            name: the robot's name.
            gravity: acceleration of free fall in the base frame [m/s^2].
            degrees: whether alpha and theta of rows are in degrees. In files, headings give the units.

        Raises:
            InputError: rows are invalid, or the number of joints, inertias, limits or drives differs.
            ModelError: a file cannot be read; the message gives the line.

        Warns:
            ModelWarning: an inertia is physically inconsistent; alpha or theta exceeds a turn, as if it were in
                degrees.

        Example:
            >>> rod = revolute.Inertia.from_com(2.0, (-0.5, 0, 0))
            >>> elbow = revolute.Robot.from_dh([(1, 0, 0, 0), (1, 0, 0, 0)], inertias=[rod, rod])
            >>> elbow.with_gravity((0, -9.81, 0)).gravity_forces([0.0, 0.0]).round(2)
            array([39.24,  9.81])
        """
        from revolute.io import dh, dh_table

        with of_file(os.fspath(table)) if isinstance(table, (str, os.PathLike)) else nullcontext():
            rows = dh_table.dh_table(table, convention, joints, inertias, limits, drives, degrees)
            robot = dh.arm(name, rows, gravity=gravity)
        return cls.from_model(robot if tool is None else with_frame(robot, "tool", "flange", tool))

    def to_dh(self, convention: str = "standard", *, flange: str | None = None, tolerance: float = 1e-9) -> DHTable:
        """The Denavit-Hartenberg table of a serial arm, with the inertias in the frames of its rows.

        Axis 0 is the z axis of the base, and q = 0 is unchanged. `Robot.from_dh` of the table returns the same arm, up
        to rounding. A table cannot represent other frames fixed to links, or mimics of drives.

        Args:
            convention: "standard", "modified" or "bp": see `from_dh`.
            flange: link on the last body whose frame becomes the table's "flange"; by default the last body itself.
            tolerance: axes within this angle [rad] count as parallel, and parallel axes within this distance [m] as
                coincident. Common normals of almost parallel axes are far away.

        Returns:
            the `revolute.io.dh.DHTable`, which prints as a table.

        Raises:
            ModelError: the robot is not a serial arm of revolute and prismatic joints on a fixed base.
            InputError: the convention is unknown, or the flange is not on the last body.
            UnknownNameError: no link has that name.

        Example:
            >>> print(revolute.robots.puma560().to_dh("modified"))
            joint        a [m]  alpha [rad]          d [m]    theta [rad]
                1            0            0              0          0 + q
                2            0      -1.5708              0          0 + q
                3       0.4318            0         0.1501          0 + q
                4      -0.0203       1.5708         0.4331          0 + q
                5            0      -1.5708              0          0 + q
                6            0       1.5708              0          0 + q
        """
        from revolute.io.to_dh import to_dh

        return to_dh(numeric(self, "to_dh"), convention, flange, tolerance)

    @classmethod
    def from_screws(
        cls, S: ArrayLike, M: ArrayLike, G: Iterable[Inertia | ArrayLike], frame: str = "space", *,
        relative: bool = False, name: str = "arm", limits: Iterable[Limits] | None = None,
        gravity: Sequence[float] = (0, 0, -9.81),
    ) -> Self:
        """A serial arm from screw axes, home configurations and spatial inertias. LP 9.36-9.37, 9.41, 9.49.

        Entries may be SymPy expressions. Links are called "base", "link1" ..., joints "joint1" .... "frame1" ... are
        the frames of M; a link's own frame is parallel to that of M, with its origin on the joint axis.

        Args:
            S: (n, 6) unit screws (w, v) at home, q = 0: w of length one and v = -w x p + h w with a point p of the axis
                and the pitch h [m/rad] (0 for a revolute joint, else a helical one); or w = 0 and v of length one for a
                prismatic one.
            M: (n, 4, 4) home configurations M_i of link frames, or (n + 1, 4, 4) with the end effector "flange" last.
            G: n inertias of the links in their frames: an `Inertia`, or a (6, 6) matrix diag(I, m 1) of (w, v), which
                may include a first moment.
            frame: the frame of S: "space" for the base's (LP's S_i), "body" for the end effector's (LP's B_i), which M
                must contain.
            relative: whether M contains the pose of each frame in the previous one, M_{i-1,i} = M_{i-1}^-1 M_i.
            name: the robot's name.
            limits: `Limits` for each joint.
            gravity: acceleration of free fall in the base frame [m/s^2].

        Raises:
            InputError: a screw does not have length one, a matrix is not a pose or not a spatial inertia, or arguments
                have different lengths.

        Warns:
            ModelWarning: an inertia is physically inconsistent.

        Example:
            >>> S = [(0, 0, 1, 0, 0, 0), (0, 0, 1, 0, -1, 0)]  # two parallel axes, 1 m apart
            >>> M = np.tile(np.eye(4), (3, 1, 1))
            >>> # at the middle of the rods, and the tip
            >>> M[:, 0, 3] = 0.5, 1.5, 2.0
            >>> G = [np.diag([0, 0, 0, 2, 2, 2])] * 2          # point masses of 2 kg
            >>> elbow = revolute.Robot.from_screws(S, M, G, gravity=(0, -9.81, 0))
            >>> elbow.gravity_forces([0.0, 0.0]).round(2)
            array([39.24,  9.81])
        """
        from revolute.io.screws import screw_arm

        return cls.from_model(screw_arm(S, M, G, frame, relative, name, limits, gravity))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The robot described by a result of `to_dict`, exactly equal to the original.

        Raises:
            ModelError: the data does not describe a robot; the message gives the location.
            InputError: the argument is not a dict.

        Example:
            >>> robot = revolute.robots.ur5()
            >>> revolute.Robot.from_dict(robot.to_dict()) == robot
            True
        """
        from revolute.io.data import from_dict

        return cls.from_model(from_dict(data))

    def to_dict(self) -> dict[str, Any]:
        """The robot as dicts, lists, strings and numbers, for JSON, TOML or a database.

        Fields have the names of `Body`, `Frame` and their parts; fields with default values are omitted. Limits may be
        infinite, which strict JSON cannot represent. For a file, use `revolute.save(robot, "robot.toml")`.

        Raises:
            ModelError: the robot has symbols.

        Example:
            >>> body = revolute.robots.ur5().to_dict()["bodies"][2]
            >>> body["joint_name"], body["joint"]
            ('shoulder_lift_joint', {'type': 'revolute', 'axis': [0, 1, 0]})
        """
        from revolute.io.data import to_dict

        return to_dict(self)

    def to_urdf(self) -> str:
        """The robot as URDF text, with all digits.

        `revolute.load` of the text returns the same joints, links and, up to rounding, the same dynamics. URDF has no
        gravity, and of drives only damping, friction and mimic. The joint of a free base is omitted: load the text
        with `base="free"`. Missing limits become 1e9 where URDF needs a number; `revolute.load` reads 1e9 as no limit.
        Shapes are written, with the mesh files in `Shape.file`, except ellipsoids and planes, which URDF does not have.

        Raises:
            ModelError: URDF cannot represent a joint, closure or name; friction differs by direction; symbols remain.

        Warns:
            ModelWarning: shapes, rotors, springs, Stribeck friction or a gravity other than (0, 0, -9.81) is omitted.

        Example:
            >>> text = revolute.robots.ur5().to_urdf()
            >>> revolute.load(text).joint_names == revolute.robots.ur5().joint_names
            True
        """
        from revolute.io.to_urdf import to_urdf

        return to_urdf(self)

    def to_mjcf(self, contacts: Sequence[Contact] = ()) -> str:
        """The robot as MJCF text, MuJoCo's format, with all digits.

        The base becomes the world, and links fixed to bodies become sites; a moving link `world` is renamed
        `world_link`. Massless links between joints lose their names; their joints become joints of one body. A planar
        joint becomes two slides and a hinge, `<joint>.x`, `<joint>.y`, `<joint>.angle`, with velocities along fixed
        axes; a helical joint becomes a hinge and a slide, `<joint>.slide`. Mimics, helical joints and closures become
        equality constraints (an `AxisClosure` by two points of its axis), exact only if MuJoCo's constraints are hard;
        by default they are soft.

        Damping, friction, springs, ranges, efforts of hinges and slides (`actuatorfrcrange`) and armature plus
        gear_ratio^2 rotor_inertia are written; motors and Stribeck friction are not. Visual shapes are geoms of group
        2, which do not collide; collision shapes are hidden in group 3; shapes of fixed links belong to the body that
        carries them. Meshes that MuJoCo reads, binary STL and OBJ, are given by the paths where they were found. MuJoCo
        rejects moving bodies without mass or inertia, and ranges of zero width. So the minimum mass written is 1e-12
        kg, the minimum moment 1e-12 kg m^2 and 1e-10 of the largest one, and the minimum width of a range 1e-9. The
        inertia of a fixed base is omitted.

        Args:
            contacts: contacts of links, written as pairs of a sphere and a plane or another sphere, with their
                friction; points have a radius of 1e-6 m. Their compliance is MuJoCo's default.

        Raises:
            InputError: the robot cannot have one of the contacts: see `impact`.
            ModelError: MJCF cannot represent a contact with a function as its surface, a joint (a free one away from
                the world's origin, a planar one with friction), a closure of another kind, a name, a physically
                inconsistent inertia, friction that differs by direction, or symbols.

        Warns:
            ModelWarning: the text omits restitution and compliance of contacts, shapes, Stribeck friction, velocity
                limits, effort limits of zero or of joints of several axes, closures between frames of one body.

        Example:
            >>> revolute.robots.planar(2).to_mjcf().splitlines()[4].strip()
            '<site name="base" />'
        """
        from revolute.io.to_mjcf import to_mjcf

        return to_mjcf(self, instances("to_mjcf: contacts", contacts, Contact))
