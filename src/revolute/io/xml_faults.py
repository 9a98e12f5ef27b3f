"""Faults of XML that other readers of robot files accept: undeclared prefixes, `--` in comments."""

import re

# an unclosed comment extends to the end of the text; otherwise each "<!--" would cause a scan to the end
_COMMENT = re.compile(r"<!--(.*?)(-->|\Z)", re.DOTALL)
_NO_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_PREFIX = re.compile(r"(?:</?|\s)([A-Za-z_][\w.-]*):[A-Za-z_]")
KNOWN = {"drake": "http://drake.mit.edu"}  # supported namespace prefixes, and their namespaces


def mended(content: str | bytes) -> tuple[str | bytes, list[str]]:
    """Repair such faults. Return the text, with every element on its original line, and one sentence per fault."""
    if isinstance(content, bytes):
        encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"  # latin-1 keeps every byte
        text, faults = mended(content.decode(encoding, "replace"))
        assert isinstance(text, str)
        return (text if encoding == "utf-16" else text.encode(encoding)), faults
    faults = []
    text = _COMMENT.sub(lambda comment: f"<!--{comment[1].replace('-', '=')}{comment[2]}", content)
    if any("--" in inner or inner.endswith("-") for inner, _ in _COMMENT.findall(content)):
        faults.append("a comment has '--' in it, which XML forbids")
    markup = _NO_MARKUP.sub(lambda other: re.sub(r"\S", " ", other[0]), text)
    names = " ".join(_QUOTED.sub("", tag) for tag in re.findall(r"<[^<>]*>", markup))
    unknown = {*_PREFIX.findall(names)} - {*re.findall(r"xmlns:([\w.-]+)", names), "xml", "xmlns"}
    if unknown and (root := re.search(r"<[\w:.-]+", markup)):
        declared = "".join(f' xmlns:{prefix}="{KNOWN.get(prefix, "undeclared")}"' for prefix in sorted(unknown))
        text = text[: root.end()] + declared + text[root.end() :]
        faults += [f'no xmlns declares {x}:; add xmlns:{x}="{KNOWN[x]}"' for x in sorted(unknown & KNOWN.keys())]
        listed = ", ".join(f"{prefix}:" for prefix in sorted(unknown - KNOWN.keys()))
        hint = "; expand xacro before loading" * ("xacro" in unknown)
        if listed:
            faults.append(f"names that begin with {listed} are ignored, since no xmlns declares it{hint}")
    return text, faults
