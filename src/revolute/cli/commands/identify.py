"""`revolute identify`: fit a model to logs, validate it on other logs, write a robot file and a report."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from revolute.cli.commands import closed_loops, screen
from revolute.cli.commands.identification_options import FitOptions, Outputs
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.logs import LogBlocks, Show, files_of, moving, open_log, progress
from revolute.cli.commands.targets import check_robot, check_targets
from revolute.errors import InputError
from revolute.files import save
from revolute.identification import (
    Fit,
    ForceModel,
    LogFinding,
    Term,
    Validation,
    check_log,
    coupled_drive,
    identify,
    save_report,
    validate,
)
from revolute.identification.bodies.physical import consistent
from revolute.identification.closed_loop.instrumental_variables import InstrumentalFit
from revolute.identification.closed_loop.iterations import ClosedLoopFit
from revolute.identification.closed_loop.output_error import OutputErrorFit
from revolute.machine.robot import Robot

MOST_KNOWN, MOST_TERMS = 12, 4
"""Maximum number of parameter combinations printed, and maximum number of terms per printed combination."""


def run(
    robot: Robot, logs: Sequence[str], options: LogOptions, fitting: FitOptions, outputs: Outputs, as_json: bool,
    console: Console,
) -> None:
    """Fit the logs, validate the result, print it, and write files."""
    check_robot(outputs.output)
    check_targets(None, None, outputs.report)
    closed_loops.check(fitting)
    validation = outputs.validation or ()
    settings = options.settings()
    robot = moving(robot, settings)
    say = partial(screen.say, console)
    with progress([path for text in (*logs, *validation) for path in files_of(text)]) as show:
        fitted = _blocks(robot, logs, settings, options.gains, show)
        others = {text: _blocks(robot, [text], settings, options.gains, show) for text in validation}
        fit = _fit(robot, fitted, fitting, settings, show)
        show("predicting forces")
        trials = {
            f"Validation log {_short(text)}": validate(fit, blocks, decimate=blocks.decimate)
            for text, blocks in others.items()
        }
        own = " and ".join(map(_short, logs)) + ("" if validation else ", without a log to validate")
        trials[f"Log of the fit {own}"] = validate(fit, fitted, decimate=fitted.decimate)
    if as_json:
        logs_data = {title: trial.to_dict() for title, trial in trials.items()}
        head = {"robot": fit.model.robot.robot.name, "verdict": next(iter(trials.values())).verdict}
        screen.print_json(head | {"fit": fit.to_dict(), "logs": logs_data})
    else:
        _print(fit, trials, fitted, console)
    if outputs.output is not None:
        save(fit.robot().robot, outputs.output)
        say(f"Written to {outputs.output}")
    if outputs.report is not None:
        save_report(outputs.report, fit, trials)
        say(f"Report in {outputs.report}")


def _fit(robot: Robot, blocks: LogBlocks, fitting: FitOptions, settings: dict[str, Any], show: Show) -> Fit:
    model = ForceModel(
        robot, terms=_terms(robot, settings), offsets=fitting.offsets, asymmetric=fitting.asymmetric,
        stribeck="search" if fitting.stribeck else None,
        only=None if fitting.only is None else [name.strip() for name in fitting.only.split(",")],
        gains=robot.coordinate_names if blocks.amperes else (), momentum=fitting.momentum,
    )  # fmt: skip
    loop = closed_loops.loop_of(fitting, robot)
    fit = identify(model, blocks, estimator=fitting.estimator, decimate=blocks.decimate, loop=loop, check=False)
    fit = replace(fit, findings=blocks.findings)
    if not fitting.physical:
        return fit
    show("finding links that can exist")
    return consistent(fit)


def _short(text: str) -> str:
    return ", ".join(path.name for path in files_of(text))


def _blocks(robot: Robot, texts: Sequence[str], settings: dict[str, Any], gains: str | None, show: Show) -> LogBlocks:
    logs = [open_log(robot, text, settings, gains) for text in texts]
    findings: tuple[LogFinding, ...] = ()
    for log in logs:
        show(f"checking {log.name}")
        findings += check_log(robot, log, warn=True)
    paths = [path for text in texts for path in files_of(text)]
    names = ", ".join(path.name for path in paths)
    blocks = LogBlocks(logs, settings, paths, lambda count: show(f"{names}: {count:,} samples"))
    blocks.findings = findings
    return blocks


def _terms(robot: Robot, settings: dict[str, Any]) -> list[Term]:
    """Terms for motors that move several joints, from the tables [[coupled_drives]] in a file of --columns."""
    entries = settings.get("coupled_drives", [])
    terms: list[Term] = []
    for entry in entries if isinstance(entries, list) else [entries]:
        wrong = not isinstance(entry, dict) or set(entry) - {"kinds"} != {"name", "direction"}
        if wrong or not isinstance(entry["name"], str) or not isinstance(entry.get("kinds", []), list):
            raise InputError(f"coupled_drives: each needs a name and a direction, and may have kinds, unlike {entry!r}")
        terms += coupled_drive(**entry)
        if (count := len(entry["direction"])) != robot.nv:
            found = f"the direction of '{entry['name']}' has {count} components"
            raise InputError(f"coupled_drives: {found}, but the robot has {robot.nv} coordinates")
    return terms


def _print(fit: Fit, trials: dict[str, Validation], logs: LogBlocks, console: Console) -> None:
    say = partial(screen.say, console)
    for line in logs.notes():
        say(line)
    title, first = next(iter(trials.items()))
    known, zero, poor = (fit.verdicts.count(word) for word in ("good", "near zero", "poorly excited"))
    condition = f"{fit.condition:.3g}" if np.isfinite(fit.condition) else "infinite"
    used = f"{fit.compared:,} positions" if isinstance(fit, OutputErrorFit) else f"{fit.rows:,} forces"
    said = f"{len(fit.names)} base parameters from {used}; rank {fit.rank}, condition number {condition}"
    say(f"{fit.model.robot.robot.name}: {said}")
    if isinstance(fit, ClosedLoopFit):
        say(f"- {_closed_loop(fit)}")
    say(f"- {known} have an error below 30 %; {zero} more are near zero")
    if poor:
        say(f"- {poor} hardly affect the forces of this log, which does not determine them; see: revolute excite")
    say()
    if known:
        console.print(_known(fit))
    console.print(_joints(title, first, len(trials) > 1))
    say(f"{title}: {first.verdict}")
    for note in first.notes:
        say(f"- {note}")


def _closed_loop(fit: ClosedLoopFit) -> str:
    text = f"{fit.estimator}: {fit.iterations} iterations of the simulated loop"
    if isinstance(fit, InstrumentalFit):
        text += f"; smallest correlation with the instruments {fit.strength:.2g}; least squares are as good with "
        text += f"probability {fit.exogeneity.probability:.2g}"
    if isinstance(fit, OutputErrorFit):
        text += f"; positions differ by {fit.position_rms[-1].max():.2g} (RMS), at the start by "
        text += f"{fit.position_rms[0].max():.2g}"
    return text


def _joints(title: str, trial: Validation, validated: bool) -> Table:
    """Table of the residual and the signal of each joint, in red if the residual is large."""
    headings = ("joint", "residual", *(["of fit"] if validated else []), "signal", "share", "of rated", "inside", "")
    table = screen.new_table(title, *headings)
    for k, name in enumerate(trial.names):
        sizes = (trial.rms[k], *([trial.fit_rms[k]] if validated else []), trial.signal_rms[k])
        shares = (trial.relative[k], trial.of_rated[k], trial.inside[k] if np.isfinite(trial.rms[k]) else np.nan)
        cells = [f"{x:.3g}" if np.isfinite(x) else "–" for x in sizes]
        cells += [f"{x:.1%}" if np.isfinite(x) else "–" for x in shares]
        table.add_row(screen.cell(name), *cells, trial.units[k], style="bold red" if trial.grades[k] == "poor" else "")
    return table


def _known(fit: Fit) -> Table:
    """Table of parameter combinations that the log determines, in order of relative standard errors."""
    good = [k for k, verdict in enumerate(fit.verdicts) if verdict == "good"]
    shown = sorted(good, key=lambda k: fit.relative_errors[k])[:MOST_KNOWN]
    more = f", the {len(shown)} best of {len(good)}" if len(good) > len(shown) else ""
    table = screen.new_table(f"Known combinations of parameters{more}", "combination", "value", "±")
    for k in shown:
        terms = re.split(r" (?=[+-] )", fit.names[k])
        left = f" + {len(terms) - MOST_TERMS} terms" if len(terms) > MOST_TERMS else ""
        value, error = f"{fit.values[k]:.4g}", f"{fit.standard_errors[k]:.2g}"
        table.add_row(screen.cell(" ".join(terms[:MOST_TERMS]) + left), value, error)
    return table
