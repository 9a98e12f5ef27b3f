"""Files of tests."""

from pathlib import Path


def written(path: Path, text: str) -> Path:
    """The path, at which this text is now."""
    path.write_text(text)
    return path


def names(folder: Path) -> list[str]:
    """Names of the files of a folder, in order."""
    return sorted(path.name for path in folder.iterdir())
