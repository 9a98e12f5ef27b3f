"""Files that are written: no input, no other file and no older result is lost, whatever stands in the way."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises
from files import written
from processes import in_threads, printed
from typer.testing import CliRunner
from writers import PLANAR, WRITERS

import revolute
from revolute.cli.app import app
from revolute.cli.commands.robots import robot_file
from revolute.cli.commands.targets import check_apart
from revolute.io import trajectory
from revolute.whole_file import whole_file, write_whole

STATES = "t,q.joint1,qd.joint1,qdd.joint1\n0,0.1,0.2,0.3\n0.1,0.2,0.3,0.4\n"
FORCES = "t,tau.joint1\n0,1\n1,1\n"
MODES = pytest.mark.skipif(os.name != "posix", reason="permissions and FIFOs of Unix")


def invoke(*arguments: object, status: int = 0) -> str:
    """Run a command here; its stdout, or its stderr if it is meant to fail."""
    result = CliRunner().invoke(app, [str(x) for x in arguments])
    assert result.exit_code == status, result.output
    return result.stderr if status else result.stdout


every_writer = pytest.mark.parametrize("name", WRITERS)


@every_writer
def test_no_name_is_guessed_and_nothing_is_left_behind(tmp_path: Path, name: str) -> None:
    """A link of the name that the temporary file once had leads to a file of somebody else."""
    bait, path = tmp_path / "bait", tmp_path / "out" / name
    bait.write_text("kept")
    path.parent.mkdir()
    link = path.with_name(name + ".part")
    link.symlink_to(bait)
    WRITERS[name](path)
    assert bait.read_text() == "kept" and link.is_symlink()
    assert {file.name for file in path.parent.iterdir()} == {name, link.name}


@pytest.mark.parametrize("name", [name for name in WRITERS if "picture" not in name])  # Matplotlib: one thread only
def test_four_writers_of_one_file_all_succeed(tmp_path: Path, name: str) -> None:
    expected, path = tmp_path / "alone" / name, tmp_path / "together" / name
    expected.parent.mkdir()
    path.parent.mkdir()
    WRITERS[name](expected)
    in_threads(lambda _: [WRITERS[name](path) for _ in range(2)], 4)
    assert [file.name for file in path.parent.iterdir()] == [name]
    assert path.read_bytes() == expected.read_bytes()


def test_writers_that_overlap_do_not_see_each_other(tmp_path: Path) -> None:
    """The first to begin ends last; each file was whole at every moment."""
    path = tmp_path / "a.csv"
    with trajectory.open_writer(path, ["first"]) as first:
        first.add(np.ones((2, 1)))
        with trajectory.open_writer(path, ["second"]) as second:
            assert not path.exists()
            second.add(np.zeros((1, 1)))
        assert path.read_text() == "second\n0.0\n"
        first.add(np.ones((1, 1)))
    assert path.read_text() == "first\n1.0\n1.0\n1.0\n"


@every_writer
def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path, name: str) -> None:
    real, link = tmp_path / "deep" / name, tmp_path / name
    real.parent.mkdir()
    for before in (None, "old"):  # first the link leads to nothing
        if before:
            real.write_text(before)
        link.unlink(missing_ok=True)
        link.symlink_to(Path("deep") / name)
        WRITERS[name](link)
        assert link.is_symlink() and not real.is_symlink()
        assert real.read_bytes() not in (b"", b"old")
        assert [file.name for file in real.parent.iterdir()] == [name]


@MODES
@every_writer
def test_permissions_are_those_of_the_umask_or_of_the_file_before(tmp_path: Path, name: str) -> None:
    path, before = tmp_path / name, os.umask(0o027)
    try:
        for mode in (0o640, 0o604):
            WRITERS[name](path)
            assert stat.S_IMODE(path.stat().st_mode) == mode
            path.chmod(0o604)
    finally:
        os.umask(before)


@MODES
def test_what_replaces_a_secret_file_is_secret_from_the_start(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "old")
    path.chmod(0o600)
    with whole_file(path):
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        assert len(list(tmp_path.iterdir())) == 2 and modes == {0o600}


@MODES
@every_writer
def test_a_fifo_is_written_to_and_stays(tmp_path: Path, name: str) -> None:
    fifo, plain = tmp_path / "fifo" / name, tmp_path / name
    fifo.parent.mkdir()
    os.mkfifo(fifo)
    read, _ = in_threads(lambda k: WRITERS[name](fifo) if k else fifo.read_bytes(), 2)
    WRITERS[name](plain)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert [file.name for file in fifo.parent.iterdir()] == [name]
    assert read == plain.read_bytes() or plain.suffix == ".svg"  # Matplotlib draws names of elements by lot


@MODES
def test_standard_output_is_written_to_even_where_it_is_a_file(tmp_path: Path) -> None:
    """The shell has opened that file. What else is printed there belongs around what is written."""
    link, log = tmp_path / "tau.csv", tmp_path / "log"
    link.symlink_to("/dev/stdout")
    (tmp_path / "q.csv").write_text(STATES)
    program = f"""
from revolute.io import trajectory
from revolute.whole_file import write_whole
import numpy as np
print("before", flush=True)
write_whole("/dev/stdout", "by name\\n")
trajectory.write({str(link)!r}, ["a"], np.ones(1))
print("after", flush=True)
"""
    for mode in "wa":
        with log.open(mode) as stream:
            subprocess.run([sys.executable, "-c", program], stdout=stream, check=True, timeout=120)
    assert log.read_text() == 2 * "before\nby name\na\n1.0\nafter\n"
    assert {file.name for file in tmp_path.iterdir()} == {"tau.csv", "log", "q.csv"}


@MODES
@every_writer
def test_folders_and_loops_of_links_are_named_and_left_alone(tmp_path: Path, name: str) -> None:
    folder, loop = tmp_path / "a" / name, tmp_path / name
    folder.mkdir(parents=True)
    loop.symlink_to(loop.name)
    for path in (folder, loop, tmp_path / "none" / name):
        assert_raises((revolute.InputError, OSError), name.replace(".", r"\."), WRITERS[name], path)
    assert folder.is_dir() and loop.is_symlink() and list(folder.iterdir()) == []
    assert {file.name for file in tmp_path.iterdir()} == {"a", name}


def written_by(user: int, groups: list[int], folder: str, *names: str) -> subprocess.CompletedProcess[str]:
    """What comes of writing "new" to files of a folder. Root may write all files, so it becomes this user first."""
    program = f"""
import os
from revolute.whole_file import write_whole
if os.getuid() == 0:
    os.setgroups({groups}), os.setgid({user}), os.setuid({user})
os.chdir({folder!r})
for name in {names}:
    write_whole(name, "new")
"""
    return subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=120)


@MODES
@pytest.mark.parametrize(
    ("mode", "folders", "reason"),
    [(0o444, 0o777, "the file is read-only"), (0o666, 0o555, "Permission denied: its folder is not writable")],
)
def test_a_read_only_file_or_folder_is_kept_and_named(mode: int, folders: int, reason: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = written(Path(folder, "a.txt"), "kept")
        kept.chmod(mode)
        os.chmod(folder, folders)
        done = written_by(12345, [], folder, "a.txt")
        assert done.returncode == 1 and done.stderr.endswith(f"{reason}: 'a.txt'\n"), done.stderr
        assert kept.read_text() == "kept" and list(Path(folder).iterdir()) == [kept]
        os.chmod(folder, 0o755)


@MODES
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become others")
def test_a_file_of_a_group_stays_with_it_or_loses_its_rights() -> None:
    """A member keeps the file in its group. Who is none leaves nothing to a group that had no rights."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        for name, group in (("ours.txt", 2000), ("theirs.txt", 3000)):
            path = written(Path(folder, name), "old")
            path.chmod(0o666)
            os.chown(path, 1001, group)
        written_by(1002, [2000], folder, "ours.txt", "theirs.txt").check_returncode()
        found = {path.name: path.stat() for path in Path(folder).iterdir()}
        assert {(name, x.st_gid, oct(x.st_mode & 0o777)) for name, x in found.items()} == {
            ("ours.txt", 2000, "0o666"), ("theirs.txt", 1002, "0o606"),
        }  # fmt: skip


def test_a_name_that_ends_as_a_folder_does_is_no_file(tmp_path: Path) -> None:
    assert_raises(OSError, "Is a directory", write_whole, f"{tmp_path}{os.sep}new.txt{os.sep}", "x")
    assert list(tmp_path.iterdir()) == []


def spellings(path: Path, suffix: str) -> dict[str, Path]:
    """Names of the same file that end in a suffix."""
    folder = path.parent
    hard, soft, twice = (folder / f"{kind}{suffix}" for kind in ("hard", "soft", "twice"))
    os.link(path, hard)
    soft.symlink_to(path.name)
    twice.symlink_to(soft.name)
    (folder / "sub").mkdir()
    return {"hard link": hard, "link": soft, "link of a link": twice, "detour": folder / "sub" / ".." / soft.name}


COMMANDS: dict[str, tuple[str, str, str]] = {
    "torque -o": ("in.csv", ".csv", "torque planar:1 IN -o OUT"),
    "torque --plot": ("in.csv", ".png", "torque planar:1 IN --plot OUT"),
    "torque robot -o": ("arm.urdf", ".csv", "torque IN other.csv -o OUT"),
    "torque robot --plot": ("arm.urdf", ".svg", "torque IN other.csv --plot OUT"),
    "simulate -o": ("tau.csv", ".csv", "simulate planar:1 --tau IN -o OUT"),
    "simulate --plot": ("tau.csv", ".pdf", "simulate planar:1 --tau IN --plot OUT"),
    "simulate robot -o": ("arm.urdf", ".csv", "simulate IN --duration 0.1 -o OUT"),
    "simulate robot --plot": ("arm.urdf", ".png", "simulate IN --duration 0.1 --plot OUT"),
    "trajectory -o": ("in.csv", ".csv", "trajectory planar:1 --via IN -o OUT"),
    "trajectory --plot": ("in.csv", ".png", "trajectory planar:1 --via IN --plot OUT"),
    "equations -o": ("arm.urdf", ".md", "equations IN -o OUT"),
    "count --plot": ("arm.urdf", ".png", "count IN --algorithm mass_matrix --plot OUT"),
}


@pytest.mark.filterwarnings("ignore:robot .*URDF does not support gravity")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_its_input(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, suffix, arguments = COMMANDS[command]
    contents = {"in.csv": STATES, "tau.csv": FORCES, "arm.urdf": PLANAR.to_urdf(), "other.csv": STATES}
    monkeypatch.chdir(tmp_path)
    for each, content in contents.items():
        Path(each).write_text(content)
    names = {"itself": Path(name)} if Path(name).suffix == suffix or not suffix else {}
    for how, output in (spellings(tmp_path / name, suffix) | names).items():
        given = [{"IN": name, "OUT": output}.get(word, word) for word in arguments.split()]
        error = invoke(*given, status=1)
        assert f"{output}: the same file as {name}, which would be lost" in error, how
        assert {each: Path(each).read_text() for each in contents} == contents, how


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    source, table, drawn = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "out.png"
    source.write_text(STATES)
    drawn.symlink_to(table.name)  # which is not there yet
    error = invoke("torque", "planar:1", source, "-o", table, "--plot", drawn, status=1)
    assert f"{drawn}: the same file as {table}; name two different files" in error
    assert not table.exists()


def test_a_robot_of_the_library_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that happens to have its name is not read, and may be written."""
    monkeypatch.chdir(tmp_path)
    Path("planar:1").write_text("old page")
    check_apart([robot_file("planar:1"), None], [Path("planar:1"), None])
    assert_raises(revolute.InputError, "would be lost", check_apart, [robot_file("./planar:1")], [Path("planar:1")])


@MODES
def test_a_command_that_is_ended_leaves_nothing_behind(tmp_path: Path) -> None:
    """The signal comes while the table is being written."""
    program = """
import os, signal, sys
import revolute
from revolute.cli.app import app
from revolute.cli.commands import torque
revolute.robots.planar(1).inverse_dynamics([0.0], [0.0], [0.0])  # imports what the children need
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
states = torque.open_states

class Ended:
    def __init__(self, *arguments):
        self.columns, self.notes = states(*arguments).columns, []
    def blocks(self, report):
        print(len([name for name in os.listdir() if name.endswith(".part")]), flush=True)
        os.kill(os.getpid(), getattr(signal, name))
        signal.pause()
        yield
torque.open_states = Ended
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        os.chdir(name)
        os.dup2(os.open(f"../{name}.stderr", os.O_WRONLY | os.O_CREAT), 2)
        app(["torque", "planar:1", "in.csv", "-o", "out.csv"])
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
    names = ("SIGTERM", "SIGHUP", "SIGINT")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "in.csv").write_text(STATES)
        (tmp_path / name / "out.csv").write_text("old")
    words = [sys.executable, "-c", program, *names]
    told = subprocess.check_output(words, cwd=tmp_path, text=True, timeout=120).split()
    for name, parts, status in zip(names, told[0::2], map(int, told[1::2]), strict=True):
        said = (tmp_path / f"{name}.stderr").read_text()
        assert parts == "1" and status != 0 and "Traceback" not in said, name
        if name != "SIGINT":
            assert (status, said) == (128 + getattr(signal, name), ""), name
        left = {file.name: file.read_text() for file in (tmp_path / name).iterdir()}
        assert left == {"in.csv": STATES, "out.csv": "old"}, name


@MODES
def test_an_ignored_hangup_stays_ignored_and_handlers_come_back() -> None:
    """As under `nohup`."""
    program = """
import os, signal
from revolute.cli.app import app
from revolute.cli.root import orderly_end
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with orderly_end():
    assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    os.kill(os.getpid(), signal.SIGHUP)
assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
print("alive")
"""
    assert printed(program) == "alive\n"
