"""Tables of the names of a format, and reports of the names in a file that are not read.

Each XML reader has one table with a `Kind` for every kind of element. A name of the format is read, irrelevant for the
equations, or relevant but not modelled; the last causes a warning. Names of other namespaces are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from revolute.errors import UnknownNameWarning
from revolute.io.description import Remark
from revolute.io.xml import Tag, line_numbers
from revolute.records import dataclass

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True)
class Kind:
    """A kind of element."""

    read: frozenset[str]  # attributes that the reader reads
    children: Mapping[str, Kind]  # child elements that the reader reads
    known: frozenset[str]  # known attributes: those that are read, and irrelevant ones
    # kinds of child elements; None for elements that are irrelevant with their content
    inner: Mapping[str, Kind | None]
    # values of names that matter but are not modelled, without effect on the robot; attributes begin with @
    lost: Mapping[str, str]
    anything: bool  # whether unknown names are irrelevant too
    variants: Mapping[str, Kind]  # kinds that replace this one, by the attribute `type` of an element


def kind(
    read: str = "", children: Mapping[str, Kind] = MappingProxyType({}), *, passed: str = "", lost: str = "",
    holders: Mapping[str, Kind] = MappingProxyType({}), variants: Mapping[str, Kind] = MappingProxyType({}),
    nested: str = "",
) -> Kind:
    """Create a `Kind`. Names are separated by blanks; names of attributes begin with @ in `passed` and `lost`.

    `passed` are irrelevant names; * stands for all others. `lost` are names that are not modelled, each with its value
    without effect: "gravity=true". `holders` are elements that are not read, but can contain names to report. `nested`
    is the name of inner elements of the same kind.
"""
    irrelevant = passed.split()
    values = dict(word.split("=") for word in lost.split())
    attributes = {name[1:] for name in irrelevant if name.startswith("@")}
    elements: dict[str, Kind | None] = dict.fromkeys(name for name in irrelevant if not name.startswith("@"))
    own, inner = frozenset(read.split()), dict(children)
    elements |= {**holders, **children}
    whole = Kind(own, inner, own | attributes, elements, values, "*" in irrelevant, variants)
    if nested:
        inner[nested] = elements[nested] = whole
    return whole


def first(node: Tag, tag: str, remarks: list[Remark]) -> Tag | None:
    """The first child with that name, or None; add a remark if there are several."""
    elements = node.elements(tag)
    if len(elements) > 1:
        text = f"{node.where}: it has {len(elements)} <{tag}> elements; only the first is used"
        remarks.append(Remark(text, fault=True))
    return type(node)(elements[0], node.where) if elements else None


def unread_names(root: Tag, grammar: Kind) -> list[Remark]:
    """Report unknown names, and names that are not modelled. Equal names in elements of one kind share a remark."""
    # Remarks on repaired faults of the XML come first.
    remarks = [Remark(f"{root.where}: {text}", fault=True) for text in (root.document.faults if root.document else ())]
    namespace = root.element.tag[: -len(root.tag)]
    groups: dict[tuple[str, str], list[tuple[Element, Element, Kind]]] = defaultdict(list)
    for element, owner, name, tag, in_kind in _unread(root.element, grammar, namespace):
        groups[tag, name].append((element, owner, in_kind))
    lines = dict(zip(map(id, root.element.iter()), line_numbers(root), strict=False)) if groups else {}
    for (tag, name), places in groups.items():
        first, *others = sorted({lines.get(id(element), 0) for element, *_ in places})
        owner = next(owner for element, owner, _ in places if lines.get(id(element), 0) == first)
        known = places[-1][2]
        what = f"attribute '{name[1:]}' of <{tag}>" if name.startswith("@") else f"<{name}> in <{tag}>"
        some = ", ".join(map(str, others[:6])) + (f" and {len(others) - 6} more" if len(others) > 6 else "")
        also = f", and at line{'s' * (len(others) > 1)} {some}" if others else ""
        named = owner is not root.element and (owner.get("name") or owner.get("reference"))
        above = f"{owner.tag[len(namespace) :]} '{named}': " if named else ""
        text = f"{root.where}: {above}line {first}{also}: {what} is not "
        if name in known.lost:
            remarks.append(Remark(f"{text}modelled: ignored"))
            continue
        near, advice = _nearest(name, tag, known, grammar)
        text += f"read; {advice}"
        warning = UnknownNameWarning(text, root.where, first, tag, name.removeprefix("@"), near)
        remarks.append(Remark(text, fault=True, warning=warning))
    return remarks


def _unread(root: Element, grammar: Kind, namespace: str) -> Iterator[tuple[Element, Element, str, str, Kind]]:
    """Unread names, as tuples: element, owner, name, and tag and kind of the element that has the name."""
    # The owner is the innermost named element around it, or the outermost one. Names of attributes begin with @.
    start, pending = len(namespace), [(root, grammar, root)]
    while pending:
        element, in_kind, owner = pending.pop()
        attributes, inner, lost = element.attrib, in_kind.inner, in_kind.lost
        owner = element if "name" in attributes or "reference" in attributes else owner
        if not in_kind.known.issuperset(attributes):
            for name, text in attributes.items():
                unread = name not in in_kind.known and "}" not in name and not in_kind.anything
                if _matters(text, lost[f"@{name}"]) if f"@{name}" in lost else unread:
                    yield element, owner, f"@{name}", element.tag[start:], in_kind
        for child in element:
            tag = child.tag[start:]
            if below := inner.get(tag):
                if below.variants:
                    below = below.variants.get(child.get("type", ""), below)
                if len(child) or not below.known.issuperset(child.attrib):
                    pending.append((child, below, owner))
            elif tag in lost:
                if any(_matters(part.get("value", part.text or ""), lost[tag]) for part in child.iter()):
                    yield child, owner, tag, element.tag[start:], in_kind
            elif tag not in inner and not in_kind.anything and child.tag.startswith(namespace) and "}" not in tag:
                yield child, owner, tag, element.tag[start:], in_kind


def _matters(text: str, idle: str) -> bool:
    """Whether a word of a text differs from the value without effect: as a number, a truth value, or a word."""
    return any(_plain(word) != _plain(idle) for word in text.split())


def _plain(word: str) -> float | str:
    with suppress(ValueError):
        return float(word)
    return {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}.get(word.lower(), word)


def _nearest(name: str, tag: str, known: Kind, grammar: Kind) -> tuple[str | None, str]:
    """Advice for an unknown name: the name that was probably meant, and the correction."""
    bare, is_attribute = name.removeprefix("@"), name.startswith("@")
    if is_attribute and bare in known.children:
        return bare, f"write it as an element: <{bare}>...</{bare}>"
    if not is_attribute and bare in known.read:
        return bare, f"write it as an attribute: <{tag} {bare}=\"...\">"
    others = () if is_attribute else _all_kinds(tag, grammar)
    if elsewhere := sorted({place for place, other in others if bare in other.children}):
        return bare, f"it belongs in {' or '.join(f'<{place}>' for place in elsewhere)}"
    names = {each.lower(): each for each in sorted(known.read if is_attribute else known.children)}
    import difflib  # errors alone need this import, which takes a millisecond

    if near := difflib.get_close_matches(bare.lower(), names, 1):
        found = names[near[0]]
        return found, f"the nearest name is {found if is_attribute else f'<{found}>'}"
    what = "attributes" if is_attribute else "elements"
    return None, f"{what} that are read in <{tag}>: {', '.join(names.values()) or 'none'}"


def _all_kinds(tag: str, grammar: Kind) -> Iterator[tuple[str, Kind]]:
    """Tags and kinds of all elements of the table, except for elements with the given tag."""
    pending, seen = [("", grammar)], set()
    while pending:
        place, each = pending.pop()
        if (place, id(each)) in seen:
            continue
        seen.add((place, id(each)))
        if place not in ("", tag) and not each.anything:
            yield place, each
        pending += [(place, variant) for variant in each.variants.values()]
        pending += list(each.children.items())
