"""Differences between versions of SDFormat, as in libsdformat: names shared by several parts, and where gravity is."""

from itertools import chain, count

from revolute.io.description import Remark
from revolute.io.plain import listed
from revolute.io.sdf_values import vector, version
from revolute.io.xml import Tag


def rename_parts(root: Tag, remarks: list[Remark]) -> None:
    """Rename joints and frames that have the name of another part, which is allowed before SDFormat 1.7."""
    if version(root) >= (1, 7):
        return
    namespace = root.element.tag[: -len(root.tag)]
    for model in root.element.iter(f"{namespace}model"):
        parts = {tag: model.findall(namespace + tag) for tag in ("model", "link", "joint", "frame")}
        names = {tag: {part.get("name", "") for part in parts[tag]} for tag in parts}
        taken, every, renamed = names["model"] | names["link"], set().union(*names.values()), []
        for tag in ("joint", "frame"):
            for part in [part for part in parts[tag] if part.get("name") in taken]:
                name = f"{part.get('name')}_{tag}"
                new = next(new for new in chain([name], (f"{name}{k}" for k in count())) if new not in every)
                part.set("name", new)
                every.add(new)
                renamed.append(new)
            taken |= names[tag]
        if renamed:
            text = f"joints and frames with the name of another part are renamed, as in SDFormat: {listed(renamed)}"
            remarks.append(Remark(f"{root.where}: model '{model.get('name')}': {text}", kept=True))


def gravity(root: Tag, world: Tag, remarks: list[Remark]) -> tuple[float, float, float]:
    """The gravity in the element that contains the robot. Before SDFormat 1.6, <physics> contains a world's gravity."""
    places = [node for node in world.children("physics") if node.child("gravity")] if world.tag == "world" else []
    if places and version(root) < (1, 6):
        return vector(places[0], "gravity")
    if places:
        text = "<gravity> in <physics> is ignored since SDFormat 1.6; write it in <world>"
        remarks.append(Remark(f"{world.where}: {text}", fault=True))
    return vector(world, "gravity", (0, 0, -9.81))
