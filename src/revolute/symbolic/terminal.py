"""LaTeX formulas as Unicode text for a terminal."""

import re
import tomllib
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from unicodedata import combining

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_ALPHABET = ascii_uppercase + ascii_lowercase
_ROW, _CELL, _GAP = "\ue000", "\ue001", "\ue002"  # between rows and cells; for \qquad
_COMMANDS = _DATA["commands"] | {"\\": _ROW, "qquad": _GAP}
_INDICES = {kind: dict(zip(*pair, strict=True)) for kind, pair in _DATA["indices"].items()}
_LETTERS = {kind: dict(zip(_ALPHABET, font, strict=False)) for kind, font in _DATA["letters"].items()}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_SUM = re.compile(rf"[∑∏](?:[{''.join(pair[1] for pair in _DATA['indices'].values())}]|_\{{[^}}]*\}}|_\w)*+(?=\S)")
_MARKUP = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`) | \$\$(?P<block>.+?)\$\$ | \$(?P<inline>[^$\n]+)\$", re.DOTALL | re.VERBOSE
)


def in_terminal(latex: str) -> str:
    """Convert a formula to Unicode: a line for each of its rows and equations."""
    text, _, tag = latex.partition(r"\tag*")
    lines: list[str] = []
    for row in _LatexReader(text).read().split(_ROW):
        indent = "    " if lines and row.strip().startswith(_CELL) else ""
        first, *others = (_tidy(part.replace(_CELL, "")) for part in row.split(_GAP))
        lines.append(indent + first)
        for other in others:
            if "=" in other:
                lines.append(indent + other)
            else:
                lines[-1] += f"   {other}"
    return "\n".join(lines) + tag.replace("{", "   ").replace("}", "")


def markdown_in_terminal(markdown: str) -> str:
    """Convert formulas in Markdown to Unicode, and links to their texts; code is unchanged."""

    def converted(found: re.Match[str]) -> str:
        return found["code"] or in_terminal((found["block"] or found["inline"]).strip())

    return re.sub(r"\[([^]\n]+)\]\([^)\n]+\)", r"\1", _MARKUP.sub(converted, markdown))


def _tidy(text: str) -> str:
    text = re.sub(r" +", " ", _SUM.sub(r"\g<0> ", text.strip()))
    return re.sub(r"(?<=[(\[{∂δ]) |(?<=∂²) | (?=[)\]},;])|(?<=sin|cos|tan|det|max) (?=\()", "", text)


class _LatexReader:
    """Read LaTeX token by token."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex.strip())[::-1]

    def read(self, end: str = "") -> str:
        """Convert all tokens before `end`."""
        found = ""
        while self.tokens and (token := self.tokens.pop()) != end:
            found += self.convert(token)
        return found

    def argument(self) -> str:
        """Convert the next group, command or character."""
        token = self.tokens.pop()
        return self.argument() if token.isspace() else self.convert(token)

    def words(self) -> str:
        """The next group, unchanged."""
        found = ""
        while (token := self.tokens.pop()) != "}":
            found += token
        return found.strip().removeprefix("{")

    def convert(self, token: str) -> str:
        """Convert one token, with its arguments."""
        name = token[1:]
        if token == "{":
            return self.read("}")
        if token in "_^":
            return _index(token, self.argument().strip())
        if name == "begin":
            name, inside, _ = self.words(), self.read(r"\end"), self.words()
            return _table(name, inside)
        if name in ("frac", "tfrac"):
            return _fraction(_tidy(self.argument()), _tidy(self.argument()))
        if name == "sqrt":
            return f"√({self.argument()})"
        if name in ("mathrm", "text"):
            return self.words() if name == "mathrm" else f" {self.words()} "
        if name in _LETTERS:
            return "".join(_LETTERS[name].get(letter, letter) for letter in self.argument())
        if accent := _DATA["accents"].get(name):
            text = self.argument()  # behind a word, a dot stands alone
            word = sum(not combining(letter) for letter in text) > 1
            return text + ("˙" if word and name == "dot" else accent)
        if token.startswith("\\"):
            return str(_COMMANDS[name])
        return {"-": "−", "&": _CELL, "'": "′"}.get(token, " " if token.isspace() else token)


def _index(kind: str, text: str) -> str:
    letters = _INDICES[kind]
    if all(letter in letters for letter in text):
        return "".join(letters[letter] for letter in text)
    return kind + (text if len(text) == 1 or (text.isascii() and text.isalnum()) else f"{{{text}}}")


def _fraction(above: str, below: str) -> str:
    if (above, below) == ("1", "2"):
        return " ½ "
    return " " + "/".join(f"({part})" if re.search(r"[ +−]", part) else part for part in (above, below)) + " "


def _table(name: str, text: str) -> str:
    """A matrix as [a, b; c, d], cases as {a revolute; b prismatic}; aligned equations stay rows."""
    if name.startswith("align"):
        return text
    rows = [[cell.strip() or "·" for cell in row.split(_CELL)] for row in text.split(_ROW)]
    if name == "cases":
        return "{" + "; ".join(" ".join(cells) for cells in rows) + "}"
    return "[" + "; ".join(", ".join(cells) for cells in rows) + "]"
