"""Read damaged files, one after the other, in a process of its own that may die of them.

    python read_damaged.py FORMAT[,FORMAT...] FIRST COUNT FOLDER REPORT

Every file is announced in REPORT before it is read, by a line of its seed; the line of its outcome follows.
"""

import json
import os
import resource
import sys
import traceback
import warnings
from pathlib import Path
from typing import TextIO

from samples import FORMATS, Format, whole

from revolute.errors import RevoluteError

SPACE = 6 << 30
"""Bytes of addresses that the process may take: a file that asks for more gives a MemoryError."""
LONGEST = 20_000
"""Characters of a message."""


def most_memory() -> int:
    """MiB of memory that this process has had at most. `getrusage` would count that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        (peak,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) >> 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def outcome(format: Format, path: Path) -> dict[str, str]:
    """What comes of a file: "used", "refused" or "wrong", and what is said."""
    try:
        format.use(path)
    except RevoluteError as error:
        said = str(error)
        named = str(path) in said or format.name.endswith(".json")
        if not named or len(said) > LONGEST or error.__cause__ is not None:
            return {"kind": "wrong", "said": f"{type(error).__name__}: {said[:500]}"}
        return {"kind": "refused", "said": said[:500]}
    except Exception:
        return {"kind": "wrong", "said": traceback.format_exc()[-3000:]}
    return {"kind": "used", "said": ""}


def read(name: str, seeds: range, folder: Path, report: TextIO) -> None:
    """Read files of one format, first the whole ones."""
    format = FORMATS[name]
    path, damaged = folder / format.name, folder / (format.part or format.name)
    folder.mkdir()
    os.chdir(folder)  # where libraries would write their logs
    for beside, make in format.beside.items():
        content = make()
        (folder / beside).write_bytes(content if isinstance(content, bytes) else content.encode())
    expected = {format.name, format.part or format.name, *format.beside}
    for seed in (*range(-len(format.whole), 0), *seeds):
        report.write(f"{name}, seed {seed}\n")
        damaged.write_bytes(format.damaged(seed) if seed >= 0 else whole(format, seed))
        os.utime(damaged, (1e9 + 10 * seed,) * 2)  # MuJoCo keeps meshes by name and time, to the second
        found: dict[str, object] = {"format": name, "seed": seed, **outcome(format, path)}
        found["memory"] = most_memory()
        found["others"] = sorted({x.name for x in folder.iterdir()} - expected)
        report.write(json.dumps(found) + "\n")


def main(names: str, first: str, count: str, folder: str, report: str) -> None:
    """Read files of some formats with these seeds, in narrow limits."""
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    with Path(report).open("w", encoding="utf-8", buffering=1) as file:
        for name in names.split(","):
            read(name, range(int(first), int(first) + int(count)), Path(folder) / name.replace(" ", "-"), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
