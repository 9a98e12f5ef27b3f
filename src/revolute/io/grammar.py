"""Tables of the names that a reader knows, and reports of unknown names in a file.

Each XML reader has one table with a `Kind` for every kind of element. Names of other namespaces are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
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
    """A kind of element.

    Attributes:
        read: attributes that the reader reads.
        children: child elements that the reader reads.
        known: known attributes: those that are read, and others that are ignored.
        inner: kinds of child elements that are read; None for elements that are ignored with their content.
        variants: kinds that replace this one, by the attribute `type` of an element.
    """

    read: frozenset[str]
    children: Mapping[str, Kind]
    known: frozenset[str]
    inner: Mapping[str, Kind | None]
    variants: Mapping[str, Kind]


def kind(
    read: str = "", children: Mapping[str, Kind] = MappingProxyType({}), *, passed: str = "",
    variants: Mapping[str, Kind] = MappingProxyType({}), nested: str = "",
) -> Kind:
    """A `Kind`, whose attributes are separated by blanks, as are the known names that are `passed` over: `@name` for
    attributes. `nested` is the name of inner elements of the same kind.
"""
    attributes = {name[1:] for name in passed.split() if name.startswith("@")}
    elements: dict[str, Kind | None] = dict.fromkeys(name for name in passed.split() if not name.startswith("@"))
    own, inner = frozenset(read.split()), dict(children)
    elements |= children
    whole = Kind(own, inner, own | attributes, elements, variants)
    if nested:
        inner[nested] = elements[nested] = whole
    return whole


def first(node: Tag, tag: str, remarks: list[Remark]) -> Tag | None:
    """The first child with that name, or None; a remark if there are several."""
    elements = node.elements(tag)
    if len(elements) > 1:
        text = f"{node.where}: it has {len(elements)} <{tag}> elements; only the first is used"
        remarks.append(Remark(text, fault=True))
    return type(node)(elements[0], node.where) if elements else None


def unknown_names(root: Tag, grammar: Kind) -> list[Remark]:
    """Report names that the reader does not read. Equal names in elements of one kind share a remark.

    Remarks on repaired faults of the XML come first.
    """
    faults = [Remark(f"{root.where}: {text}", fault=True) for text in (root.document.faults if root.document else ())]
    namespace = root.element.tag[: -len(root.tag)]
    groups: dict[tuple[str, str], list[tuple[Element, Element]]] = defaultdict(list)
    kinds: dict[tuple[str, str], Kind] = {}
    for element, owner, name, tag, in_kind in _unknown(root.element, grammar, namespace):
        groups[tag, name].append((element, owner))
        kinds[tag, name] = in_kind
    if not groups:
        return faults
    lines = dict(zip(map(id, root.element.iter()), line_numbers(root), strict=False))
    remarks = faults
    for (tag, name), places in groups.items():
        first, *others = sorted({lines.get(id(element), 0) for element, _ in places})
        owner = next(owner for element, owner in places if lines.get(id(element), 0) == first)
        near, advice = _nearest(name, tag, kinds[tag, name], grammar)
        what = f"attribute '{name[1:]}' of <{tag}>" if name.startswith("@") else f"<{name}> in <{tag}>"
        some = ", ".join(map(str, others[:6])) + (f" and {len(others) - 6} more" if len(others) > 6 else "")
        also = f", and at line{'s' * (len(others) > 1)} {some}" if others else ""
        named = owner is not root.element and owner.get("name")
        above = f"{owner.tag[len(namespace) :]} '{named}': " if named else ""
        text = f"{root.where}: {above}line {first}{also}: {what} is not read; {advice}"
        warning = UnknownNameWarning(text, root.where, first, tag, name.removeprefix("@"), near)
        remarks.append(Remark(text, fault=True, warning=warning))
    return remarks


def _unknown(root: Element, grammar: Kind, namespace: str) -> Iterator[tuple[Element, Element, str, str, Kind]]:
    """Unread names, as tuples: element, owner, name, and tag and kind of the element that has the name.

    The owner is the innermost named element around it, or the outermost one. Names of attributes begin with @.
    """
    start, pending = len(namespace), [(root, grammar, root)]
    while pending:
        element, in_kind, owner = pending.pop()
        attributes, inner = element.attrib, in_kind.inner
        owner = element if "name" in attributes else owner
        if not in_kind.known.issuperset(attributes):
            for name in attributes:
                if name not in in_kind.known and "}" not in name:
                    yield element, owner, f"@{name}", element.tag[start:], in_kind
        for child in element:
            tag = child.tag[start:]
            if below := inner.get(tag):
                if below.variants:
                    below = below.variants.get(child.get("type", ""), below)
                if len(child) or not below.known.issuperset(child.attrib):
                    pending.append((child, below, owner))
            elif tag not in inner and child.tag.startswith(namespace) and "}" not in tag:
                yield child, owner, tag, element.tag[start:], in_kind


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
        if place not in ("", tag):
            yield place, each
        pending += [(place, variant) for variant in each.variants.values()]
        pending += list(each.children.items())
