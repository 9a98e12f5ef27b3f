"""Poses of SDF frames, each relative to another frame of the same or a nested model."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from revolute.io.description import Remark
from revolute.io.sdf_models import Scope
from revolute.io.sdf_values import MODEL, WORLD, own_pose, text
from revolute.io.xml import Tag
from revolute.spatial import Transform


class Poses:
    """Frames of a model and of its nested models, by their names in the robot, each with its pose in another frame."""

    def __init__(self, scopes: Sequence[Scope], remarks: list[Remark]) -> None:
        """Read the frames of all models, outer models first."""
        outermost = scopes[0]
        self.model = outermost.model
        self.frames: dict[str, tuple[str, Transform]] = {MODEL: ("", Transform())}
        self.attached: dict[str, str] = {}
        for scope in scopes:
            self._add(scope, remarks)
        models = [scope for scope in scopes if scope.frame != WORLD]
        for scope in models:
            self._attach(scope, scopes)
        self._check()
        self.frames[WORLD] = (MODEL, Transform())  # poses may be relative to frames of the world
        for scope in reversed(models[1:]):  # inner models first: placement frames may lie in them
            relative_to, pose = self.frames[scope.frame]
            self.frames[scope.frame] = (relative_to, self._of_frame(scope, pose))
        relative_to, in_world = own_pose(outermost.placed_by, remarks)
        if relative_to not in ("", WORLD):
            name = next(scope for scope in scopes if scope.frame == WORLD).full(relative_to)
            if name not in self.frames or WORLD not in [frame for frame, _ in self._above(name)]:
                outermost.placed_by.fail(f"its pose is relative to '{relative_to}'; give its pose in the world")
            in_world = self.pose(name, WORLD) @ in_world
        self.frames[WORLD] = (MODEL, self._of_frame(outermost, in_world).inverse())

    def _of_frame(self, scope: Scope, pose: Transform) -> Transform:
        """The pose of a model from its <pose>, which is the pose of its placement frame."""
        placed = scope.placement_frame
        return pose if placed == scope.frame else pose @ self.pose(placed, scope.frame).inverse()

    def _add(self, scope: Scope, remarks: list[Remark]) -> None:
        """Add the frames of a model, and the model's own frame in the enclosing model."""
        if scope.outer:
            relative_to, pose = own_pose(scope.placed_by, remarks)
            self._name(scope.outer.model, scope.frame, scope.name)
            self.frames[scope.frame] = (scope.outer.full(relative_to or MODEL), pose)
        for tag in ("link", "joint", "frame"):
            for node in scope.parts(tag):
                name = scope.full(node.text("name"))
                self._name(scope.model, name, node.text("name"))
                relative_to, pose = own_pose(node, remarks)
                if tag == "joint" and scope.file.urdf:
                    pose = scope.file.urdf.joints[node.text("name")].placement
                if tag == "joint":
                    self.attached[name] = scope.full(text(node, "child"))
                if tag == "frame":
                    self.attached[name] = scope.full(node.text("attached_to", MODEL) or MODEL)
                above = scope.full(relative_to) if relative_to else self.attached.get(name, scope.frame)
                self.frames[name] = (above, pose)
                if tag == "link" and scope.still:
                    self.attached[name] = WORLD

    def _name(self, model: Tag, name: str, written: str) -> None:
        if written in (WORLD, MODEL):
            model.fail(f"the name '{written}' is reserved in SDFormat; choose another one")
        if name in self.frames:
            model.fail(f"duplicate name '{name}' among links, joints, frames and models; names must be unique")

    def _attach(self, scope: Scope, scopes: Sequence[Scope]) -> None:
        """Attach the model frame to the canonical link: by default the first link, or that of a nested model."""
        canonical = scope.model.text("canonical_link", "")
        parts = [scope.full(node.text("name")) for node in scope.model.children("link")]
        parts += [inner.frame for inner in scopes if inner.outer is scope]
        if not parts:
            scope.model.fail("it has no links")
        if canonical and scope.full(canonical) not in self.frames:
            scope.model.fail(f"its canonical_link is '{canonical}', which is not one of its links; correct the name")
        self.attached[scope.frame] = scope.full(canonical) if canonical else parts[0]

    def pose(self, name: str, seen_from: str = MODEL) -> Transform:
        """Pose of a frame in another, computed from only the frames between them, to keep the file's numbers exact."""
        seen: tuple[dict[str, Transform], dict[str, Transform]] = ({}, {})
        for step in zip_longest(self._above(seen_from), self._above(name)):
            for one, other, entry in zip(seen, reversed(seen), step, strict=True):
                if entry:
                    frame, one[frame] = entry
                    if frame in other:
                        X: Transform = seen[0][frame].inverse() @ seen[1][frame]
                        return X.merged()
        raise AssertionError("every chain of frames must end at the model's frame")

    def _above(self, name: str) -> Iterator[tuple[str, Transform]]:
        """The frames from `name` up to the model's, with the pose of `name` in each of them."""
        X = Transform()
        while True:
            self._require(name)
            yield name, X
            if name == MODEL:
                return
            name, pose = self.frames[name]
            X = (pose @ X).merged()

    def _require(self, name: str) -> None:
        if name not in self.frames:
            self.model.fail(f"there is no link, joint or frame '{name}' for a pose to refer to; add it")

    def _check(self) -> None:
        """Reject frames that are not connected to the model's frame."""
        rooted = {MODEL, WORLD}
        for start in self.frames:
            passed: dict[str, None] = {}
            name = start
            while name not in rooted:
                self._require(name)
                if name in passed:
                    self.model.fail(
                        f"the pose of '{name}' is relative to itself, through a cycle of relative_to; break it"
                    )
                passed[name] = None
                name = self.frames[name][0]
            rooted.update(passed)

    def link(self, name: str) -> str:
        """The link, or the world, to which a frame is fixed: for a joint its child, for a model its canonical link."""
        passed = [name]
        while passed[-1] in self.attached:
            passed.append(self.attached[passed[-1]])
            if len(passed) > len(self.attached) + 1:
                self.model.fail(f"frame '{name}' is attached to itself, through a cycle of attached_to; break it")
        return passed[-1]
