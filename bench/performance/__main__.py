"""`python -m bench.performance`: write docs/performance/ from bench/*.md; nothing is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.performance.pages import made
from bench.performance.stored import BENCH, StoredError

DOCS = BENCH.parent / "docs" / "performance"


def main(
    output: Annotated[Path, typer.Option(help="The folder where pages and plots go.")] = DOCS,
) -> None:
    """Write the pages and plots; those of the same tables are the same."""
    try:
        pages = made()
    except StoredError as error:
        Console(stderr=True).print(f"[red]{error}[/]")
        raise typer.Exit(1) from None
    output.mkdir(parents=True, exist_ok=True)
    for page in pages:
        (output / f"{page.name}.md").write_text(page.text, encoding="utf-8")
        for picture in page.pictures:
            picture.write(output)
    Console().print(f"written to {output}")


if __name__ == "__main__":
    typer.run(main)
