"""Pages of docs/performance/: text, plots, and the tables of bench/*.md as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from bench.performance import drawings
from bench.performance.drawings import Picture
from bench.performance.stored import BENCH, Report, Table
from bench.tables import table

__all__ = ["PAGES", "Page", "files", "made"]

LINKS = {
    "METHOD": "method.md",
    "QUANTITIES": "functions.md",
    "ROOFLINE": "rooflines.md",
    "SCALING": "scaling.md",
    "TARGETS": "targets.md",
    "CALLS": "calls.md",
    "INVERSE_KINEMATICS": "inverse-kinematics.md",
}
"""Pages of the reports that the texts of the bench name."""

NAME = re.compile(r"\| (`[a-z_]+`) (?=\|)")
"""A cell with the name of a function, which is not broken."""


@dataclass(frozen=True)
class Page:
    """A page of docs/performance/: its text in Markdown, and its plots."""

    name: str
    text: str
    pictures: tuple[Picture, ...] = ()


def made(folder: Path = BENCH) -> list[Page]:
    """All pages, of the reports in a folder."""
    return [write(partial(Report.read, folder=folder)) for write in PAGES]


def files() -> dict[str, str | bytes]:
    """Contents of all pages and plots by their paths below docs/."""
    pages = made()
    texts: dict[str, str | bytes] = {f"performance/{page.name}.md": page.text for page in pages}
    return texts | {f"performance/{picture.name}.svg": picture.svg() for page in pages for picture in page.pictures}


Read = Callable[[str], Report]


def _index(read: Read) -> Page:
    results, quantities, kinematics = read("RESULTS"), read("QUANTITIES"), read("INVERSE_KINEMATICS")
    robots = {"UR5": "ratios-ur5", "Talos, free base": "ratios-talos"}
    fast = [drawings.ratios(quantities, robot, name) for robot, name in robots.items()]
    dynamics, poses = drawings.inverse_dynamics(results), drawings.poses(kinematics)
    bridges, targets, identified = read("BRIDGES"), read("TARGETS"), read("IDENTIFICATION")
    motions = targets.table_of_parts("motions", "control")
    parts = [
        "# Performance",
        "How fast Revolute is, beside its peers and beside what the machine allows. All pages of this section are made "
        "from the tables that `make bench` measures. Each figure is a median, and each ratio one of medians of calls "
        "that take turns: see [how it is measured](method.md). Tables were measured at different times, some on "
        "different machines, which each section names: compare figures within a table.",
        "## Inverse dynamics",
        _on(results), dynamics.markdown(), _headline(results),
        "MuJoCo's Python package has no inverse dynamics of batches: its figures are those of a loop in Python.",
        "## Every function beside Pinocchio",
        _on(quantities), *(x.markdown() for x in fast), _medians(quantities),
        "[All figures](functions.md); [what the parts of a single call cost](calls.md).",
        "## Inverse kinematics",
        _on(kinematics), poses.markdown(),
        "Colours of a group stand in the order of the legend; less is better. "
        "[All figures](inverse-kinematics.md), with how many poses each solver reaches.",
        "## Motions and control",
        _on(targets), _plain(motions),
        "## JAX, PyTorch, CasADi, Dask",
        _on(bridges), _plain(bridges.first_table()),
        "frax and jaxsim are libraries of robot dynamics in JAX. [More](bridges.md).",
        "## Identification",
        _on(identified), _plain(identified.table("Beside figaroh")),
        "From the samples of a log to base parameters with their standard errors. [More](identification.md).",
    ]  # fmt: skip
    return Page("index", _text(parts), (dynamics, *fast, poses))


def _functions(read: Read) -> Page:
    report = read("QUANTITIES")
    headings = [x for x in report.headings if "batches of" in x]
    parts = [
        "# Every function beside Pinocchio",
        "Nanoseconds per row of a batch, and of a single call, one core, float64. \"Given\": the call writes into "
        "existing arrays, as Pinocchio does. \"New\": the call makes them, as a plain call does. A ratio is how many "
        "times as fast as Pinocchio a call with new results is.",
        _on(report),
    ]
    for heading in headings:
        parts += [f"## {heading}", _plain(report.table(heading))]
    for heading in report.headings:
        if heading not in headings and heading not in ("Machine", "Talos: compiling"):
            parts += [f"## {heading}", report.section(heading)]
    return Page("functions", _text([*parts, _machine(report)]))


def _rooflines(read: Read) -> Page:
    report = read("ROOFLINE")
    picture = drawings.rooflines(report)
    start = (
        "Each point is a function in batches. The lines are upper bounds. The level one is the peak rate of "
        "multiply-adds. The slanted ones are the bandwidth of memory, for batches that stay in a cache and for those "
        "that do not."
    )
    return _whole("rooflines", report, (picture,), start)


def _scaling(read: Read) -> Page:
    report = read("SCALING")
    rows, threads = drawings.rows(report), drawings.threads(report)
    compiling = drawings.joints(report, "compiled in [s]", "compiling", "Compiling, empty cache", "seconds")
    joints = drawings.joints(report, "ns a joint", "joints", "Batches, one core", "nanoseconds per joint")
    parts = [
        "# How speed scales",
        _on(report) + " [What the curves mean](../speed.md).",
        "## Rows", rows.markdown(), report.section("rows"),
        "## Threads", threads.markdown(), report.section("threads"),
        "## Joints", compiling.markdown(), joints.markdown(), report.section("joints"),
        _machine(report),
    ]  # fmt: skip
    return Page("scaling", _text(parts), (rows, threads, compiling, joints))


def _targets(read: Read) -> Page:
    report = read("TARGETS")
    found = report.first_table().column("met")
    start = f"What the library has set itself: {found.count('yes')} of {len(found)} targets are met."
    return _whole("targets", report, (), start)


def _calls(read: Read) -> Page:
    return _whole("calls", read("CALLS"), (), "")


def _kinematics(read: Read) -> Page:
    return _whole("inverse-kinematics", read("INVERSE_KINEMATICS"), (), "")


def _bridges(read: Read) -> Page:
    return _whole(
        "bridges", read("BRIDGES"), (), "How to use these bridges: [JAX, PyTorch, Numba](../jax-and-pytorch.md)."
    )


def _identification(read: Read) -> Page:
    parts = [
        "# The speed of identification",
        "Revolute beside a peer and published results, logs of ten million rows, its estimators beside each other, and "
        "exciting motions.",
    ]
    for name in ("IDENTIFICATION", "LONG_LOGS", "ESTIMATORS", "EXCITATION"):
        report = read(name)
        title, _, body = report.text.removeprefix("# ").partition("\n")
        head = title if title != "Identification" else "From logs to models"
        parts += [f"## {head}", _on(report), _deeper(_without_machine(body))]
    return Page("identification", _text([*parts, _machine(report)]))


def _start(read: Read) -> Page:
    results, quantities = read("RESULTS"), read("QUANTITIES")
    parts = [
        "# Start, compiling, memory",
        "A kernel is traced and compiled when it is first asked for, and kept on disk for later processes.",
        "## Start", _on(results), results.section("Start"),
        "## Compiling every function for Talos", _on(quantities), quantities.section("Talos: compiling"),
        "## Memory", _on(results), results.section("Memory"),
        _machine(results),
    ]  # fmt: skip
    return Page("start", _text(parts))


def _method(read: Read) -> Page:
    start = "# How it is measured\n\n`make bench` measures everything on your machine, and writes these pages anew."
    return Page("method", _text([start, read("METHOD").text]))


PAGES = (_index, _functions, _calls, _kinematics, _rooflines, _scaling, _start, _bridges, _identification, _targets,
         _method)  # fmt: skip


def _whole(name: str, report: Report, pictures: tuple[Picture, ...], start: str) -> Page:
    """A page of a whole report, with a beginning of its own."""
    title, _, body = report.text.partition("\n")
    parts = [title, start, _on(report), *(x.markdown() for x in pictures), _without_machine(body), _machine(report)]
    return Page(name, _text(parts), pictures)


def _headline(report: Report) -> str:
    """The small table of inverse dynamics."""
    return _plain(report.first_table())


def _medians(report: Report) -> str:
    """Ratios to Pinocchio, over all functions."""
    lines = []
    for heading in (x for x in report.headings if "batches of" in x):
        for kind, label in (("batch", heading), ("call", f"{heading.partition(', batches')[0]}, single calls")):
            values = report.table(heading).figures(f"{kind}: ratio")
            lines.append((label, *(f"{x:.1f} ×" for x in (min(values), median(values), max(values)))))
    return table(("new results", "least", "median", "most"), lines)


def _plain(found: Table) -> str:
    """A table as Markdown."""
    return table(found.header, found.rows)


def _on(report: Report) -> str:
    """Where a report's figures come from."""
    facts = report.machine()
    names = ("processor", "Revolute", "Pinocchio", "MuJoCo")
    software = ", ".join((f"{x} " if x != "processor" else "") + facts[x] for x in names if x in facts)
    return f"Measured on {software}; table `bench/{report.name}.md`."


def _machine(report: Report) -> str:
    return f"## Machine\n\n{report.section('machine' if 'machine' in report.headings else 'Machine')}"


def _without_machine(text: str) -> str:
    return re.sub(r"^## [Mm]achine\n+.+\n?", "", text, flags=re.MULTILINE).strip()


def _deeper(text: str) -> str:
    """Headings one level down."""
    return re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE)


def _text(parts: list[str]) -> str:
    """A page of these parts, with links for names of reports, and names of functions in one piece."""
    heading, _, rest = "\n\n".join(_linked(x for x in parts if x)).partition("\n\n")
    return f"{heading}\n\n{rest}\n"


def _linked(parts: Iterator[str]) -> Iterator[str]:
    for part in parts:
        whole = NAME.sub(r"| \1{.whole} ", part.strip())
        yield re.sub(r"`([A-Z_]+)\.md`", _link, whole)


def _link(found: re.Match[str]) -> str:
    name = found[1]
    return f"[`{name}.md`]({LINKS[name]})" if name in LINKS else found[0]
