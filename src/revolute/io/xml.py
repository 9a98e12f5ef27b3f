"""Safe reading of XML from a file or a text; error messages give the location of the element.

Document type declarations and entities are rejected; other files are never opened. Every fault of
a file or an attribute raises a `ModelError` that names its location.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from revolute.errors import ModelError
from revolute.io.source import BLANK, Source

_new = tuple.__new__  # constructor of a `Tag` without a Python call, since readers create one for every element


class Document(NamedTuple):
    """The content of a text or file from its first '<' on, the number of lines before it, and faults found in it."""

    content: str | bytes
    skipped: int
    faults: Sequence[str] = ()


class Tag(NamedTuple):
    """An XML element with its location for messages: "arm.urdf: joint 'elbow'"."""

    element: Element
    where: str  # location in messages
    document: Document | None = None  # the parsed document; only for the outermost element

    @property
    def tag(self) -> str:
        """The element's name without its namespace."""
        return self.element.tag.rpartition("}")[2]

    def fail(self, reason: str) -> NoReturn:
        """Raise an error about this element."""
        raise ModelError(f"{self.where}: {reason}")

    def children(self, tag: str) -> list[Tag]:
        """Direct children with that name, in this element's own namespace."""
        return [_new(type(self), (child, self.where, None)) for child in self.elements(tag)]

    def elements(self, tag: str) -> list[Element]:
        """Direct children with that name, as elements without location."""
        own = self.element.tag
        return self.element.findall(own[: own.rfind("}") + 1] + tag if "}" in own else tag)

    def all_children(self) -> list[Tag]:
        """All direct children."""
        return [_new(type(self), (child, self.where, None)) for child in self.element]

    def named_children(self, tag: str) -> list[Tag]:
        """Children with that tag, each with its name added to its location; a name is required."""
        children = self.elements(tag)
        for number, child in enumerate(children, 1):
            if not child.get("name"):
                self.fail(f"{tag} number {number} has no name; give it one: <{tag} name=\"...\">")
        return [type(self)(child, f"{self.where}: {tag} '{child.get('name')}'") for child in children]

    def child(self, tag: str) -> Tag | None:
        """The only child with that name, if there is one."""
        children = self.elements(tag)
        if len(children) > 1:
            self.fail(f"it has {len(children)} <{tag}> elements; keep one")
        return _new(type(self), (children[0], self.where, None)) if children else None

    def required(self, tag: str, example: str) -> Tag:
        """The required child with that name."""
        return self.child(tag) or self.fail(f"<{tag}> is missing; add one, such as {example}")

    def text(self, attribute: str, default: str | None = None) -> str:
        """The text of an attribute; required unless there is a default."""
        if (value := self.element.get(attribute, default)) is None:
            self.fail(f"<{self.tag}> has no attribute '{attribute}'; add it")
        return value

    def texts(self, *attributes: str) -> list[str | None]:
        """The texts of several attributes; None for missing ones."""
        return [self.element.get(name) for name in attributes]

    def scalars(self, *attributes: str) -> tuple[float, ...]:
        """Finite numbers of several required attributes."""
        values = _floats([text or "" for text in self.texts(*attributes)])
        return tuple([self.number(name) for name in attributes]) if values is None else values

    def number(self, attribute: str, default: float | None = None, *, infinite: bool = False) -> float:
        """The number in an attribute, which must be finite unless `infinite`."""
        word = self.element.get(attribute)
        if word is None and default is not None:
            return default
        return self._read(attribute, word or self.text(attribute), infinite)

    def flag(self, attribute: str) -> bool:
        """Whether an attribute is "true" or "1"; False without the attribute."""
        word = self.text(attribute, "false")
        if word.lower() not in ("true", "false", "1", "0"):
            self._fail_at(attribute, "it must be true or false")
        return word.lower() in ("true", "1")

    def vector(self, attribute: str, default: tuple[float, float, float] | None = None) -> tuple[float, float, float]:
        """The three finite numbers in an attribute."""
        if default is not None and attribute not in self.element.attrib:
            return default
        x, y, z = self.numbers(attribute, 3)
        return x, y, z

    def numbers(self, attribute: str, count: int | None = None) -> tuple[float, ...]:
        """The finite numbers in an attribute: `count` numbers, or any number of them if `count` is None."""
        text = self.element.get(attribute) or self.text(attribute)
        values = few_numbers(text)
        if values is not None and count in (None, len(values)):
            return values
        words = text.split()
        if count is not None and len(words) != count:
            wanted = {2: "two", 3: "three", 4: "four", 6: "six", 7: "seven"}[count]
            example = "0 0 0 0 0 0 1"[-2 * count + 1 :]
            self._fail_at(attribute, f"not {wanted} numbers; separate them by blanks, such as '{example}'")
        return tuple([self._read(attribute, word, infinite=False) for word in words])

    def _read(self, attribute: str, word: str, infinite: bool) -> float:
        try:
            if not word.isascii() or "_" in word:  # float() accepts "1_0" and non-ASCII digits; XML must not
                raise ValueError
            value = float(word)
        except ValueError:
            self._fail_at(attribute, f"{word!r} is not a number; write it like 0.5 or 1e-3")
        if not (math.isfinite(value) or (infinite and value == value)):
            self._fail_at(attribute, f"{word!r} is not finite; give a finite number")
        return value

    def _fail_at(self, attribute: str, reason: str) -> NoReturn:
        self.fail(f"<{self.tag}> has {attribute}={self.text(attribute)!r}: {reason}")


def _floats(words: list[str]) -> tuple[float, ...] | None:
    """Finite numbers; None if a word may be invalid."""
    try:
        values = tuple(map(float, words))
    except ValueError:
        return None
    text = "".join(words)
    return values if math.isfinite(sum(values)) and text.isascii() and "_" not in text else None


@lru_cache(maxsize=1024)
def few_numbers(text: str) -> tuple[float, ...] | None:
    """The numbers of a short text; None if one may be invalid. Cached, because four of five texts occur repeatedly."""
    return _floats(text.split()) if len(text) < 80 else None


def line_numbers(root: Tag) -> list[int]:
    """The line number of each element, in the order of the file. It is parsed again, since elements store no lines.

    Empty if the element does not come from `parse`.
    """
    lines: list[int] = []
    if root.document is not None:
        parser = ParserCreate()
        skipped = root.document.skipped
        parser.StartElementHandler = lambda *_: lines.append(parser.CurrentLineNumber + skipped)
        parser.Parse(root.document.content, True)  # the text is safe, because `parse` has checked it
    return lines


def parse(source: Source, kind: str) -> Tag:
    """The root element of a file or a text; `kind` is the format in messages: "URDF"."""
    content, where = source.content, source.path or f"{kind} text"
    if isinstance(content, str):
        return _parse(content, content.lstrip(BLANK), where)
    # Content begins with the byte order mark of UTF-16 or UTF-32, or, in any other encoding, with '<'.
    if not content.strip():
        raise ModelError(f"{where}: the file is empty")
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        raise ModelError(f"{where}: not an XML file: it begins with {content[:24]!r}; give a {kind} file")
    return _parse(content, content.lstrip(), where)


def _parse(whole: str | bytes, stripped: str | bytes, where: str) -> Tag:
    start = stripped[:64].lower() if isinstance(stripped, str) else stripped[:64].lower().decode("latin-1")
    if start.startswith(("<!doctype html", "<html")):
        raise ModelError(f"{where}: this is a web page; download the file itself (on code sites: 'raw')")
    before = whole[: len(whole) - len(stripped)]
    skipped = before.count("\n") if isinstance(before, str) else before.count(b"\n")
    try:
        return _root(Document(stripped, skipped), where)
    except ExpatError as error:
        from revolute.io.mjcf_scan import scanned  # broken files alone need these imports
        from revolute.io.xml_faults import mended

        text = stripped if isinstance(stripped, str) else stripped.decode(errors="surrogateescape")
        if "mujoco" in text and (element := scanned(text)) is not None and element.tag == "mujoco":
            return Tag(element, where)
        content, faults = mended(stripped)
        if faults:
            with suppress(ExpatError):
                return _root(Document(content, skipped, faults), where)
        line, column = error.lineno + skipped, error.offset
        reason = str(error).partition(":")[0]
        if reason == "unbound prefix":
            reason += "; a name such as xacro:macro needs xmlns:xacro='...', and xacro must be expanded before loading"
        raise ModelError(f"{where}: broken XML at line {line}, column {column + 1}: {reason}") from None
    except ModelError:
        raise
    except (ValueError, LookupError) as error:  # the encoding is unknown, or expat does not support it
        raise ModelError(f"{where}: its text cannot be decoded: {error}; save it as UTF-8") from None


def _root(document: Document, where: str) -> Tag:
    """The outermost element. Document type declarations are rejected: only they declare entities or refer to files."""
    parser, builder = ParserCreate(namespace_separator="}"), TreeBuilder()
    parser.buffer_text = True

    def refuse(*_: object) -> NoReturn:
        raise ModelError(
            f"{where}: it has a document type declaration (<!DOCTYPE ...>), by which a file can read "
            "other files or fill the memory; remove the declaration"
        )

    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    prefixes: list[object] = []
    parser.StartNamespaceDeclHandler = lambda prefix, _: prefixes.append(prefix)
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(document.content, True)
    root = builder.close()
    if prefixes and any(["}" in name for element in root.iter() for name in (element.tag, *element.attrib)]):
        for element in root.iter():
            element.tag = _full(element.tag)
            element.attrib = {_full(name): text for name, text in element.attrib.items()}
    return Tag(root, where, document)


def _full(name: str) -> str:
    """A name in the form of element names: {namespace}name."""
    return "{" + name if "}" in name else name
