"""The application: errors and warnings are printed as lines; shared options."""

import contextlib
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from revolute import __version__
from revolute.cli.commands import completion
from revolute.cli.commands.robots import CHOICE, FileChoice
from revolute.errors import IN_SHELL, InputError, ModelWarning, RevoluteError, one_line, printable_lines

if TYPE_CHECKING:
    from rich.console import Console

HINTS = {
    "command 'validate'": "logs to validate with are those of: revolute identify ROBOT LOG --validate OTHER",
    r"extra argument.*\(-?\.?\d|No such option:? '?-\.?\d": "numbers are separated by commas: 0.4,-0.2,0.5",
}
"""Hints for usage errors, by patterns of their messages."""
SIGNALS = ("SIGTERM", "SIGHUP")  # signals on which a command removes its unfinished files
UNWRAPPED = 100_000  # columns of a console that is not a terminal


class _Group(TyperGroup):
    def main(self, args: Sequence[str] | None = None, *others: Any, **options: Any) -> Any:
        """Run the command line. Characters outside the output encoding, as on Windows, are printed as escapes."""
        # Options of the robot's file may be anywhere: `--arg NAME=VALUE`, an argument of a xacro file, `--trusted`,
        # which lets it run code, and `--model NAME`, a model of an SDF file with several.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)  # errors arise here, not at the end
        try:
            left, choice = _file_options(sys.argv[1:] if args is None else args)
            if choice.options:
                self._check_command(left, choice)
        except InputError as error:
            _print_line("Error", error)
            sys.exit(2)
        CHOICE.set(choice)
        if left == ["--version"]:
            _show_version()  # bypass Typer's parser, which loads Pydantic
        return super().main(left, *others, **options)

    def _check_command(self, words: Sequence[str], choice: FileChoice) -> None:
        """Raise InputError for options of the robot's file if the command reads no such file."""
        name = next((word for word in words if not word.startswith("-")), None)
        command = self.commands.get(name or "")
        reads_robot = command is not None and not {"robot", "files"}.isdisjoint(x.name for x in command.params)
        if name is None or (command is not None and not reads_robot):
            none = "no command was given" if name is None else f"'{name}' does not"
            raise InputError(f"{choice.options[0]} is for commands that read a robot; {none}")

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the whole first sentence of its help: Click truncates it to one line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, x.get_short_help_str(limit=1000)) for name, x in commands if x is not None])

    def invoke(self, ctx: Any) -> Any:
        """Run a command; print the errors and warnings of this library as lines."""
        try:
            with orderly_end(), _advice_in_shell(), warnings.catch_warnings():
                warnings.simplefilter("always", ModelWarning)
                warnings.showwarning = lambda message, *_, **__: _print_line("Warning", message)
                return super().invoke(ctx)
        except (RevoluteError, OSError) as error:
            if isinstance(error, BrokenPipeError) and error.filename is None:
                raise  # the reader of standard output, such as `head`, has ended: Typer exits without a message
            _print_line("Error", error)
            raise typer.Exit(1) from None
        except Exception as error:
            message = getattr(error, "message", None)  # a usage error's message quotes the command line
            if isinstance(message, str):
                hint = next((text for pattern, text in HINTS.items() if re.search(pattern, message)), None)
                whole = f"{message.rstrip('.')}; {hint}" if hint else message
                error.message = printable_lines(whole)  # type: ignore[attr-defined]
            raise


def _file_options(args: Sequence[str]) -> tuple[list[str], FileChoice]:
    """All arguments except the options of the robot's file, and these options."""
    words, left = iter(args), list[str]()
    arguments: dict[str, str] = {}
    model: str | None = None
    trusted = False
    for word in words:
        option, equals, value = word.partition("=")
        if option in ("--arg", "--model") and not equals:
            value = next(words, "")
        if word == "--trusted":
            trusted = True
        elif option == "--arg":
            name, equals, arguments[name] = value.partition("=")
            if not (name and equals):
                raise InputError(f"--arg must be NAME=VALUE, not {name!r}")
        elif option != "--model":
            left.append(word)
        elif not value:
            raise InputError("--model must be the name of a model in the file")
        elif model is not None:
            raise InputError(f"--model is given twice, as {model!r} and {value!r}")
        else:
            model = value
    return left, FileChoice(arguments, model, trusted)


def new_console(quiet: bool = False) -> "Console":
    """The console of a command; quiet for --json. Rich is loaded here, not at the start: it takes as long as Typer.

    Only a terminal has a width: tables in files and pipes are not wrapped.
    """
    from rich.console import Console

    console = Console(quiet=quiet)
    if not console.is_terminal:
        console.width = UNWRAPPED
    return console


def _show_version() -> NoReturn:
    print(f"revolute {__version__}")
    sys.exit(0)


@contextlib.contextmanager
def _advice_in_shell() -> Iterator[None]:
    """Make messages name command-line options instead of Python arguments."""
    token = IN_SHELL.set(True)
    try:
        yield
    finally:
        IN_SHELL.reset(token)


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """In the block, SIGTERM and SIGHUP raise `SystemExit` with a shell's exit status, unless handled or ignored."""
    signals = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    on_main = threading.current_thread() is threading.main_thread()  # only the main thread may set signal handlers
    changed = [number for number in signals if on_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _print_line(kind: str, message: object) -> None:
    print(f"{kind}: {one_line(str(message))}", file=sys.stderr)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The dynamics of robots, from a description to machine code.",
)

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        autocompletion=completion.robots,
        help="A URDF, MJCF, SDF or TOML file, - for XML on standard input, or a name, as `revolute robots` lists them: "
        "ur5, panda, talos, planar:JOINTS, random_tree:JOINTS:SEED. Arguments of a xacro file: --arg NAME=VALUE; "
        "--trusted lets it run code; a model of an SDF file with several: --model NAME.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs, in place of tables.")]
Base = Annotated[
    str, typer.Option(help="Base of a URDF robot: fixed, or free to float.", autocompletion=completion.known("bases"))
]


@app.callback(invoke_without_command=True)
def main(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    """The dynamics of robots, from a description to machine code."""
    if version:
        _show_version()
