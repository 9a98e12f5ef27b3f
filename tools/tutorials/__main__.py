"""Make pages, figures and notebooks of all tutorials, or of those named: `python -m tools.tutorials NAME ...`."""

from __future__ import annotations

import sys
import time

from tools.tutorials.contents import PAGE, contents
from tools.tutorials.notebook import notebook
from tools.tutorials.page import figures, page
from tools.tutorials.running import run
from tools.tutorials.source import FOLDER, Tutorial, tutorials


def make(tutorial: Tutorial) -> None:
    """Run a tutorial and write what belongs to it."""
    outcomes = run(tutorial)
    for old in FOLDER.glob(f"{tutorial.name}-*.png"):
        if old.stem.removeprefix(f"{tutorial.name}-").isdigit():
            old.unlink()
    for name, picture in figures(tutorial, outcomes).items():
        (FOLDER / name).write_bytes(picture)
    tutorial.path.with_suffix(".md").write_text(page(tutorial, outcomes), encoding="utf-8")
    tutorial.path.with_suffix(".ipynb").write_text(notebook(tutorial, outcomes), encoding="utf-8")


def main(names: list[str]) -> None:
    """Make those named, or all."""
    every = tutorials()
    if unknown := set(names) - {tutorial.name for tutorial in every}:
        sys.exit(f"no such tutorial: {', '.join(sorted(unknown))}")
    for tutorial in every:
        if not names or tutorial.name in names:
            start = time.perf_counter()
            make(tutorial)
            print(f"{tutorial.name}: {time.perf_counter() - start:.1f} s", flush=True)
    PAGE.write_text(contents(PAGE.read_text(encoding="utf-8"), every), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
