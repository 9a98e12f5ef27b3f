"""Options of commands that identify robots, in one dataclass per group."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from revolute.cli.commands import completion
from revolute.cli.commands.options import Drawing, TrajectoryFile, choice, flag, numbers, on_links, option, output_file


@dataclass(frozen=True)
class Outputs:
    """Logs for validation, and files to write."""

    validation: Annotated[
        list[str] | None, option("A log for validation, not used in the fit; repeatable.", "--validate", metavar="LOG")
    ] = None
    output: Annotated[
        Path | None, output_file("Write the robot with its new parameters: .urdf, .xml (MJCF) or .toml.")
    ] = None
    report: Annotated[Path | None, option("Write all results as an HTML page that needs no network.")] = None


@dataclass(frozen=True)
class FitOptions:
    """Settings of the fit and its estimator: see `revolute.identify`."""

    estimator: Annotated[str, choice(
        "estimators",
        "weighted: joints by their noise. ordinary: equal weights. huber: lower weights of outliers. instrumental, "
        "direct_inverse, output_error: by simulations of the closed loop; they need --controller, --reference and "
        "both gains."
    )] = "weighted"
    physical: Annotated[bool, option("Physically consistent links only (needs the extra identify).")] = True
    offsets: Annotated[bool, option("Fit a constant force per joint, such as a sensor's bias.")] = True
    asymmetric: Annotated[bool, flag("--asymmetric", "Fit Coulomb friction for each direction of motion.")] = False
    stribeck: Annotated[bool, flag("--stribeck", "Fit Stribeck friction, including its speeds.")] = False
    only: Annotated[str | None, option(
        "Fit only these parameters, links or joints; separate by commas.", metavar="NAMES",
        offers=completion.in_list(completion.links_and_joints)
    )] = None
    controller: Annotated[str | None, choice(
        "controllers",
        "Of the log: pd, pd_with_gravity, feedforward_pd, computed_torque or passivity_based, with the model of "
        "ROBOT."
    )] = None
    reference: Annotated[Path | None, option(
        "Reference of the controller: a table with columns t and q.JOINT, in the times of the log."
    )] = None
    position_gains: Annotated[str | None, numbers("Position gains [N m/rad]; of computed_torque [1/s^2].")] = None
    velocity_gains: Annotated[str | None, numbers("Velocity gains [N m s/rad]; of computed_torque [1/s].")] = None
    control_step: Annotated[
        float | None, option("Period of the controller; by default that of the log, or 1 ms.", metavar="SECONDS")
    ] = None
    momentum: Annotated[float | None, option(
        "Rows of a floating base are changes of momentum over such windows (--base free).", metavar="SECONDS"
    )] = None
    in_flight: Annotated[
        bool, flag("--in-flight", "Nothing touches the robot: use rows of the floating base too.")
    ] = False


@dataclass(frozen=True)
class PayloadOptions:
    """The link with the load, a log without the load, and force offsets."""

    link: Annotated[str, option("Link with the load, such as tool0.", metavar="LINK", offers=completion.links)]
    without: Annotated[
        str | None, option("Log of the same motion without the load, to cancel model errors.", metavar="LOG")
    ] = None
    output: Annotated[Path | None, output_file("Write the robot with its load: .urdf, .xml (MJCF) or .toml.")] = None
    offsets: Annotated[bool, option("Fit a constant force per joint for this log.")] = False


@dataclass(frozen=True)
class ExciteOptions:
    """The motion, its limits, and files to write: see `revolute.identification.excite`."""

    duration: Annotated[float, option("Duration of a period [s].")] = 10.0
    harmonics: Annotated[int, option("Number of frequencies: 1/duration, 2/duration ...")] = 5
    criterion: Annotated[
        str, choice("criteria", "d: log determinant of the information; condition: the condition number.")
    ] = "d"
    limits: Annotated[str | None, option(
        "velocity=2,acceleration=10,torque=50 for all joints, elbow.velocity=1 for one. Velocities and torques are by "
        "default those of the robot.", metavar="LIMITS"
    )] = None
    position: Annotated[list[str] | None, numbers("Range of a joint [rad, m]; repeatable.", "JOINT=LOW:HIGH")] = None
    box: Annotated[list[str] | None, on_links(
        "LINK=X,Y,Z:X,Y,Z",
        "Lowest and highest corner [m] of a box for a link's origin, in the base frame; an empty number is no limit. "
        "Repeatable."
    )] = None
    height: Annotated[
        float | None, option("Minimum height of the origins of all moving links [m], such as a table's.")
    ] = None
    rate: Annotated[float, option("Rows per second of the output, and of the future log.")] = 100.0
    starts: Annotated[int, option("Number of searches, of which the best is used.")] = 3
    seed: Annotated[int, option("Seed of the random starts.")] = 0
    periods: Annotated[int, option("Number of periods in the output.")] = 1
    output: TrajectoryFile = None
    plot: Drawing = None
