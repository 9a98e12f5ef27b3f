"""Processes that the library starts do not import from the current folder, which may hold downloaded files."""

import ast
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OF_REPOSITORY = ("bench.", "pytest")
"""Modules that run with -m in the folder of the repository, and import from it."""

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>'
LOAD, COMPILE = "revolute.load('r.xacro')", "revolute.robots.planar(2).mass_matrix([0, 0])"
X86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="a processor of x86-64")


@pytest.mark.parametrize(("call", "module", "variables"), [
    (LOAD, "json", {}),
    (LOAD, "xacro", {}),
    pytest.param(COMPILE, "llvmlite", {"REVOLUTE_CPU": "haswell"}, marks=X86),
])  # fmt: skip
def test_a_module_beside_a_robot_does_not_run(
    call: str, module: str, variables: dict[str, str], tmp_path: Path
) -> None:
    if call == LOAD:
        pytest.importorskip("xacro")
    (tmp_path / "r.xacro").write_text(XACRO)
    (tmp_path / f"{module}.py").write_text("open('mark', 'w')\nraise SystemExit\n")
    command = [sys.executable, "-P", "-W", "ignore", "-c", f"import revolute; {call}"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True)
    assert not (tmp_path / "mark").exists()
    assert done.returncode == 0 or "processor lacks" in done.stderr, done.stderr


def unsafe(source: str) -> Iterator[str]:
    """Commands of a module that start Python without -P."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
            python, *words = [ast.unparse(word).strip("'") for word in node.elts[:3]]
            of_repository = words[:1] == ["-m"] and words[1].startswith(OF_REPOSITORY)
            if python == "sys.executable" and words[:1] != ["-P"] and not of_repository:
                yield ast.unparse(node)


def test_every_process_is_started_without_the_current_folder() -> None:
    started, wrong = 0, []
    for place in ("src", "bench", "tools"):
        for file in (ROOT / place).rglob("*.py"):
            text = file.read_text("utf-8")
            started += text.count("[sys.executable")
            wrong += [f"{file.relative_to(ROOT)}: {command}" for command in unsafe(text)]
            # every other use of the interpreter's path is known, so that no command hides in a variable
            uses = text.count("sys.executable") - text.count("[sys.executable") - text.count("Path(sys.executable)")
            assert uses == text.count("`sys.executable`"), file
            assert "ProcessPoolExecutor" not in text or place != "src", file
    assert wrong == [] and started >= 6


def test_a_command_without_the_option_is_found() -> None:
    assert [*unsafe("run([sys.executable, '-c', x])")] and [*unsafe("run([sys.executable, '-m', 'pip'])")]
    assert not [*unsafe("run([sys.executable, '-P', '-c', x])")]
