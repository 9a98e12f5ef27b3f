"""Add the generated pages of build/pages/ to the site; a generated page replaces the one of the same name in docs/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.exceptions import Abort
from mkdocs.structure.files import File


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """All files of the site."""
    folder = Path(config.config_file_path).parent / "build" / "pages"
    if not folder.is_dir():
        raise Abort("build/pages/ does not exist: run `python -m tools.pages` first, as `make docs` does")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            if written := files.get_file_from_path(name):
                files.remove(written)
            files.append(File(name, str(folder), config.site_dir, config.use_directory_urls))
    return files
