"""Files of the project beside its code say what `pyproject.toml` says."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import revolute

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"bench", "bridges", "dev", "dist", "docs", "site", "test"}
"""Extras of `make`'s targets: pages for users leave them out."""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_stands_everywhere() -> None:
    assert revolute.__version__ == PROJECT["version"]
    assert f"\nversion: {PROJECT['version']}\n" in read("CITATION.cff")
    assert f"\nlicense: {PROJECT['license']}\n" in read("CITATION.cff")
    assert f"revolute-{PROJECT['version']}-py3-none-any.whl" in read("docs/install.md")


def test_the_page_on_installing_has_every_extra() -> None:
    table = read("docs/install.md").split("## Extras")[1].split("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert named == set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS


CLAIMED = {row.rsplit(" ", 1)[1] for row in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", row)}


def test_pages_tell_of_the_pythons_that_the_project_claims() -> None:
    table = read("docs/install.md").split("## Where it runs")[1].split("\n## ")[0]
    assert set(re.findall(r"\b3\.\d+\b", table)) == CLAIMED
    assert f">={min(CLAIMED, key=lambda v: int(v[2:]))}" == PROJECT["requires-python"]


def test_a_source_distribution_has_the_files_that_pages_name() -> None:
    include = tomllib.loads(read("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all((ROOT / name).exists() for name in include)
    assert {"CITATION.cff", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"} <= set(include)


def test_issue_templates_ask_for_what_is_needed() -> None:
    templates = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(templates) == 3
    for template in templates:
        text = template.read_text(encoding="utf-8")
        assert re.match(r"name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n", text), template.name
        assert len(re.findall(r"^  - type: (?:textarea|input)$", text, re.MULTILINE)) == text.count("    id: ")


def test_workflows_pin_actions_by_their_hash() -> None:
    """A tag can be moved to other code; the version stands beside the hash for people."""
    workflows = "".join(x.read_text(encoding="utf-8") for x in (ROOT / ".github" / "workflows").glob("*.yml"))
    used = re.findall(r"uses: (.*)", workflows)
    assert len(used) >= 7
    assert [x for x in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", x)] == []


SYSTEMS = {"ubuntu": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}
"""Classifiers of the systems that workflows name."""


def test_classifiers_are_the_systems_that_are_tested() -> None:
    (matrix,) = re.findall(r"system: \[(.*)\]", read(".github/workflows/tests.yml"))
    tested = {SYSTEMS[system.partition("-")[0]] for system in matrix.split(", ")}
    system = "Operating System :: "
    assert tested == {row.removeprefix(system) for row in PROJECT["classifiers"] if row.startswith(system)}


def test_workflows_run_targets_of_the_makefile_on_every_python_that_the_project_claims() -> None:
    yaml = pytest.importorskip("yaml")
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    jobs = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"] for path in workflows}
    assert set(jobs["tests"]["test"]["strategy"]["matrix"]["python"]) == CLAIMED
    assert jobs["release"]["publish"]["permissions"] == {"id-token": "write"}
    commands = [step["run"] for x in jobs.values() for job in x.values() for step in job["steps"] if "run" in step]
    targets = {word for command in commands if command.startswith("make") for word in command.split()[-1:]}
    known = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    assert targets == {"check", "dist", "docs", "test"} <= known


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(("system", "folder"), [("Windows_NT", "Scripts"), ("", "bin")])
def test_make_finds_programs_where_the_system_has_them(system: str, folder: str) -> None:
    command = ["make", "--dry-run", f"OS={system}", "VENV=env", "check"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"\nenv/{folder}/python -m mypy\n" in run.stdout
