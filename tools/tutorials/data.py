"""Files of docs/learn/data that a tutorial reads, as code that writes them."""

import base64
import io
import zipfile

from tools.tutorials.source import FOLDER, Tutorial

CODE = """\
# Write the files in {names} that this notebook reads.
import base64, io, zipfile

files = base64.b64decode(\"\"\"
{text}\"\"\")
zipfile.ZipFile(io.BytesIO(files)).extractall("data")"""
WRITTEN = (2025, 1, 1, 0, 0, 0)
"""The date of all files: the same files give the same text."""


def unpacking(tutorial: Tutorial) -> str:
    """Code that writes the folders data/NAME that a tutorial's code mentions; "" if there are none."""
    code = "\n".join(cell.source for cell in tutorial.code)
    folders = [folder for folder in sorted((FOLDER / "data").iterdir()) if f"data/{folder.name}/" in code]
    if not folders:
        return ""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()):
            name = file.relative_to(FOLDER / "data").as_posix()
            archive.writestr(zipfile.ZipInfo(name, WRITTEN), file.read_bytes(), zipfile.ZIP_DEFLATED)
    names = " and ".join(f"data/{folder.name}" for folder in folders)
    return CODE.format(names=names, text=base64.encodebytes(content.getvalue()).decode())
