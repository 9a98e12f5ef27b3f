"""`revolute view`: a robot and its motion in a browser, or as one HTML file."""

from functools import partial
from pathlib import Path

from rich.console import Console

from revolute.cli.commands import screen
from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import TrajectoryError
from revolute.io.trajectory import open_table
from revolute.io.trajectory.columns import match
from revolute.machine.machine import Array
from revolute.machine.robot import Robot


def run(
    robot: Robot, motion: Path | None, q: str | None, page: Path | None, collisions: bool, host: str, port: int,
    console: Console,
) -> None:
    """Show a robot at positions `q`, or its motion, until Ctrl-C; or write a page and end."""
    from revolute.view import check_page

    if page is not None:
        check_page(page)
    positions = robot.home()
    t: Array | None = None
    if motion is not None:
        t, positions = _motion(robot, motion)
    elif q is not None:
        positions = joint_numbers("--q", q, robot.position_names, robot.home())
    with robot.view(positions, t=t, collisions=collisions, host=host, port=port) as view:
        say = partial(screen.say, console)
        if page is not None:
            view.save(page)
            say(f"Written to {page}: open it in a browser, without network")
        else:
            say(f"{robot.name} at {view.url}: {view.audience}. Ctrl-C ends.")
            view.wait()


def _motion(robot: Robot, path: Path) -> tuple[Array, Array]:
    """(T,) times and (T, nq) positions of a table."""
    table = open_table(path)
    columns = match(robot, table.columns, str(path))
    if columns.time is None:
        raise TrajectoryError(f"{path}: no time column [s]; name it t")
    rows = table.rows((columns.time, *columns.q))
    if not len(rows):
        raise TrajectoryError(f"{path}: there are no rows below the header")
    return rows[:, 0], rows[:, 1:]
