"""Commands that identify robots: exciting motions, parameters from logs, payloads."""

from dataclasses import replace
from typing import Annotated

from revolute.cli.commands.identification_options import ExciteOptions, FitOptions, Outputs, PayloadOptions
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.options import argument, with_records
from revolute.cli.commands.robots import named_robot, robot_file
from revolute.cli.commands.targets import check_apart
from revolute.cli.root import Base, Json, RobotName, app, new_console


@app.command()
@with_records
def identify(
    robot: RobotName,
    logs: Annotated[list[str], argument(
        "LOG...", "CSV or Parquet files; or several files of one log: q=positions.csv,tau=currents.csv."
    )],
    *,
    outputs: Outputs,
    fitting: FitOptions,
    reading: LogOptions,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find a robot's masses, inertias and friction from logs of its motion and torques.

    \b
    revolute identify ur10.urdf log.csv --validate other.csv -o model.urdf --report report.html
    revolute identify tx40.urdf q=positions.csv,tau=currents.csv --columns tx40.toml
    revolute identify arm.urdf log.csv --degrees --gains 11.1,10.8,9.6 --joints j1,j2,j3
    revolute identify arm.urdf log.csv --estimator instrumental --controller pd_with_gravity \\
        --reference moves.csv --position-gains 600,300,100 --velocity-gains 60,30,10
    revolute identify legs.urdf steps.csv --base free --columns wrench.foot=foot_{axis}

    The log's first row names its columns: t or time; q1, q.JOINT, JOINT or JOINT_position; qd1 or
    JOINT_velocity; tau1, JOINT_torque or JOINT_effort. Numbers count from 0 if one of them is 0,
    else from 1. The columns of each joint are printed. Positions are filtered and differentiated
    without phase shift; forces pass the same filter.

    A TOML file of --columns may contain:

    \b
    units = "deg"                       # or {q = "deg", qd = "deg/s", tau = "A", t = "ms"}
    rate = 5000                         # rows per second; cutoff = 20; times = [1, 30]; joints = ["j1"]
    columns = {q = "motor_{n}", tau = ["i1", "i2"]}
    [motor_side]                        # q_motor = ratios (q - offset); tau = torque tau_motor
    ratios = [[45, 0], [32, 32]]        # numbers or a matrix; offset; gains; torque
    [[coupled_drives]]                  # a motor that turns several joints
    name = "motor6"
    direction = [0, 0, 0, 0, 1, 1]

    The verdict is on the first log of --validate; without one, on the log of the fit.
    """
    from revolute.cli.commands import identify as command
    from revolute.cli.commands.logs import files_of

    inputs = [path for log in (*logs, *(outputs.validation or ())) for path in files_of(log)]
    known = [fitting.reference] if fitting.reference else []
    check_apart([robot_file(robot), *inputs, *(reading.columns or ()), *known], [outputs.output, outputs.report])
    options = replace(reading, in_flight=fitting.in_flight)
    command.run(named_robot(robot, base), logs, options, fitting, outputs, as_json, new_console(quiet=as_json))


@app.command()
@with_records
def payload(
    robot: RobotName,
    log: Annotated[str, argument("LOG", "Log with the load: a file as for identify.")],
    *,
    options: PayloadOptions,
    reading: LogOptions,
    base: Base = "fixed",
    as_json: Json = False,
) -> None:
    """Find mass, centre and inertia of a tool or load, with error bars, from a short log.

    \b
    revolute payload identified.toml with_tool.csv --link tool0
    revolute payload ur10.urdf with.csv --link tool0 --without empty.csv -o loaded.urdf

    ROBOT is the robot without the load, best a file written by identify, with friction. The options for logs
    are the same as for identify. Results are expressed in the frame of the link.
    """
    from revolute.cli.commands import payload as command
    from revolute.cli.commands.logs import files_of

    inputs = [path for text in (log, options.without) if text for path in files_of(text)]
    check_apart([robot_file(robot), *inputs, *(reading.columns or ())], [options.output])
    command.run(named_robot(robot, base), log, options, reading, as_json, new_console(quiet=as_json))


@app.command()
@with_records
def excite(robot: RobotName, *, options: ExciteOptions, as_json: Json = False) -> None:
    """Find the motion that determines a robot's masses and friction best, within its limits.

    \b
    revolute excite ur5 --height 0 -o excitation.csv --plot excitation.png
    revolute excite panda --duration 20 --limits acceleration=5 --box panda_link8=-1,-1,0.1:1,1,1.2
    revolute excite arm.urdf --criterion condition --json

    The motion is periodic, a sum of sines, and starts and ends at rest. Limits are checked at ten
    times more samples than the search uses. Collisions are not checked: look at the motion with
    revolute view. The output contains t, q.JOINT, qd.JOINT, qdd.JOINT. The command needs the extra identify.
    """
    from revolute.cli.commands import excite as command

    check_apart([robot_file(robot)], [options.output, options.plot])
    command.run(named_robot(robot, "fixed"), options, as_json, new_console(quiet=as_json))
