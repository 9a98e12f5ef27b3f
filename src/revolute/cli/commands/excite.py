"""`revolute excite`: find the most informative motion for identification."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from revolute.cli.commands import screen
from revolute.cli.commands.identification_options import ExciteOptions
from revolute.cli.commands.numbers import limits_of
from revolute.cli.commands.targets import check_targets
from revolute.errors import InputError
from revolute.identification import ExcitationLimits, ExcitingMotion, ExpectedLog, ForceModel, excite
from revolute.machine.robot import Robot
from revolute.model.units import number

SOON = 1.0  # time after which the user is told how long a search takes [s]


def run(robot: Robot, options: ExciteOptions, as_json: bool, console: Console) -> None:
    """Find the motion; print expected errors and nearest limits; write and plot the motion."""
    check_targets(options.output, options.plot)
    model = ForceModel(robot)
    given = limits_of(options.limits, model.robot.coordinate_names)
    if "jerk" in given:
        raise InputError("--limits: an exciting motion has limits of velocity, acceleration and torque, not of jerk")
    positions, boxes = _ranges("--position", options.position or ()), _ranges("--box", options.box or ())
    with _note_on_time(options.starts):
        found = excite(
            model, duration=options.duration, harmonics=options.harmonics, criterion=options.criterion,
            limits=ExcitationLimits(position=positions, box=boxes, height=options.height, **given),
            log=ExpectedLog(options.rate), starts=options.starts, rng=options.seed,
        )  # fmt: skip
    say = partial(screen.say, console)
    if as_json:
        screen.print_json(_as_data(found))
    for line in (*str(found).splitlines(), ""):
        say(line)
    console.print(_parameters(found))
    console.print(_limits(found))
    if options.output:
        found.save(options.output, periods=options.periods)
        say(f"Written to {options.output}, {options.rate:g} rows per second")
    screen.draw(console, options.plot, found.plot)


@contextlib.contextmanager
def _note_on_time(starts: int) -> Iterator[None]:
    """Print a line on stderr unless the search ends, or fails, soon."""
    text = (
        f"Finding a motion; searches: {starts} (--starts). They take seconds to minutes, fastest with "
        "OPENBLAS_NUM_THREADS=1 in the environment"
    )
    timer = threading.Timer(SOON, screen.say, (Console(stderr=True), text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _ranges(option: str, texts: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """{name: (lowest, highest)} from texts NAME=LOW:HIGH. Commas separate numbers; an empty number means no limit."""
    found = {}
    for text in texts:
        name, _, both = text.rpartition("=")
        low, colon, high = both.partition(":")
        try:
            ends = _numbers(low, -np.inf), _numbers(high, np.inf)
        except ValueError:
            ends = None
        if not (name and colon and ends):
            form = "tool0=-1,-1,0:1,1,1.5 [m]" if option == "--box" else "elbow=-1:1.5 [rad, m]"
            raise InputError(f"{option}: '{text}' is not NAME=LOWEST:HIGHEST, such as {form}")
        found[name] = ends
    return found


def _numbers(text: str, missing: float) -> Any:
    """A number, or a comma-separated list of numbers; `missing` is the value of an empty number."""
    found = [float(x) if x.strip() else missing for x in text.split(",")]
    return found if len(found) > 1 else found[0]


def _as_data(found: ExcitingMotion) -> dict[str, Any]:
    motion = found.trajectory
    errors = zip(found.names, found.standard_errors.tolist(), found.felt.tolist(), strict=True)
    return {
        "robot": found.model.robot.name,
        **{name: getattr(found, name) for name in ("criterion", "value", "condition")},
        "duration": motion.duration,
        "rate": found.rate,
        "binding": list(found.binding),
        "unexcited": list(found.unexcited),
        "parameters": [{"name": name, "standard_error": error, "felt": felt} for name, error, felt in errors],
        "limits": list(map(asdict, found.reaches)),
        **{name: getattr(motion, name).tolist() for name in ("center", "cosines", "sines")},
    }


def _parameters(found: ExcitingMotion) -> Table:
    """Table of expected standard errors, in red if an error changes forces by more than the noise."""
    headings = ("first of its sum", "standard error", "force / noise")
    table = screen.new_table(f"Base parameters, after one period at {found.rate:g} Hz", *headings)
    for name, error, felt in zip(found.names, found.standard_errors.tolist(), found.felt.tolist(), strict=True):
        style = "bold red" if name in found.unexcited else ""
        table.add_row(screen.cell(name), f"{error:.2g}", f"{felt:.2g}", style=style)
    return table


def _limits(found: ExcitingMotion) -> Table:
    """Table of the limits that are nearest to the motion."""
    table = screen.new_table("Nearest limits", "", "value", "limit", "")
    table.columns[3].justify = "left"
    for reach in sorted(found.reaches, key=lambda x: -x.share):
        if reach.share > 0.8:
            table.add_row(screen.cell(reach.name), number(reach.value), number(reach.limit), reach.unit)
    return table
