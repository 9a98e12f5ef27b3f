"""Limits on MJCF, checked first: with a short text, MuJoCo can fill the memory, run for hours or end the process.

The measure is the size of the text in bytes, with all copies, arrays, included files and attached models written out.
"""

import math
import os
from contextlib import suppress
from typing import NoReturn
from xml.etree.ElementTree import Element

from revolute.errors import ModelError
from revolute.io.mjcf_scan import scanned
from revolute.io.source import LARGEST, read_file

ELEMENT, FILE = 1280, 2**16
"""Minimum sizes of an element and of a file: `LARGEST` is the size of 52,000 elements or 1,000 files."""
MOST_ATTRIBUTES, DEEPEST, NESTED = 256, 400, 32
"""Maximum number of attributes of an element; maximum nesting depth of elements and of included files."""
ARRAYS = {
    "hfield": ("nrow", "ncol"), "texture": ("width", "height"), "numeric": ("size",), "user": ("dim",),
    "contact": ("num",), "size": ("nuserdata",),
}  # fmt: skip
"""Attributes whose product is the size of an array."""
ORDER = {"default": 0, "worldbody": 2, "sensor": 3}
"""Order in which MuJoCo reads sections, regardless of their order in the file; 1 for other sections."""


def check_sizes(text: str, where: str, folder: str) -> None:
    """Raise `ModelError` if MuJoCo would need too much memory or time for a text and the files that it names."""
    measure = _Measure(where)
    root = measure.opened(text, where, folder, folder, 1)
    size = measure.written(root, 1, False)
    measure.check(root, measure.users * size / ELEMENT, "user data (user, nuser_...) of all elements")
    measure.check(root, 2 * measure.keys * size / ELEMENT, "keyframes (<key>, nkey)")


class _Measure:
    """Totals over a text: sizes of files and assets; largest texture, camera image and user data; keyframes."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.named: dict[tuple[str, str], float] = {}
        self.files = self.assets = self.texture = self.image = self.users = self.keys = 0.0

    def opened(self, text: str, where: str, folder: str, main: str, depth: int) -> Element:
        """The root element of a text, after inserting the files named by its <include> and <model> elements."""
        # MuJoCo searches them in the folders of this file and of the one that includes all others, `main`.
        if text.count("<") > 4 * LARGEST // ELEMENT or (root := scanned(text)) is None:
            raise ModelError(f"{where}: it has more than {LARGEST // ELEMENT} elements, or MuJoCo cannot read its XML")
        for around, element in [(root, root), *((parent, child) for parent in root.iter() for child in parent)]:
            included = element.tag.lower() == "include"
            places = {folder, main} if included or element.tag == "model" else ()
            for path in [os.path.join(place, element.get("file", "")) for place in places]:
                if os.path.isfile(path):
                    content, place = read_file(path), os.path.dirname(path)
                    self.files += max(len(content), FILE)
                    self.check(element, self.files if depth < NESTED else math.inf, "files in files")
                    inner = content.decode(errors="surrogateescape")
                    file = self.opened(inner, path, place, main if included else place, depth + 1)
                    (around if included else element).extend(file if included else (file,))
        return root

    def written(self, element: Element, depth: int, default: bool) -> float:
        """The size of an element with its content; `default`: whether it is in a default class."""
        tag, attributes = element.tag, element.attrib
        if depth > DEEPEST or len(attributes) > MOST_ATTRIBUTES:
            self.fail(element, f"more than {MOST_ATTRIBUTES} attributes, or {DEEPEST} elements around it")
        default, assets = default or tag == "default", self.assets
        children = sorted(element, key=lambda x: ORDER.get(x.tag, 1))
        size = ELEMENT + sum(map(len, attributes.values())) + self.array(element, default)
        size += sum([self.written(child, depth + 1, default) for child in children])
        if tag in ("replicate", "flexcomp", "composite"):
            size *= _product(element, "count")
        elif tag == "attach":
            kind = next((kind for kind in ("model", "body", "frame") if kind in attributes), "")
            size += self.named.get((kind, attributes.get(kind, "")), math.inf)
        name = element.get("name", "") or (children[0].get("model", "") if tag == "model" and children else "")
        self.assets += size if tag == "asset" else 0
        copied = size - (self.assets - assets) if tag == "model" else size  # copies of a model share its assets
        self.named[tag, name] = max(copied, self.named.get((tag, name), 0))
        return self.check(element, size)

    def array(self, element: Element, default: bool) -> float:
        """The size of the arrays of an element."""
        tag, attributes = element.tag, element.attrib
        size = _product(element, *ARRAYS.get(tag, ()), "actdim", "nsample")
        if tag == "texture":  # a cube has six squares
            size = max(size, 6 * _product(element, "width", "width"), self.texture)
            self.texture = size if default else self.texture
        elif tag == "mesh":  # the parameters of a built-in mesh are resolutions, angles and lengths
            size = 100 * max([abs(_number(word)) for word in attributes.get("params", "").split()], default=0) ** 2
        elif tag == "lengthrange":  # MuJoCo simulates this time; the default is 1000 steps
            step = _number(element.get("timestep", "0.01"))
            size = 6000 * _product(element, "inttotal") / step if 0 < step < math.inf else math.inf
        elif tag == "camera":
            self.image = max(self.image, _product(element, "resolution"))
        elif tag == "rangefinder" and "camera" in attributes:
            size = self.image
        elif _number(attributes.get("activelayers", "0")) < 0:
            self.fail(element, "a negative number of layers, with which MuJoCo ends the process")
        self.keys += _product(element, "nkey") if "nkey" in attributes else tag == "key"
        users = [_product(element, name) for name in attributes if name.startswith("nuser_")]
        self.users = max(self.users, len(attributes.get("user", "").split()), *users)
        return size

    def check(self, element: Element, size: float, what: str = "all copies, arrays and files") -> float:
        """Return the size; raise `ModelError` if it is too large."""
        if size > LARGEST:
            self.fail(element, f"with {what} written out, the text exceeds {LARGEST >> 20} MiB")
        return size

    def fail(self, element: Element, reason: str) -> NoReturn:
        shown = " ".join([element.tag, *(f"{name}='{text}'" for name, text in element.attrib.items())])
        raise ModelError(f"{self.where}: <{shown[:200]}>: {reason}; make it smaller")


def _product(element: Element, *attributes: str) -> float:
    return math.prod(max(abs(_number(word)), 1) for name in attributes for word in element.get(name, "").split())


def _number(word: str) -> float:
    """The number in a word; infinity, which exceeds every limit, if the word is not a number."""
    with suppress(ValueError):
        if not math.isnan(value := float(word)):
            return value
    return math.inf
