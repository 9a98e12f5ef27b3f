"""Plots of docs/performance/, each from a report of the bench, with a text that has its result."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.performance.stored import Report, figure
from bench.tables import number
from revolute.plot.style import COLOURS, INK, STYLE

__all__ = ["Line", "Picture", "bars", "inverse_dynamics", "joints", "poses", "ratios", "rooflines", "rows", "threads"]

LOOK = {"svg.hashsalt": "revolute", "svg.fonttype": "none", "text.parse_math": True}


@dataclass(frozen=True)
class Line:
    """A curve, the points of a cloud or the bars of one colour."""

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    style: str = "o-"
    colour: str = COLOURS[0]


@dataclass(frozen=True)
class Picture:
    """A plot: its file, its text for who cannot see it, its axes, and what is drawn by `draw`."""

    name: str
    alternative: str
    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    draw: Callable[[Axes, Picture], None]
    height: float = 3.8

    def markdown(self) -> str:
        """The image in a page."""
        return f"![{self.alternative}]({self.name}.svg)"

    def svg(self) -> bytes:
        """The SVG file."""
        with rc_context(STYLE | LOOK):
            canvas = Figure((6.4, self.height), layout="constrained")
            panel = canvas.subplots()
            self.draw(panel, self)
            canvas.legend(loc="outside lower center", ncols=2)
            drawn = io.BytesIO()
            canvas.savefig(drawn, format="svg", metadata={"Date": None})
        return drawn.getvalue()


def ratios(report: Report, robot: str, name: str) -> Picture:
    """Times as fast as Pinocchio, a function a row."""
    lines, results = [], []
    found = report.table(f"{robot}, batches of")
    for k, (kind, column) in enumerate((("batch", "batch: ratio"), ("single call", "call: ratio"))):
        values = found.figures(column)
        lines.append(Line(kind, [x.strip("`") for x in found.column("function")], values, colour=COLOURS[k]))
        results.append(f"{number(median(values))} times in the median for a {kind}, {number(min(values))} at the least")
    alternative = f"{robot}, times as fast as Pinocchio: {'; '.join(results)}."
    height = 1.2 + 0.3 * len(lines[0].x)
    title = f"{robot} beside Pinocchio"
    return Picture(
        name, alternative, title, "times as fast as Pinocchio, new results, one core", "", tuple(lines), _lying, height
    )


def inverse_dynamics(report: Report) -> Picture:
    """Nanoseconds per row of all peers."""
    robots = ("UR5", "Panda", "Talos", "Talos, free base")
    found = report.table("Batches on one core")
    names = ("Revolute", "Pinocchio", "MuJoCo")
    lines = []
    for name, colour in zip(names, COLOURS, strict=False):
        values = [figure(found.row(name)[robot], found.where) for robot in robots]
        lines.append(Line(name, robots, values, colour=colour))
    results = ", ".join(f"{x.name} {number(x.y[0])}" for x in lines)
    alternative = f"Nanoseconds per row of inverse dynamics, batches of 4096 on one core. UR5: {results}."
    title = "Inverse dynamics, batch of 4096, one core"
    return Picture("inverse-dynamics", alternative, title, "", "nanoseconds per row", tuple(lines), bars)


def poses(report: Report) -> Picture:
    """Microseconds per pose of solvers of inverse kinematics."""
    headings = [x for x in report.headings if x.lower() != "machine"]
    found = [report.table(x) for x in headings]
    robots = [x.partition(",")[0] for x in headings]
    lines = []
    for solver, colour in zip(found[0].column("solver"), COLOURS, strict=False):
        values = [figure(x.row(solver.strip("`"))["100 restarts"], x.where) for x in found]
        lines.append(Line(solver.replace("`", ""), robots, values, colour=colour))
    results = ", ".join(f"{x.name} {number(x.y[0])}" for x in lines)
    alternative = f"Microseconds per pose of inverse kinematics with up to 100 restarts. {robots[0]}: {results}."
    title = "Inverse kinematics, up to 100 restarts"
    return Picture("inverse-kinematics", alternative, title, "", "microseconds per pose", tuple(lines), bars, 4.2)


def rooflines(report: Report) -> Picture:
    """Operations per second over operations per byte, below peak and bandwidths."""
    peaks = report.section("Peaks of one core")
    peak = figure(peaks.partition("**")[2], "bench/ROOFLINE.md, the peak")
    memory = report.table("Peaks of one core")
    lines = []
    for k in (min(1, len(memory.rows) - 1), -1):
        copy = memory.figures("copy, read and written")[k]
        name = f"bound, {memory.column('memory in use')[k]} in use"
        corners = (0.05, peak / copy, 20.0), (0.05 * copy, peak, peak)
        lines.append(Line(name, *corners, style="-" if k >= 0 else "--", colour=INK))
    shares: list[float] = []
    headings = [x for x in report.headings if "batches of" in x]
    for heading, colour in zip(headings, COLOURS, strict=False):
        found = report.table(heading)
        shares += found.figures("share of the bound")
        points = (found.figures("operations a byte"), found.figures("GFLOP/s"))
        lines.append(Line(heading.partition(", batches")[0], *points, style="o", colour=colour))
    alternative = (
        f"Operations per second over operations per byte of {len(shares)} kernels, below a peak of {peak:g} GFLOP/s; "
        f"they reach {min(shares):.0f} to {max(shares):.0f} % of their bounds, {median(shares):.0f} % in the median."
    )
    return Picture("roofline", alternative, "Kernels in batches, one core", "operations a byte", "GFLOP/s",
                   tuple(lines), _curves, 4.4)  # fmt: skip


def rows(report: Report) -> Picture:
    """Nanoseconds per row over the rows of a call."""
    found = report.table("rows")
    size = found.figures("rows")
    names = [x for x in found.header if x.startswith(("new", "given"))]
    lines = [
        Line(f"{x} results".replace(", ", " results, ", 1).removesuffix(" results"), size, found.figures(x),
             "o-" if x.startswith("new") else "o--", COLOURS[k % 3])
        for k, x in enumerate(names)
    ]  # fmt: skip
    first, last = lines[0].y[0], lines[0].y[-1]
    alternative = (
        f"Nanoseconds per row fall with the rows of a call: {names[0]}, from {number(first)} at {size[0]:,.0f} "
        f"to {number(last)} at {size[-1]:,.0f} rows."
    )
    return Picture(
        "rows", alternative, "UR5, inverse dynamics", "rows of a call", "nanoseconds per row", tuple(lines), _curves
    )


def threads(report: Report) -> Picture:
    """Times as fast as one thread, over the work of a call."""
    found = report.table("threads")
    names = [x for x in found.header if x not in ("work", "rows")]
    work = found.figures("work")
    lines = [Line(x, work, found.figures(x), ("o-", "o--")[k % 2], COLOURS[k // 2]) for k, x in enumerate(names)]
    results = ", ".join(f"{x.name} {x.y[-1]:.2f}" for x in lines)
    alternative = f"Times as fast as one thread, over the work of a call; {work[-1]:,.0f} microseconds: {results}."
    return Picture("threads", alternative, "UR5, inverse dynamics", "microseconds of work for one thread",
                   "times as fast as one thread", tuple(lines), _curves)  # fmt: skip


def joints(report: Report, column: str, name: str, title: str, unit: str) -> Picture:
    """A column of the table of large robots, over joints."""
    found = report.table("joints")
    lines = []
    methods = list(dict.fromkeys(found.column("function")))
    for method, colour in zip(methods, COLOURS, strict=False):
        part = found.only(function=method)
        for robot, style in (("tree", "o-"), ("chain", "o--")):
            label = f"{method.strip('`')}, {robot}"
            lines.append(Line(label, part.figures("joints"), part.figures(f"{robot}: {column}"), style, colour))
    results = ", ".join(f"{x.name} {number(x.y[-1])}" for x in lines)
    alternative = f"{unit} over the joints of a robot; at the largest: {results}."
    return Picture(name, alternative, title, "joints", unit, tuple(lines), _curves, 4.2)


def bars(panel: Axes, picture: Picture) -> None:
    """Standing bars in groups, on a logarithmic axis."""
    width = 0.8 / len(picture.lines)
    for k, line in enumerate(picture.lines):
        places = [j + (k - (len(picture.lines) - 1) / 2) * width for j in range(len(line.x))]
        panel.bar(places, line.y, width, color=line.colour, label=line.name)
    panel.set_xticks(range(len(picture.lines[0].x)), list(map(str, picture.lines[0].x)))
    panel.set(title=picture.title, ylabel=picture.y, yscale="log")


def _lying(panel: Axes, picture: Picture) -> None:
    """Lying bars, the first group on top."""
    width = 0.8 / len(picture.lines)
    for k, line in enumerate(picture.lines):
        places, lengths = [j + k * width for j in range(len(line.x))], [y - 1 for y in line.y]  # from 1 on
        panel.barh(places, lengths, width, left=1, color=line.colour, label=line.name)
    panel.set_yticks([j + 0.2 for j in range(len(picture.lines[0].x))], list(map(str, picture.lines[0].x)))
    panel.invert_yaxis()
    panel.axvline(1, color=INK, linewidth=0.8)
    panel.set(title=picture.title, xlabel=picture.x, xscale="log")


def _curves(panel: Axes, picture: Picture) -> None:
    """Curves on two logarithmic axes; ratios on a plain one."""
    for x in picture.lines:
        panel.plot(x.x, x.y, x.style, color=x.colour, label=x.name)
    if picture.y.startswith("times"):
        panel.axhline(1, color=INK, linewidth=0.8)
        panel.set(title=picture.title, xlabel=picture.x, ylabel=picture.y, xscale="log", ylim=(0, None))
    else:
        panel.set(title=picture.title, xlabel=picture.x, ylabel=picture.y, xscale="log", yscale="log")
