"""The files of a tutorial: page, figures and notebook; and the list of tutorials."""

from pathlib import Path

from tools.pages import Files, completed
from tools.tutorials.notebook import notebook
from tools.tutorials.page import figures, page
from tools.tutorials.running import run
from tools.tutorials.source import Tutorial, tutorials


def files(tutorial: Tutorial) -> Files:
    """Run a tutorial, which needs its extras, and write what it showed into page and notebook."""
    outcomes = run(tutorial)
    return {
        f"learn/{tutorial.name}.md": page(tutorial, outcomes),
        f"learn/{tutorial.name}.ipynb": notebook(tutorial, outcomes),
        **{f"learn/{name}": picture for name, picture in figures(tutorial, outcomes).items()},
    }


def contents(folder: Path) -> str:
    """The list of tutorials, docs/learn/index.md; `folder` has the pictures of those tutorials that were run."""
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
