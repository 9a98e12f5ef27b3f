"""Methods of `Robot`: robots composed of parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from revolute.machine.robot.base import Group
from revolute.model import compose, edit, rebase
from revolute.model.parameters import regrouped
from revolute.spatial import Transform

if TYPE_CHECKING:
    from revolute.model.model import Model


class Parts(Group):
    """Parts of the robot, and robots attached to it; additional frames and other bases."""

    def subtree(self, link: str) -> Self:
        """The part of the robot beyond a link, with that link as its fixed base.

        The base frame is the link's frame; the components of gravity are unchanged, but are now expressed in that
        frame: see `with_gravity`.

        Example:
            >>> robot = revolute.robots.planar(3)
            >>> robot.subtree(robot.bodies[1].name).nv
            2
        """
        return edit.subtree(self, link)

    def attach(self, other: Model, link: str, placement: Transform = Transform(), prefix: str = "") -> Self:
        """This robot with another one attached, as one robot: arms on a torso, a gripper on an arm.

        The other's base is fixed to a link: its inertia is added to that of the link, and its links are kept as frames,
        by name. Its joints come directly after all joints that the link already carries, depth first: see
        `joint_names`. Its limits, drives, mimics and closures are included, and a closure with its base frame is moved
        to the link. Name and gravity are those of this robot.

        Args:
            other: a robot with a fixed base.
            link: name of a link of this robot.
            placement: pose of the other's base frame in the link's frame.
            prefix: prefix of all names of the other's links and joints, which must differ from the names here.

        Raises:
            UnknownNameError: no link has that name.
            InputError: a link or joint name occurs in both robots; the base of `other` floats; one of its closures
                cannot be attached; or an argument has the wrong type.

        Example:
            >>> from revolute import Transform
            >>> arm, torso = revolute.robots.ur5(), revolute.robots.planar(1)
            >>> robot = torso.attach(arm, "tip", Transform(p=(0, 0.3, 0)), "left_")
            >>> robot = robot.attach(arm, "tip", Transform(p=(0, -0.3, 0)), "right_")
            >>> robot.nv, robot.joint_names[1], robot.joint_names[7]
            (13, 'left_shoulder_pan_joint', 'right_shoulder_pan_joint')
        """
        return compose.attach(self, other, link, placement, prefix)

    def with_frame(self, name: str, link: str, placement: Transform = Transform()) -> Self:
        """The robot with one more named frame, fixed to a link: a tool's tip, a camera. It has no mass.

        The frame is a link like others, the last of `link_names`: poses, Jacobians, wrenches and closures accept it.

        Args:
            name: name of the frame.
            link: name of the link to which it is fixed.
            placement: pose of the frame in the link's frame.

        Raises:
            UnknownNameError: no link has that name.
            InputError: a link already has the new name, or an argument has the wrong type.

        Example:
            >>> place = revolute.Transform(p=(0.1, 0, 0))
            >>> robot = revolute.robots.planar(2).with_frame("pen", "tip", place)
            >>> robot.forward_kinematics([0.0, 0.0], "pen")[:3, 3].round(3)
            array([2.1, 0. , 0. ])
        """
        return compose.with_frame(self, name, link, placement)

    def to_base(self, base: str) -> Self:
        """The robot with its root link fixed or floating, as `load` returns it with the same `base`.

        If the root link becomes floating, closures with the base frame move to it. If it becomes fixed, its frame
        becomes the base frame.

        Args:
            base: "fixed"; or "free", on a joint "root_joint", whose q is (position [m], quaternion x y z w) and qd the
                body twist (w, v) [rad/s, m/s].

        Raises:
            InputError: `base` is neither of the two; another joint is called "root_joint"; or the base is a world, in
                which a body floats by a joint of the file.

        Example:
            >>> floating = revolute.robots.ur5().to_base("free")
            >>> floating.joint_names[0], floating.nq, floating.nv
            ('root_joint', 13, 12)
        """
        return compose.to_base(self, base)

    def rebased(self, link: str) -> Self:
        """The robot with another link as its base: a foot on the ground, a gripper that holds on to something.

        A free base stays free: its joint then carries the link, so its q are the pose of the link and its qd the link's
        twist. A fixed base stays fixed: the link's frame becomes the base frame, and the former base moves; the
        components of gravity are unchanged, but are now expressed in the new frame. `to_base("free")` frees it.

        Joints between the old and the new base then carry their former parents. Their axes are reversed, so names,
        positions, velocities, forces, limits and drives stay the same; q changes only in its order and in the pose of a
        free base: see `configuration` and `joint_values`. Links keep their names and shapes; closures and contacts keep
        their links, but a closure with a fixed base frame moves to the link that was the base. Frames of bodies are on
        the axes of their joints: if no link of the former parent has the frame of a reversed joint, the link
        `<joint>_parent` is added. Rotors of `with_drives(rotors=True)` are on the new parents.

        Args:
            link: name of the new base.

        Raises:
            UnknownNameError: no link has that name.
            InputError: a joint between the bases has several coordinates, such as a ball joint; or a closure cannot be
                moved.

        Example:
            >>> arm = revolute.robots.ur5()
            >>> hung = arm.rebased("tool0")
            >>> q = hung.configuration(arm.joint_values(arm.home()))
            >>> pose = hung.forward_kinematics(q, "base_link")  # in the frame of tool0
            >>> np.allclose(arm.forward_kinematics(arm.home(), "tool0") @ pose, np.eye(4))
            True
            >>> hung.joint_names[0]
            'wrist_3_joint'
        """
        return rebase.rebased(self, link)

    def regrouped(self) -> Self:
        """The robot with regrouped inertias: parts that do not affect joint forces are moved to the parent bodies.

        For a revolute joint these are the mass, the first moment along the axis and an inertia that is symmetric about
        it (only the mass, if the axis is not a coordinate axis); for a prismatic joint, the inertia matrix. Joint
        forces, the mass matrix and the kinetic energy are unchanged, and so is the potential energy, up to a constant.
        Wrenches between links, centres of mass and total momenta change, and bodies may become physically inconsistent.
        Kernels of joint forces use regrouped inertias automatically. Gautier & Khalil 1990.

        Example:
            >>> robot = revolute.robots.ur5()
            >>> [(x.inertial_parameters != 0).sum().item() for x in (robot, robot.regrouped())]
            [26, 19]
        """
        return replace(self, bodies=regrouped(self.bodies))
