"""Draw sentences of docstrings, pages and messages, for readers to judge: `python -m tools.sentences [COUNT] [SEED]`.

Half of them are of docstrings. A reader who wrote none of them marks each: is it clear, and would a technical writer
put it so?
"""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHARES = {"docstring": 0.5, "page": 0.3, "message": 0.15, "bench": 0.05}


def sentences(text: str) -> list[str]:
    """The sentences of prose, without headings, code, tables and doctests."""
    text = re.sub(r"(?s)```.*?```|\$\$.*?\$\$", "\n\n", text)
    text = re.sub(r"(?m)^ *(>>>|\.\.\.).*$|^ *:::.*$|^[|#!].*$", "\n\n", text)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n\s*(?=[-*] )", text):
        found += re.split(r"(?<=[.!?:]) +(?=[A-Z`*\[])", " ".join(paragraph.split()))
    return [x for x in found if 5 <= len(x.split()) <= 60]


def of_code(path: Path) -> Iterator[tuple[str, str, str]]:
    """Kind, place and text of docstrings and messages of a file."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for x in sentences(ast.get_docstring(node) or ""):
                yield "docstring", f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'module')}", x
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                text = ast.unparse(argument)
                if len(text.split()) >= 5:
                    yield "message", f"{path.relative_to(ROOT)}:{node.lineno}", text


def everything() -> dict[str, list[tuple[str, str]]]:
    """Places and sentences of each kind."""
    found: dict[str, list[tuple[str, str]]] = {kind: [] for kind in SHARES}
    for path in sorted(ROOT.glob("src/**/*.py")):
        for kind, place, text in of_code(path):
            found[kind].append((place, text))
    pages = [p for p in ROOT.glob("docs/**/*.md") if "texts" not in p.parts]
    for kind, paths in (("page", [ROOT / "README.md", *pages]), ("bench", list(ROOT.glob("bench/*.md")))):
        for path in sorted(paths):
            found[kind] += [(str(path.relative_to(ROOT)), x) for x in sentences(path.read_text())]
    return found


def main(count: int = 200, seed: int = 1) -> None:
    """Print the sentences."""
    draw, number = random.Random(seed), 0
    for kind, rows in everything().items():
        for place, text in draw.sample(rows, round(count * SHARES[kind])):
            number += 1
            print(f"{number}. [{kind}; {place}] {text}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
