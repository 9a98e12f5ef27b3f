"""The model of an SDF file with all models in it: nested ones, and those of files that it includes.

http://sdformat.org/tutorials?tut=composition
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from revolute.io.bounded import LARGEST
from revolute.io.description import Remark
from revolute.io.grammar import unknown_names
from revolute.io.sdf_grammar import SDF
from revolute.io.sdf_include import included_file
from revolute.io.sdf_values import MODEL, SEPARATOR, WORLD, text, version
from revolute.io.source import Source, opened
from revolute.io.xml import Tag, parse

__all__ = ["Models", "Scope"]

DEEPEST = 32
"""Most models inside of each other."""
MOST = 1000
"""Most models of a robot: a few files that include each other twice could make millions."""


@dataclass(frozen=True)
class File:
    """An SDF file or text.

    Attributes:
        root: outermost element.
        folder: of the file; "" of a text.
        above: paths of the file and of those that include it, outermost first.
    """

    root: Tag
    folder: str
    above: tuple[str, ...]


@dataclass(frozen=True)
class Scope:
    """A model, and what its names of links, joints and frames mean.

    Attributes:
        model: its element.
        name: of the model.
        prefix: of the names of its parts in the robot: "gripper::"; "" of the outermost model.
        frame: the name of its own frame in the robot.
        file: that it stands in.
        outer: the scope around it.
        include: the <include> that brings it, if one does.
    """

    model: Tag
    name: str
    prefix: str
    frame: str
    file: File
    outer: Scope | None = None
    include: Tag | None = None

    def full(self, name: str) -> str:
        """The name in the robot of what this model calls by that name: "palm" is "gripper::palm"."""
        if name in (WORLD, MODEL):
            return WORLD if name == WORLD else self.frame
        return self.prefix + name.removesuffix(SEPARATOR + MODEL)

    @property
    def placed_by(self) -> Tag:
        """The element whose <pose> places the model in what is around it."""
        replaced = self.include is not None and self.include.child("pose") is not None
        return self.include if replaced and self.include else self.model

    @property
    def placement_frame(self) -> str:
        """The frame in the robot that <pose> places; the model's own unless it names another."""
        name = text(self.include, "placement_frame", "") if self.include else ""
        name = name or self.model.text("placement_frame", "")
        return self.full(name) if name else self.frame

    @property
    def old(self) -> bool:
        """Whether axes are in the frame of the model, as they are up to version 1.4."""
        return version(self.file.root) <= (1, 4)


class Models:
    """Reader of the models of a file.

    Attributes:
        scopes: of all models, outer ones before those in them.
        inner_first: the same, inner ones before those around them.
        remarks: on names that are not read, and on models that are left out.
    """

    def __init__(self, root: Tag, source: Source) -> None:
        self.scopes: list[Scope] = []
        self.inner_first: list[Scope] = []
        self.remarks = unknown_names(root, SDF)
        self.size = 0
        self.parsed: dict[str, Tag] = {}
        above = (os.path.realpath(source.path),) if source.path else ()
        self._add(self._outermost(root), File(root, source.folder, above), None)

    def _outermost(self, root: Tag) -> Tag:
        """The one <model> or <include> of a file or of its worlds."""
        places = (root, *root.children("world"))
        models, includes = ([x for place in places for x in place.children(tag)] for tag in ("model", "include"))
        if len(models) == 1:
            if includes:
                uris = ", ".join(f"'{text(x, 'uri', '')}'" for x in includes)
                self.remarks.append(Remark(f"{root.where}: beside its model it includes {uris}: left out", kept=True))
            return models[0]
        if models or len(includes) != 1:
            root.fail(f"it has {len(models + includes)} models; give one <model>, there or in one <world>")
        return includes[0]

    def _add(self, node: Tag, file: File, outer: Scope | None, depth: int = 1) -> None:
        """Add the model of an element <model> or <include>, and those in it."""
        include = None
        if node.tag == "include":
            include, (node, file) = node, self._opened(node, file)
        name = text(include, "name", "") if include else ""
        name = name or node.text("name", "")
        if depth > DEEPEST or len(self.scopes) >= MOST:
            node.fail(f"more than {DEEPEST} models inside of each other, or {MOST} in all; merge some of them")
        scope = Scope(node, name, "", MODEL, file, None, include)
        if outer:
            scope = _inner(scope, outer)
        if include and include.child("placement_frame") and not include.child("pose"):
            include.fail("it has a <placement_frame> and no <pose>, which places that frame; add <pose>")
        self.scopes.append(scope)
        for tag in ("model", "include"):
            for inner in scope.model.children(tag):
                self._add(inner, file, scope, depth + 1)
        self.inner_first.append(scope)

    def _opened(self, include: Tag, file: File) -> tuple[Tag, File]:
        """The one model of an included file."""
        uri = text(include, "uri")
        include = type(include)(include.element, f"{include.where}: <include> of '{uri}'")
        path = included_file(include, uri, file.folder)
        real = os.path.realpath(path)
        if real in file.above:
            chain = [*file.above[file.above.index(real) :], real]
            include.fail(f"the file includes itself: {' -> '.join(chain)}; remove one of these <include>")
        self.size += os.path.getsize(real)
        if self.size > LARGEST:
            include.fail(f"included files are larger than {LARGEST >> 20} MiB together")
        if real not in self.parsed:
            root = parse(opened(path), "SDF")
            if root.tag != "sdf":
                root.fail(f"its outermost element is <{root.tag}>, and <include> brings SDF alone; convert it to SDF")
            self.parsed[real] = root
            self.remarks += unknown_names(root, SDF)
        root = self.parsed[real]
        models = list(root.children("model"))
        if len(models) != 1:
            root.fail(f"it has {len(models)} models, and a file that is included has one <model>")
        return models[0], File(root, os.path.dirname(os.path.abspath(path)), (*file.above, real))


def _inner(scope: Scope, outer: Scope) -> Scope:
    """The scope of a model in another one."""
    if not scope.name:
        outer.model.fail('a model in it has no name; give it one: <model name="...">')
    model, include = scope.model, scope.include
    if include and include.flag("merge"):
        prefix, frame = outer.prefix, f"{outer.prefix}_merged__{scope.name}__model__"
    else:
        frame = outer.prefix + scope.name
        prefix = frame + SEPARATOR
    named = type(model)(model.element, f"{model.where}: model '{scope.name}'")
    return Scope(named, scope.name, prefix, frame, scope.file, outer, include)
