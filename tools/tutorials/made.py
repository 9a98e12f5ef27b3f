"""The files of a tutorial: page, figures and notebook."""

from __future__ import annotations

from revolute.errors import MissingExtraError
from tools.pages import Files
from tools.tutorials.notebook import notebook
from tools.tutorials.page import figures, page
from tools.tutorials.running import Outcome, run
from tools.tutorials.source import Tutorial


def files(tutorial: Tutorial) -> Files:
    """Run a tutorial; without the packages that it needs, page and notebook have its code alone, and say so."""
    try:
        outcomes, ran = run(tutorial), True
    except (ModuleNotFoundError, MissingExtraError):
        outcomes, ran = [Outcome()] * len(tutorial.code), False
    return {
        f"learn/{tutorial.name}.md": page(tutorial, outcomes, ran),
        f"learn/{tutorial.name}.ipynb": notebook(tutorial, outcomes),
        **{f"learn/{name}": picture for name, picture in figures(tutorial, outcomes).items()},
    }
