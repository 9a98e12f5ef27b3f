"""What the shell offers at the end of a line, and that it imports little for that.

`python tests/cli/test_completion.py` writes the names of the library anew, to `completion.NAMES`.
"""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import revolute
from revolute.cli.commands import closed_loops, completion, control, export, trajectory
from revolute.errors import RevoluteError
from revolute.identification.fitting import CLOSED_LOOP, ESTIMATORS
from revolute.library import packaged
from revolute.library.named import named_robot
from revolute.machine.robot import Robot
from revolute.published import FORMULATIONS
from revolute.published.counting import OURS
from revolute.simulate import ADAPTIVE, FIXED
from revolute.symbolic.show import QUANTITIES
from revolute.targets.llvm.cross import PROCESSORS

COMPLETE = """
import os, sys
sys.argv[0] = "revolute"
from revolute.cli.app import app
os.environ["_REVOLUTE_COMPLETE"] = "complete_bash"
for line in sys.argv[1:]:
    os.environ |= {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    try:
        app(prog_name="revolute")
    except SystemExit:
        print(end=";")
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
COMPLETED = {
    "revolute info u": ["ur10", "ur10e", "ur3", "ur5", "ur5_description", "ur5e"],
    "revolute info p": ["panda", "panda_description", "parts/", "pendulum.urdf", "planar", "pr2", "puma560"],
    "revolute check parts/": ["parts/leg.xml"],
    "revolute torque ur5 t.csv --base f": ["fixed", "free"],
    "revolute simulate ur5 --method R": ["RK45", "Radau"],
    "revolute simulate ur5 --controller p": ["passivity_based", "pd_with_gravity"],
    "revolute simulate ur5 --contact to": ["tool0="],
    "revolute simulate pendulum.urdf --q0 ": ["rail=", "swing="],
    "revolute simulate pendulum.urdf --q0 rail=1,s": ["rail=1,swing="],
    "revolute count ur5 --algorithm luh": ["luh_walker_paul"],
    "revolute export ur5 inverse_dynamics mass_matrix_": [
        "mass_matrix_inverse", "mass_matrix_partials", "mass_matrix_rate", "mass_matrix_regressor"
    ],
    "revolute export ur5 jacobian --frame wrist_3": ["wrist_3_link"],
    "revolute export ur5 jacobian --target cortex-m": ["cortex-m33", "cortex-m4", "cortex-m7"],
    "revolute ik pendulum.urdf --frame ": ["base", "bob", "cart"],
    "revolute ik parts/leg.xml --frame f": ["foot", "foot_site"],
    "revolute ik saved.toml --frame ": ["base", "link1", "link2", "tip"],
    "revolute ik none.urdf --frame f": [],
    "revolute identify ur5 log.csv --joints elbow_joint,wrist_1": ["elbow_joint,wrist_1_joint"],
    "revolute equations ur5 --show M,ch": ["M,christoffel"],
}  # fmt: skip
"""What bash offers at the end of a line."""
PENDULUM = """<robot name="p"><link name="base"/><link
  name='cart'/><link name="bob"/><joint type="prismatic" name="rail"/><joint name="swing" type="revolute"/></robot>"""
LEG = '<mujoco><worldbody><body name="foot"><joint name="ankle"/><site name="foot_site"/></body></worldbody></mujoco>'


def names() -> dict[str, Any]:
    """The names of the library by their kinds."""
    functions = [name for name, x in Robot.functions().items() if not x.internal]
    return {
        "robots": {name: parts(name) for name in revolute.robots.__all__}, "bases": ["fixed", "free"],
        "methods": [*FIXED, *ADAPTIVE], "trajectories": [*trajectory.KINDS],
        "estimators": [*ESTIMATORS, *CLOSED_LOOP], "controllers": [*closed_loops.CONTROLLERS],
        "laws": [*control.LAWS], "criteria": ["d", "condition"], "equations": [*QUANTITIES], "functions": functions,
        "algorithms": [*dict.fromkeys((*OURS.values(), *FORMULATIONS))], "processors": [*PROCESSORS, "native"],
        "languages": [*export.LANGUAGES], "dtypes": ["float64", "float32"], "layouts": ["row", "column"],
        "sincos": ["math.h", "own"], "packaged": packaged.names(),
    }


def parts(name: str) -> dict[str, list[str]]:
    """Links and joints of a robot of the library; none where it needs arguments."""
    try:
        robot = named_robot(name)
    except RevoluteError:
        return {"links": [], "joints": []}
    return {"links": list(robot.link_names), "joints": list(robot.joint_names)}


def test_the_names_that_are_offered_are_those_of_the_library() -> None:
    kept = json.loads(completion.NAMES.read_text(encoding="utf-8"))
    assert kept == names(), "run `python tests/cli/test_completion.py`"


def completed(lines: list[str], folder: Path) -> tuple[list[list[str]], set[str]]:
    """What is offered at the end of each line, sorted; and the packages that were imported."""
    environment = os.environ | {"PYTHONPATH": str(Path(revolute.__file__).parents[1])}
    command = [sys.executable, "-c", COMPLETE, *lines]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    return [sorted(part.split()) for part in done.stdout.split(";")[:-1]], set(done.stderr.split())


def test_the_shell_completes_names_and_imports_no_numbers_for_that(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("plan.txt", "parts/leg.stl", ".private.urdf"):
        (tmp_path / name).touch()
    (tmp_path / "pendulum.urdf").write_text(PENDULUM)
    (tmp_path / "parts" / "leg.xml").write_text(LEG)
    revolute.save(revolute.robots.planar(2), tmp_path / "saved.toml")
    offered, loaded = completed(list(COMPLETED), tmp_path)
    assert dict(zip(COMPLETED, offered, strict=True)) == {line: sorted(x) for line, x in COMPLETED.items()}
    assert "typer" in loaded and not loaded & {"numpy", "llvmlite", "scipy", "sympy", "rich"}


def test_links_of_arms_with_arguments_are_those_of_the_arm(tmp_path: Path) -> None:
    assert completed(["revolute ik planar:3 --frame link"], tmp_path)[0] == [["link1", "link2", "link3"]]


if __name__ == "__main__":
    lines = [json.dumps({key: value})[1:-1] for key, value in names().items()]
    filled = [textwrap.fill(line, 120, break_long_words=False, break_on_hyphens=False) for line in lines]
    completion.NAMES.write_text("{\n" + ",\n".join(filled) + "\n}\n", encoding="utf-8")
