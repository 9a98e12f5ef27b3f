"""Options of commands that identify robots, one record per group of options."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from revolute.cli.commands import completion
from revolute.cli.commands.options import (
    Drawing,
    TrajectoryFile,
    choice,
    flag,
    numbers,
    on_links,
    option,
    output_file,
)


@dataclass(frozen=True)
class Outputs:
    """Logs to validate with, and files to write."""

    validation: Annotated[
        list[str] | None, option("A log that the fit does not see; repeatable.", "--validate", metavar="LOG")
    ] = None
    output: Annotated[
        Path | None, output_file("Write the robot with its new parameters: .urdf, .xml (MJCF) or .toml.")
    ] = None
    report: Annotated[Path | None, option("Write a page with all results: .html, which needs no network.")] = None


@dataclass(frozen=True)
class FitOptions:
    """Settings of the fit and its estimator: see `revolute.identify`."""

    estimator: Annotated[
        str,
        choice(
            "estimators",
            "weighted: joints by their noise. ordinary: equal weights. huber: less weight of outliers. instrumental, "
            "direct_inverse, output_error: by simulations of the closed loop; they need --controller, --reference and "
            "both gains.",
        ),
    ] = "weighted"
    physical: Annotated[bool, option("Keep links to bodies that can exist (needs the extra identify).")] = True
    offsets: Annotated[bool, option("Each joint has a constant force, as of a biased sensor.")] = True
    asymmetric: Annotated[bool, flag("--asymmetric", "Coulomb friction differs by direction.")] = False
    stribeck: Annotated[bool, flag("--stribeck", "Stribeck friction; its speeds are searched.")] = False
    only: Annotated[
        str | None,
        option(
            "Fit these parameters, links or joints alone, with commas.",
            metavar="NAMES",
            offers=completion.in_list(completion.links_and_joints),
        ),
    ] = None
    controller: Annotated[
        str | None,
        choice(
            "controllers",
            "Of the log: pd, pd_with_gravity, feedforward_pd, computed_torque or passivity_based, with the model of "
            "ROBOT.",
        ),
    ] = None
    reference: Annotated[
        Path | None,
        option("What the controller followed: a table with columns t and q.JOINT, in the times of the log."),
    ] = None
    position_gains: Annotated[str | None, numbers("Of the joints [N m/rad]; [1/s^2] of computed_torque.")] = None
    velocity_gains: Annotated[str | None, numbers("Of the joints [N m s/rad]; [1/s] of computed_torque.")] = None
    control_step: Annotated[
        float | None, option("Of the controller; by default that of the log, or 1 ms.", metavar="SECONDS")
    ] = None
    momentum: Annotated[
        float | None,
        option("Rows of a floating base are changes of momentum over such windows (--base free).", metavar="SECONDS"),
    ] = None
    in_flight: Annotated[
        bool, flag("--in-flight", "Nothing touches the robot: rows of the floating base count, too.")
    ] = False


@dataclass(frozen=True)
class PayloadOptions:
    """The link with the load, a log without the load, and force offsets."""

    link: Annotated[str, option("Link with the load, such as tool0.", metavar="LINK", offers=completion.links)]
    without: Annotated[
        str | None, option("The same motion without the load: errors of the model cancel.", metavar="LOG")
    ] = None
    output: Annotated[Path | None, output_file("Write the robot with its load: .urdf, .xml (MJCF) or .toml.")] = None
    offsets: Annotated[bool, option("The log has its own constant force of each joint.")] = False


@dataclass(frozen=True)
class ExciteOptions:
    """The motion, its limits, and files to write: see `revolute.identification.excite`."""

    duration: Annotated[float, option("Seconds of a period.")] = 10.0
    harmonics: Annotated[int, option("Number of frequencies: 1/duration, 2/duration ...")] = 5
    criterion: Annotated[
        str, choice("criteria", "d: log determinant of the information; condition: the condition number.")
    ] = "d"
    limits: Annotated[
        str | None,
        option(
            "velocity=2,acceleration=10,torque=50 for all joints, elbow.velocity=1 for one. "
            "Velocities and torques are by default those of the robot.",
            metavar="LIMITS",
        ),
    ] = None
    position: Annotated[list[str] | None, numbers("Range of a joint [rad, m]; repeatable.", "JOINT=LOW:HIGH")] = None
    box: Annotated[
        list[str] | None,
        on_links(
            "LINK=X,Y,Z:X,Y,Z",
            "Lowest and highest corner [m] of a box for a link's origin, in the base frame; an empty number is no "
            "limit. Repeatable.",
        ),
    ] = None
    height: Annotated[
        float | None, option("Least height of the origins of all moving links [m], as of a table.")
    ] = None
    rate: Annotated[float, option("Rows a second of the output, and of the future log.")] = 100.0
    starts: Annotated[int, option("Number of searches; the best counts.")] = 3
    seed: Annotated[int, option("Of the random starts.")] = 0
    periods: Annotated[int, option("Periods of the output.")] = 1
    output: TrajectoryFile = None
    plot: Drawing = None
