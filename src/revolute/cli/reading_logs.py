"""Options of all commands that read logs, declared once."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.log_options import LogOptions

__all__ = ["reads_logs"]


def _options(
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.toml|QUANTITY=COLUMNS",
            help="Columns of the log: q=position_{n} (from 1; {n0} from 0), tau={name}_effort, t=stamp, qd=none, or a "
            "list with commas; or a TOML file with these and more (see: revolute identify --help). Repeatable.",
        ),
    ] = None,
    degrees: Annotated[bool, typer.Option("--degrees", help="All angles of the log are in degrees.")] = False,
    rate: Annotated[float | None, typer.Option(metavar="HZ", help="Rows a second, of a log without times.")] = None,
    cutoff: Annotated[
        float | None, typer.Option(metavar="HZ", help="Of the low-pass; by default as the motion's spectrum advises.")
    ] = None,
    times: Annotated[
        str | None, typer.Option(metavar="FIRST,LAST", help="Only samples between these times [s] count.")
    ] = None,
    gains: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS|unknown",
            help="The log has currents [A]: torque of each joint for one ampere [N m/A]; unknown ones are fitted.",
            autocompletion=completion.joint_numbers,
        ),
    ] = None,
    joints: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Joints that moved, with commas; the others are locked.",
            autocompletion=completion.in_list(completion.joints),
        ),
    ] = None,
    flip: Annotated[
        str | None,
        typer.Option(
            metavar="all|NAMES",
            help="The log has forces of these joints with the other sign; q.all or q.JOINT: positions.",
            autocompletion=completion.in_list(completion.joints),
        ),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(metavar="auto|SECONDS", help="Forces were recorded late by these seconds; auto finds out."),
    ] = None,
) -> LogOptions:
    return LogOptions(columns or (), degrees, rate, cutoff, times, gains, joints, flip, delay)


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options in the place of its parameter `reading`, which it gets as `LogOptions`."""
    own = inspect.signature(_options).parameters
    hints = {**get_type_hints(command, include_extras=True), **get_type_hints(_options, include_extras=True)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        parameters += own.values() if name == "reading" else [parameter]

    @wraps(command)
    def with_options(**given: Any) -> None:
        reading = _options(**{name: given.pop(name) for name in own})
        command(reading=reading, **given)

    signature = inspect.Signature([x.replace(annotation=hints[x.name], kind=x.KEYWORD_ONLY) for x in parameters])
    with_options.__annotations__ = {x.name: hints[x.name] for x in parameters}
    with_options.__signature__ = signature  # type: ignore[attr-defined]
    return with_options
