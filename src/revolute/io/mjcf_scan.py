"""XML as read by MuJoCo with TinyXML-2, which accepts some faults: attributes without blanks between them, a bare '&'.

Checks of MJCF use this parser, so that they see the elements and values that MuJoCo sees.
"""

import re
from xml.etree.ElementTree import Element, TreeBuilder

_NAME = r"[A-Za-z_:\x80-\U0010ffff][A-Za-z0-9_:.\x80-\U0010ffff-]*"
_ATTRIBUTE = re.compile(rf"\s*({_NAME})\s*=\s*(\"[^\"]*\"|'[^']*')", re.ASCII)
_TAG = rf"<(/?)\s*({_NAME})((?:\s*{_NAME}\s*=\s*(?:\"[^\"]*\"|'[^']*'))*+)\s*(/?)>"
_MARKUP = re.compile(rf"(<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>)|{_TAG}|<", re.ASCII | re.DOTALL)
"""A part to skip; a tag: "/" at its start, name, attributes, "/" at its end; or a "<" that begins neither."""
_ESCAPE = re.compile("&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));")


def scanned(text: str) -> Element | None:
    """The outermost element of a text; None if the text has none, is broken, or declares a document type."""
    builder, opened = TreeBuilder(), list[str]()
    for token in _MARKUP.finditer(text.partition("\0")[0]):
        skipped, end, name, attributes, empty = token.groups()
        if skipped:
            continue
        pairs = [(key, _ESCAPE.sub(_character, value[1:-1])) for key, value in _ATTRIBUTE.findall(attributes or "")]
        if not name or len(pairs) != len(dict(pairs)):
            return None
        if not end:
            opened.append(name)
            builder.start(name, dict(pairs))
        if end or empty:
            if not opened or opened.pop() != name:
                return None
            builder.end(name)
            if not opened:
                return builder.close()
    return None


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16) if escape[1] else int(escape[2] or 0)
    named = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
    return named.get(escape[3]) or (chr(code) if 0 < code < 0x110000 else escape[0])
