"""The list of tutorials on docs/learn/index.md."""

from __future__ import annotations

from pathlib import Path

from tools.pages import completed
from tools.tutorials.source import Tutorial, tutorials


def page(folder: Path) -> str:
    """The page with its cards; `folder` has the pictures of those tutorials that were run."""
    cards = "\n".join(_card(tutorial, folder) for tutorial in tutorials())
    return completed("learn/index.md", ['<div class="grid cards tutorials" markdown>', "", cards, "</div>"])


def _card(tutorial: Tutorial, folder: Path) -> str:
    name, header = tutorial.name, tutorial.header
    drawn = list(enumerate([cell for cell in tutorial.code if cell.alt], 1))
    number, cover = next((pair for pair in drawn if "cover" in pair[1].tags), drawn[0])
    picture = f"{name}-{number}.png"
    shown = f"[![{cover.alt}]({picture})]({name}.md)\n\n    " if (folder / picture).exists() else ""
    return (
        f"-   {shown}**[{header['title']}]({name}.md)**, {header['minutes']} minutes;"
        f" needs `[{','.join(tutorial.extras)}]`\n\n    {header['learn']}\n"
    )
