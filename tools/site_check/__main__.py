"""Look at each page of a built site: `python -m tools.site_check site [page …]`."""

import sys
from pathlib import Path

from tools.site_check import CHROMIUM, faults_of_page, faults_of_search, opened


def main(site: Path, chosen: list[str]) -> int:
    """Print faults; returns how many there are."""
    pages = chosen or [path.parent.relative_to(site).as_posix() for path in sorted(site.rglob("index.html"))]
    count = 0
    with opened(site) as window:
        for page in pages:
            for fault in faults_of_page(window, f"{page}/".removeprefix("./")):
                count += 1
                print(f"{page}: {fault}", flush=True)
        for fault in faults_of_search(window):
            count += 1
            print(fault)
    print(f"{len(pages)} pages, {count} faults")
    return count


if __name__ == "__main__":
    if CHROMIUM is None:
        sys.exit("There is no Chromium: install it, for example by `apt install chromium`")
    site, *chosen = sys.argv[1:]
    sys.exit(1 if main(Path(site), chosen) else 0)
