"""What a command line cannot do is one line on stderr, with status 1, and leaves no file behind."""

from pathlib import Path

import numpy as np
import pytest
from cli.calling import run

import revolute
from revolute.io import trajectory

FORCES = "t,tau.joint1\n0,1\n1,1\n"
TEXTS = {
    "forces.csv": FORCES, "back.csv": FORCES + "0.5,1\n", "untimed.csv": "tau.joint1\n1\n",
    "endless.csv": "t,tau.joint1\n0,0\n1e308,1\n", "steep.csv": "t,tau.joint1\n0,0\n1,1e308\n2,-1e308\n",
    "xy.csv": "x,y\n1,2\n", "xyz.csv": "x,y,z\n", "none.q.csv": "joint1,joint2\n0,1\n",
    "once.csv": "t,joint1,joint2\n1,0,1\n1,0,1\n",
    "quaternion.csv": "x,y,z,qx,qy,qz,qw\n0,0,1,0,0,0,1\n0,0,1,0,0,0,2\n",
    "words.csv": "t,q1,q2,tau1,tau2\n0,a,b,c,d\n", "empty.csv": "",
    "broken.csv": "t,q.joint1,qd.joint1,qdd.joint1\n0,0,0,0\n1,x,0,0\n",
    "stone.urdf": '<robot name="stone"><link name="stone"/></robot>',
    "bad.toml": "columns = {", "odd.toml": 'colums = {q = "q{n}"}', "motor.toml": "[motor_side]\nratio = [1, 2]",
    "drive.toml": '[[coupled_drives]]\nname = "motor"', "five.toml": "coupled_drives = 5",
    "three.toml": '[[coupled_drives]]\nname = "m"\ndirection = [1, 0, 0]', "times.toml": 'times = [1, "b"]',
    "joints.toml": "joints = []",
}  # fmt: skip
"""Files beside a robot arm.toml, its log a.csv, and its motion, whole and cut short."""
VIA = "--via 0,-1,1,0,0,0 --via 0.5,-0.5,0.5,1,0.1,0 --via 1,-1,1,0,0,0"
FOLLOW = "--controller computed_torque --reference motion.csv"
LOOP = "--estimator output_error --controller pd_with_gravity --position-gains 600,300 --velocity-gains 60,20"
ERRORS = [
    ("info ur6", "no such robot; near: ur16e, ur5"),
    ("info ./none.urdf", "none.urdf"),
    ("info planar:0", "n, the number of links, must be a whole number"),
    ("info ur5:1", "'ur5:1': too many positional arguments; ur5 takes no arguments"),
    ("info planar:abc", "n must be a whole number, not 'abc'; planar takes n (2), length (1.0)"),
    ("info planar:2.5", "n must be a whole number, not '2.5'"),
    ("info planar:length=long", "length must be a number, not 'long'"),
    ("info random_tree:3:7:free", "random_tree takes n, rng (0), base=... (fixed)"),
    ("demo --output a.csv", "the folder cannot be created"),
    ("convert ur5 arm.stl", "robots are written as .urdf, .xml, .toml, by the suffix, not as '.stl'"),
    ("lock ur5 elbow -o arm.urdf", "lock: there is no 'elbow'; near: elbow_joint"),
    ("lock random_tree:2:3:base=free root_joint.qx=0 -o b.toml", "lock: give all 7 coordinates of the joint"),
    ("lock ur5 , -o arm.urdf", "lock: give at least one joint"),
    ("torque ur5 none.csv", "none.csv: no such file"),
    ("torque planar:1 broken.csv -o out.csv", "line 3, column 'q.joint1': 'x' is not a finite number"),
    ("torque ur5 none.csv --payload tool0", "--payload: 'tool0' is not LINK=MASS or LINK=MASS,X,Y,Z"),
    ("torque ur5 none.csv --payload tool0=1,2", "--payload: 'tool0=1,2' is not LINK=MASS"),
    ("torque ur5 none.csv --payload tool0=-1", "mass is -1 kg"),
    ("torque ur5 none.csv --payload toll0=1", "no link 'toll0'; near: tool0"),
    ("torque ur5 none.csv --wrench tool0=1,2,3", "--wrench: 'tool0=1,2,3' is not LINK=MX,MY,MZ,FX,FY,FZ"),
    ("torque ur5 none.csv --wrench toll0=1,2,3,4,5,6", "no link 'toll0'"),
    ("torque ur5 x.csv --wrench tool0=1,2,3,4,5,6 --wrench tool0=1,2,3,4,5,6", "two wrenches on the link 'tool0'"),
    ("torque ur5 none.csv --lock elbow=1", "--lock: there is no 'elbow'; near: elbow_joint"),
    ("torque ur5 none.csv --lock elbow_joint=x", "--lock: 'x' is not a finite number"),
    ("torque ur5 none.csv --report loads.pdf", "reports are written as .html, .htm, by the suffix, not as '.pdf'"),
    ("simulate stone.urdf --duration 1", "'stone' has no joint to move"),
    ("simulate planar:2", "--duration is missing"),
    ("simulate planar:2 --duration 0", "--duration must be more than 0 s, not 0"),
    ("simulate planar:2 --duration 1 --step -1", "--step must be more than 0 s, not -1"),
    ("simulate planar:2 --duration 1e9", "are 1e+12 steps of 0.001 s; at most 5,000,000"),
    ("simulate planar:2 --duration 1 --q0 1,2,3", "--q0 has 3 numbers, but 2 are required: joint1, joint2"),
    ("simulate planar:2 --duration 1 --qd0 1,x", "--qd0: 'x' is not a finite number"),
    ("simulate planar:2 --duration 1 --qd0 joint3=1", "--qd0: there is no 'joint3'; near: joint"),
    ("simulate planar:2 --duration 1 --tau joint1=1,2", "--tau: '2' has no name"),
    ("simulate planar:2 --tau none.csv", "none.csv: no such file"),
    ("simulate planar:2 --tau forces.csv", "forces.csv: no column 'tau.joint2'"),
    ("simulate planar:1 --tau forces.csv --duration 2", "forces.csv ends at 1 s, before the simulation"),
    ("simulate planar:1 --tau untimed.csv", "no time column"),
    ("simulate planar:1 --tau back.csv", "with increasing times"),
    ("simulate planar:1 --tau endless.csv", "endless.csv: 1e+308 s are inf steps of 0.001 s; at most 5,000,000"),
    ("simulate planar:1 --tau steep.csv", "steep.csv: forces at 1 s and 2 s differ too much to interpolate"),
    ("simulate planar:1 --duration 1 -o a.xyz", ".csv, .parquet, .pq, .npz, by the suffix, not as '.xyz'"),
    ("simulate planar:1 --duration 1 --contact tip", "--contact: 'tip' is not LINK=HEIGHT"),
    ("simulate planar:1 --duration 1 --contact tip=x", "--contact: 'tip=x' is not LINK=HEIGHT"),
    ("simulate planar:2 --controller computed_torque", "--controller and --reference must be given together"),
    ("simulate planar:2 --reference motion.csv", "--controller and --reference must be given together"),
    ("simulate planar:2 --controller pid --reference motion.csv", "--controller must be one of pd_with_gravity"),
    (f"simulate planar:2 {FOLLOW} --tau 1,1", "by --tau or by --controller, not both"),
    (f"simulate planar:2 {FOLLOW} --bandwidth 0", "--bandwidth must be more than 0 rad/s"),
    (f"simulate planar:2 {FOLLOW} --duration 20", "ends at 9.995 s, before the simulation"),
    ("ik ur5", "no pose: give --xyz"),
    ("ik ur5 --xyz 1,2", "--xyz has 2 numbers, but 3 are required"),
    ("ik ur5 --xyz 0,0,1 --frame hand", "no link 'hand'"),
    ("ik ur5 --xyz 0,0,1 --path", "--path requires a table"),
    ("ik ur5 --xyz 0,0,1 --poses xy.csv", "not both"),
    ("ik ur5 --poses xy.csv", "no column z"),
    ("ik ur5 --poses none.csv", "none.csv"),
    ("ik ur5 --poses xyz.csv", "no rows below the header"),
    ("ik ur5 --poses quaternion.csv", "pose 2"),
    ("ik ur5 --xyz 0,0,1 --tolerance 0", "tolerance must be"),
    ("ik ur5 --xyz 0,0,1 --posture bed", "--posture"),
    ("ik ur5 --xyz 0,0,1 -o out.txt", "by the suffix"),
    ("ik ur5 --poses xy.csv -o xy.csv", "would be lost"),
    (f"trajectory ur5 {VIA}", "--duration is missing"),
    (f"trajectory ur5 {VIA} --duration 1 --times 0,1,2", "give --times or --duration, not both"),
    (f"trajectory ur5 {VIA} --times 0,1", "--times has 2 numbers, but 3 are required"),
    (f"trajectory ur5 {VIA} --kind septic", "--kind must be one of cubic, quintic, minimum_jerk, spline, trapezoid"),
    (f"trajectory ur5 {VIA} --kind trapezoid", "--kind trapezoid requires acceleration limits"),
    (f"trajectory ur5 {VIA} --kind jerk_limited --limits acceleration=1", "requires jerk limits"),
    (f"trajectory ur5 {VIA} --kind spline --duration 1 --end-velocity 0,0,0,0,0,1", "takes no --start-velocity"),
    (f"trajectory ur5 {VIA} --duration 1 --blend 0.1", "--blend, --q0 and --around are for poses of a link: give"),
    (f"trajectory ur5 {VIA} --duration 1 --frame tool0 --kind cubic", "--frame moves along lines, from rest to rest"),
    (f"trajectory ur5 {VIA} --frame tool0", "--duration is missing"),
    (f"trajectory ur5 {VIA} --frame tool0 --time-optimal", "--time-optimal needs --blend"),
    ("ik ur5 --xyz 0.4,0.2,0.5 --largest-step 0.1", "--largest-step is for a path"),
    (f"trajectory ur5 {VIA} --fastest --start-velocity 0,0,0,0,0,1", "--fastest changes all velocities"),
    (f"trajectory ur5 {VIA} --kind trapezoid --duration 1", "derives its times from limits"),
    (f"trajectory ur5 {VIA} --fastest --time-optimal", "give --fastest or --time-optimal, not both"),
    (f"trajectory ur5 {VIA} --duration 1 --limits speed=1", "--limits: 'speed=1' is not a limit"),
    (f"trajectory ur5 {VIA} --duration 1 --limits elbow.velocity=1", "near: elbow_joint"),
    (f"trajectory ur5 {VIA} --duration 1 --limits velocity=-1", "'velocity=-1' must be a positive number"),
    (f"trajectory ur5 {VIA} --duration 1 --limits velocity=fast", "'velocity=fast' must be a positive number"),
    ("trajectory ur5 --via none.csv --duration 1", "none.csv: no such file"),
    ("trajectory ur5 --via 1,2,3 --duration 1", "--via has 3 numbers, but 6 are required"),
    ("excite planar:2 --box tip=1,2,3", "--box: 'tip=1,2,3' is not NAME=LOWEST:HIGHEST"),
    ("excite planar:2 --box tip=a:b", "--box"),
    ("excite planar:2 --position joint1=1", "--position: 'joint1=1'"),
    ("excite planar:2 --limits jerk=3", "not of jerk"),
    ("excite planar:2 --limits acceleration=10 --criterion e", "criterion must be one of d, condition"),
    ("excite planar:2 -o excitation.xls", "by the suffix"),
    ("export planar:2 mas_matrix -o new/er", "no function 'mas_matrix' of a robot; near: mass_matrix"),
    ("export planar:2 jacobian -o new/er", "jacobian needs a link: --frame tip"),
    ("export planar:2 jacobian --frame tipp -o new/er", "no link 'tipp'; near: tip"),
    ("export planar:2 mass_matrix --language fortran -o new/er", "--language must be c or c++"),
    ("export planar:2 mass_matrix --dtype int8 -o new/er", "float64 or float32, not int8"),
    ("export planar:2 mass_matrix --layout diagonal -o new/er", "layout must be"),
    ("export planar:2 mass_matrix -o a.csv", "a.csv"),
    ("export planar:2 mass_matrix -o a.csv/a.c", "File exists"),
    ("view planar:2 --html a.png", "recordings are written as .html"),
    ("view planar:2 missing.csv", "missing.csv"),
    ("view planar:2 none.q.csv", "no time column"),
    ("view planar:2 once.csv", "increasing"),
    ("view planar:2 --host 203.0.113.7", "cannot listen"),
    ("view planar:2 --port 70000", "port is 70000"),
    ("view ur5 --q elbow=1 --html b.html", "--q: there is no 'elbow'"),
    ("identify arm.toml none.csv", "none.csv"),
    ("identify arm.toml a.csv --estimator best", "unknown estimator 'best'; available: weighted, ordinary, huber"),
    ("identify arm.toml a.csv --joints jiont1", "there is no joint 'jiont1'; near: joint1"),
    ("identify arm.toml a.csv --only jiont1", "there is no parameter, link or joint 'jiont1'; near: joint1"),
    ("identify arm.toml a.csv -o model.txt", "robots are written as .urdf, .xml, .toml"),
    ("identify arm.toml a.csv --report report.pdf", "reports are written as .html"),
    ("identify arm.toml a.csv -o none/model.urdf", "there is no folder none"),
    ("identify arm.toml a.csv -o arm.toml", "the same file as arm.toml"),
    ("identify arm.toml a.csv --validate b.csv -o a.csv", "the same file as a.csv"),
    ("identify arm.toml a.csv --columns q=q{n},tau=u{n}", "names columns of q and tau: repeat --columns for tau"),
    ("identify arm.toml a.csv --columns q", "--columns: 'q' is not a .toml file, QUANTITY=COLUMNS"),
    ("identify arm.toml a.csv --columns none.toml", "none.toml: cannot be read: No such file"),
    ("identify arm.toml a.csv --columns bad.toml", "bad.toml: not TOML"),
    ("identify arm.toml a.csv --columns odd.toml", "odd.toml: unknown key 'colums'; available: columns, units"),
    ("identify arm.toml a.csv --columns motor.toml", "motor_side: unknown key 'ratio'; available: ratios, offset"),
    ("identify arm.toml a.csv --columns drive.toml", "coupled_drives: each needs a name and a direction"),
    ("identify arm.toml a.csv --columns five.toml", "coupled_drives: each needs a name and a direction"),
    ("identify arm.toml a.csv --columns three.toml", "'m' has 3 components, but the robot has 2 coordinates"),
    ("identify arm.toml a.csv --columns times.toml", "--times: give a first time and a later last time"),
    ("identify arm.toml a.csv --columns joints.toml", "joints must be a list of names, not []"),
    ("identify arm.toml a.csv --columns q=x_{n}", "x_1"),
    ("identify arm.toml a.csv --times 5,1", "--times: give a first time and a later last time"),
    ("identify arm.toml a.csv --times 500,600", "--times: no log has samples from 500 to 600 s"),
    ("identify arm.toml a.csv --gains 2", "--gains has 1 numbers, but 2 are required"),
    ("identify arm.toml words.csv", "words.csv"),
    ("identify arm.toml empty.csv", "empty.csv"),
    ("identify arm.toml a.csv --flip elbow", "--flip: there is no 'elbow'; available: all, and 'joint1', 'joint2'"),
    ("identify arm.toml a.csv --flip qd.joint1", "--flip: there is no 'qd.joint1'"),
    ("identify arm.toml a.csv --delay soon", "--delay must be seconds or auto, not 'soon'"),
    ("identify arm.toml a.csv --columns q=position", "the pattern 'position' for q needs {n} (from 1), {n0} (from 0)"),
    ("identify arm.toml a.csv --columns q=none", "Name them with --columns q=COLUMN,COLUMN"),
    ("identify arm.toml a.csv --rate 9", "it has a time column, so omit --rate, or give --columns t=none"),
    ("identify arm.toml a.csv --columns t=none", "name it with --columns t=COLUMN, or give --rate [Hz]"),
    ("identify arm.toml a.csv --estimator instrumental", "needs --controller, --reference, --position-gains, --veloc"),
    ("identify arm.toml a.csv --controller pd", "--controller requires an estimator that simulates the loop: instr"),
    (f"identify arm.toml a.csv {LOOP} --reference motion.csv --position-gains 600", "has 1 numbers"),
    (f"identify arm.toml a.csv {LOOP} --reference motion.csv --controller pid", "not 'pid'"),
    (f"identify arm.toml a.csv {LOOP} --reference short.csv", "it must cover the times of the log"),
    ("identify arm.toml a.csv --in-flight --columns wrench.tip=f_{axis}", "--in-flight is for robots without contact"),
    ("identify arm.toml a.csv --momentum 0.1", "momentum requires a floating base"),
    ("identify arm.toml a.csv --columns wrench.tip=f_{axis}", "has no column 'f_mx'"),
    ("payload arm.toml a.csv --link hand", "hand"),
    ("payload arm.toml a.csv --link tip -o a.csv", "same file as a.csv"),
    ("payload arm.toml a.csv --link tip --without none.csv", "none.csv"),
]  # fmt: skip
"""Command lines and parts of their messages."""
REFUSED = [
    ("equations ur5 -o a.pdf", "equations are written as .tex, .md, by the suffix, not as '.pdf'"),
    ("equations ur5 --latex -o a.md", "equations are written as .tex, by the suffix, not as '.md'"),
    ("equations ur5 -o none/a.tex", "none/a.tex: cannot be written: there is no folder none"),
    ("equations ur5 --show M,N", "equations have no 'N'; available: M, C, g"),
    ("simulate ur5 --duration 1 -o a.xls", "a.xls"),
    ("simulate ur5 --duration 1 --plot a.doc", "a.doc: pictures are written as .png, .svg or .pdf"),
    ("simulate ur5 --duration 0.5 --step 1", "--step of 1 s is longer than the --duration of 0.5 s"),
    ("count ur5 --plot none/a.png", "there is no folder none"),
    ("torque ur5 none.csv -o a.xyz", "tables are written as .csv, .parquet, .pq, by the suffix, not as '.xyz'"),
    ("torque ur5 none.csv -o torques", "not as 'torques'"),
    ("torque ur5 none.csv -o none/a.csv", "there is no folder none"),
    ("torque ur5 none.csv --plot none/a.png", "there is no folder none"),
]
"""Those that fail before any work."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read."""
    place, arm, t = tmp_path_factory.mktemp("errors"), revolute.robots.planar(2), np.arange(2000) / 200
    w = np.array([2.0, 5.0])
    x = np.outer(t, w)
    q, qd, qdd = 1 - np.cos(x), np.sin(x) * w, np.cos(x) * w**2
    trajectory.write(place / "a.csv", ["t", "q1", "q2", "tau1", "tau2"], t, q, arm.inverse_dynamics(q, qd, qdd))
    names = ["t", *(f"{quantity}.joint{k}" for quantity in ("q", "qd", "qdd") for k in (1, 2))]
    trajectory.write(place / "motion.csv", names, t, q, qd, qdd)
    trajectory.write(place / "short.csv", names, *(x[:500] for x in (t, q, qd, qdd)))
    revolute.save(arm, place / "arm.toml")
    for name, text in TEXTS.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize(("words", "message"), ERRORS, ids=[words for words, _ in ERRORS])
def test_an_error_is_one_line_and_leaves_no_file(
    words: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    said, error = run(*words.split(), status=1)
    assert error.startswith("Error: ") and message in error and error.count("\n") == 1
    assert said == "" and {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[words for words, _ in REFUSED])
def test_what_cannot_be_written_is_refused_before_the_work(
    words: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("equations", "simulate", "kernel", "count"):
        monkeypatch.setattr(revolute.Robot, name, None)
    test_an_error_is_one_line_and_leaves_no_file(words, message, folder, monkeypatch)
