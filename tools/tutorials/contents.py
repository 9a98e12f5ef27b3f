"""The list of tutorials on docs/learn/index.md."""

from __future__ import annotations

from tools.tutorials.source import FOLDER, Tutorial

PAGE = FOLDER / "index.md"
BEGIN, END = "<!-- written by tools/tutorials -->\n", "<!-- by hand from here on -->\n"


def contents(text: str, tutorials: list[Tutorial]) -> str:
    """The page with a new list."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    cards = "\n".join(map(_card, tutorials))
    return f'{before}{BEGIN}\n<div class="grid cards tutorials" markdown>\n\n{cards}\n</div>\n\n{END}{after}'


def _card(tutorial: Tutorial) -> str:
    name, header = tutorial.name, tutorial.header
    drawn = list(enumerate([cell for cell in tutorial.code if cell.alt], 1))
    number, cover = next((pair for pair in drawn if "cover" in pair[1].tags), drawn[0])
    picture = f"-   [![{cover.alt}]({name}-{number}.png)]({name}.md)\n\n    "
    return (
        f"{picture}**[{header['title']}]({name}.md)**, {header['minutes']} minutes;"
        f" needs `[{','.join(tutorial.extras)}]`\n\n    {header['learn']}\n"
    )
