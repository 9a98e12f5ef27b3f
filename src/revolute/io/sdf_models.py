"""The robot's model in an SDF file, with nested and included models and the world around it.

http://sdformat.org/tutorials?tut=composition
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from revolute.errors import ModelError
from revolute.io.description import Remark
from revolute.io.grammar import unread_names
from revolute.io.sdf_grammar import SDF
from revolute.io.sdf_include import UrdfParts, as_model, included_file
from revolute.io.sdf_values import MODEL, SEPARATOR, WORLD, flag, text, version
from revolute.io.sdf_versions import rename_parts
from revolute.io.source import LARGEST, Source, opened
from revolute.io.xml import Tag, parse

DEEPEST = 32  # maximum nesting depth of models
MOST = 1000  # maximum number of models of a robot; a few files that include each other twice could create millions


@dataclass(frozen=True)
class File:
    """An SDF file or text."""

    root: Tag  # outermost element
    folder: str  # folder of the file; "" for a text
    above: tuple[str, ...]  # paths of the file and its includers, outermost first
    urdf: UrdfParts | None = None  # content of a URDF file


@dataclass(frozen=True)
class Scope:
    """A model, as the scope of the names of its links, joints and frames."""

    model: Tag  # its element
    name: str  # name of the model
    prefix: str  # prefix of its parts' names in the robot: "gripper::"; "" for the outermost model
    frame: str  # the name of its own frame in the robot
    file: File  # the file that contains the model
    outer: Scope | None = None  # the scope around it
    include: Tag | None = None  # the <include> element that adds the model, if any
    # whether its links are part of the ground: a static model without joints that is not part of the robot
    still: bool = False

    def full(self, name: str) -> str:
        """The robot's name for a part of this model: "gripper::palm" for "palm"."""
        if name in (WORLD, MODEL):
            return WORLD if name == WORLD else self.frame
        return self.prefix + name.removesuffix(SEPARATOR + MODEL)

    def parts(self, tag: str) -> list[Tag]:
        """The links, joints or frames of the model, each with its name added to its location."""
        return self.model.named_children(tag)

    @property
    def static(self) -> bool:
        """Whether the model is static in SDFormat."""
        return flag(self.include if self.include and self.include.child("static") else self.model, "static")

    @property
    def placed_by(self) -> Tag:
        """The element whose <pose> places the model in the enclosing model."""
        return self.include if self.include and self.include.child("pose") else self.model

    @property
    def placement_frame(self) -> str:
        """The robot's frame that <pose> places: by default the model frame."""
        name = text(self.include, "placement_frame", "") if self.include else ""
        name = name or self.model.text("placement_frame", "")
        return self.full(name) if name else self.frame

    @property
    def old(self) -> bool:
        """Whether axes are expressed in the model frame, as in SDFormat up to 1.4."""
        return self.file.urdf is None and version(self.file.root) <= (1, 4)


@dataclass(frozen=True)
class World(Scope):
    """The scope around the robot's model: a <world>, or the file itself. Names of the robot's parts have no prefix."""

    robot: Scope | None = None  # the scope of the robot's model
    left_out: frozenset[str] = frozenset()  # names of other models that are not read

    def parts(self, tag: str) -> list[Tag]:
        """The joints or frames of the world, except those attached to omitted models."""
        return [] if tag == "link" else [node for node in super().parts(tag) if self.left_out.isdisjoint(_owners(node))]

    @property
    def static(self) -> bool:
        """Always false: the world is not a model."""
        return False

    def full(self, name: str) -> str:
        """The robot's name for a part that the world names: "hand" for "arm::hand"."""
        assert self.robot
        if name in (WORLD, MODEL):
            return WORLD
        owner, _, own = name.partition(SEPARATOR)
        return self.robot.full(own or MODEL) if owner == self.robot.name else super().full(name)


class Models:
    """Reader of the models of a file.

    Attributes:
        scopes: scopes of all models, outer ones before nested ones; the robot's first, then the world's.
        inner_first: scopes of all models, nested ones before outer ones.
        world: the element that contains the robot.
        remarks: remarks on unread names and on omitted models.
    """

    def __init__(self, root: Tag, source: Source, chosen: str | None = None) -> None:
        self.scopes: list[Scope] = []
        self.inner_first: list[Scope] = []
        self.remarks = unread_names(root, SDF)
        rename_parts(root, self.remarks)
        self.size = 0
        self.parsed: dict[str, tuple[Tag, list[Tag], UrdfParts | None]] = {}
        file = File(root, source.folder, (os.path.realpath(source.path),) if source.path else ())
        self.world, robot, others, left_out = self._chosen(root, file, chosen)
        self._add(robot)
        world = World(self.world, "", "", WORLD, file, robot=robot, left_out=left_out)
        self.scopes.append(world)
        for other in others:
            self._add(_inner(other, world))
        self.inner_first.append(world)

    def _chosen(self, root: Tag, file: File, chosen: str | None) -> tuple[Tag, Scope, list[Scope], frozenset[str]]:
        """The robot's world and model, the models that it stands on or is connected to, and names of omitted models."""
        places = (root, *root.children("world"))
        nodes = [(place, node) for place in places for tag in ("model", "include") for node in place.children(tag)]
        found = [(place, scope) for place, node in nodes if (scope := self._outermost(node, file, len(nodes)))]
        if nodes and not found:
            self._scope(nodes[0][1], file)  # raises an error that explains the fault in the file
        ground = [scope for _, scope in found if scope.static and next(_parts(scope.model, "joint"), None) is None]
        moving = [(place, scope) for place, scope in found if scope not in ground] or found
        names = ", ".join(f"'{scope.name}'" for _, scope in found)
        if chosen is not None and chosen not in [scope.name for _, scope in found]:
            root.fail(f"it has no model '{chosen}'; it has {names or 'none'}")
        robots = [pair for pair in (found if chosen is not None else moving) if chosen in (None, pair[1].name)]
        if not robots:
            root.fail("it has no models; add a <model>, at the top level or in a <world>")
        place, robot = robots[0]
        beside = [scope for where, scope in found if where is place and scope is not robot]
        joined = _joined(place, robot.name)
        if chosen is None and any(scope.name not in joined for _, scope in robots):
            root.fail(
                f"it has several models, {names}; select one: load(..., model='{robots[0][1].name}'), or "
                f"--model '{robots[0][1].name}' in a shell"
            )
        others = [replace(x, still=x in ground) for x in beside if x in ground or x.name in joined]
        return place, robot, others, frozenset(x.name for x in beside) - {x.name for x in others}

    def _outermost(self, node: Tag, file: File, count: int) -> Scope | None:
        """The scope of a model that is not nested; None if its file is not found and there are other models."""
        try:
            return self._scope(node, file)
        except ModelError:
            if node.tag == "model" or count == 1:
                raise
        left_out = f"besides its model it includes '{text(node, 'uri', '')}': ignored"
        self.remarks.append(Remark(f"{file.root.where}: {left_out}", kept=True))
        return None

    def _scope(self, node: Tag, file: File) -> Scope:
        include = None
        if node.tag == "include":
            include, (node, file) = node, self._opened(node, file)
        name = text(include, "name", "") if include else ""
        return Scope(node, name or node.text("name", ""), "", MODEL, file, None, include)

    def _add(self, scope: Scope, depth: int = 1) -> None:
        if depth > DEEPEST or len(self.scopes) >= MOST:
            scope.model.fail(f"more than {DEEPEST} nested models, or {MOST} in all; merge some of them")
        include = scope.include
        if include and include.child("placement_frame") and not include.child("pose"):
            include.fail("it has a <placement_frame> and no <pose>, which places that frame; add <pose>")
        self.scopes.append(scope)
        for tag in ("model", "include"):
            for inner in scope.model.children(tag):
                self._add(_inner(self._scope(inner, scope.file), scope), depth + 1)
        self.inner_first.append(scope)

    def _opened(self, include: Tag, file: File) -> tuple[Tag, File]:
        """The single model of an included file, and the file."""
        uri = text(include, "uri")
        include = type(include)(include.element, f"{include.where}: <include> of '{uri}'")
        if any(child.tag.endswith("}params") for child in include.element):
            self.remarks.append(Remark(f"{include.where}: parameters of an <include> are not modelled: ignored"))
        path = included_file(include, uri, file.folder)
        if (real := os.path.realpath(path)) in file.above:
            chain = [*file.above[file.above.index(real) :], real]
            include.fail(f"the file includes itself: {' -> '.join(chain)}; remove one of these <include>")
        self.size += os.path.getsize(real)
        if self.size > LARGEST:
            include.fail(f"included files exceed {LARGEST >> 20} MiB in total")
        if real not in self.parsed:
            self.parsed[real] = self._parsed(path)
        root, models, urdf = self.parsed[real]
        if len(models) != 1:
            root.fail(f"it has {len(models)} models, but an included file must have one <model>")
        return models[0], File(root, os.path.dirname(os.path.abspath(path)), (*file.above, real), urdf)

    def _parsed(self, path: str) -> tuple[Tag, list[Tag], UrdfParts | None]:
        """The outermost element of a file, its models, and the content of a URDF file."""
        source = opened(path)
        root = parse(source, "SDF")
        if root.tag == "robot":
            model, urdf = as_model(root, source, self.remarks)
            return root, [model], urdf
        if root.tag != "sdf":
            root.fail(f"its root element is <{root.tag}>, but <include> supports only SDF and URDF; convert it to one")
        self.remarks += unread_names(root, SDF)
        rename_parts(root, self.remarks)
        return root, root.children("model"), None


def _inner(scope: Scope, outer: Scope) -> Scope:
    if not scope.name:
        outer.model.fail('a model in it has no name; give it one: <model name="...">')
    model, include = scope.model, scope.include
    if include and include.flag("merge"):
        prefix, frame = outer.prefix, f"{outer.prefix}_merged__{scope.name}__model__"
    else:
        frame = outer.prefix + scope.name
        prefix = frame + SEPARATOR
    named = type(model)(model.element, f"{model.where}: model '{scope.name}'")
    return Scope(named, scope.name, prefix, frame, scope.file, outer, include, scope.still or outer.still)


def _parts(model: Tag, tag: str) -> Iterator[Tag]:
    """Elements of a model and of its nested models, except included ones."""
    yield from model.children(tag)
    for inner in model.children("model"):
        yield from _parts(inner, tag)


def _owners(node: Tag) -> set[str]:
    """Names of the models that a joint or frame of the world refers to."""
    pose = node.child("pose")
    names = [text(node, "parent", ""), text(node, "child", ""), node.text("attached_to", "")]
    names += [pose.text("relative_to", "")] if pose else []
    return {name.partition(SEPARATOR)[0] for name in names}


def _joined(world: Tag, name: str) -> set[str]:
    """Names of the models that joints of the world connect to a model, directly or through other models."""
    pairs = [[text(x, tag, "").partition(SEPARATOR)[0] for tag in ("parent", "child")] for x in world.children("joint")]
    joined = {name}
    while more := {x for pair in pairs if joined & {*pair} - {WORLD} for x in pair} - joined - {WORLD}:
        joined |= more
    return joined
