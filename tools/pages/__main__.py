"""Write the generated pages of the site to build/pages/, all or by part: `python -m tools.pages [PART ...]`."""

import multiprocessing
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed

from tools.pages import BUILT, Files
from tools.pages.parts import PARTS, timed
from tools.tutorials.made import contents


def write(files: Files) -> None:
    """Write files below build/pages/."""
    for name, content in files.items():
        path = BUILT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def main(parts: list[str]) -> None:
    """Write the named parts, or all: each part in one process of a pool."""
    if unknown := set(parts) - set(PARTS):
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if not parts:
        shutil.rmtree(BUILT, ignore_errors=True)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(timed, part) for part in parts or PARTS]):
            part, files, seconds = done.result()
            write(files)
            print(f"{part}: {len(files)} files, {seconds:.1f} s", flush=True)
    write({"learn/index.md": contents(BUILT / "learn")})


if __name__ == "__main__":
    main(sys.argv[1:])
