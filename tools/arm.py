"""Make an environment of 64-bit Arm for `make test-arm`: Debian's Python and wheels for aarch64, emulated by QEMU.

    python -m tools.arm build/arm
    build/arm/bin/python -m pytest tests/graph

`bin/python` is a shell script that starts QEMU's user mode with the Python below `root/`. Processes that tests start by
`sys.executable` are emulated too. Files that are not in `root/`, /proc among them, are this machine's. Packages are
unpacked, and their scripts are not run. So neither privileges nor mounts, a chroot or binfmt_misc are needed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = ("debootstrap", "qemu-aarch64-static")
PACKAGES = "python3,libgomp1"
"""Debian's, besides the smallest system. Pinocchio's wheel needs the second."""
WHEELS = ("pytest", "pytest-xdist", "hypothesis", "mpmath", "scipy", "daqp", "clarabel", "pin", "example-robot-data")
"""PyPI's. Of the extra `test`, Ruckig and toppra have no wheels for Linux on Arm, and these tests use no others."""
PLATFORMS = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, 29)]
CPU = "cortex-a72"
"""A Raspberry Pi 4's."""


def path_of(tool: str) -> str:
    """The path of a program."""
    found = shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin")
    if not found:
        raise SystemExit(f"{tool} is missing. Install it: apt-get install debootstrap qemu-user-static")
    return found


def mirror() -> tuple[str, str]:
    """Debian's release and mirror that this machine's apt uses."""
    main = ["Created-By: Packages", "Origin: Debian", "Component: main"]
    command = ["apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", *main]
    targets = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if not targets:
        raise SystemExit("apt knows no packages of Debian. Run apt-get update; other distributions are not supported.")
    return targets[0], targets[1]


def make_root(root: Path) -> None:
    """Unpack the programs and libraries of Debian's packages for arm64."""
    part = root.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    options = ["--download-only", "--arch=arm64", "--variant=minbase", f"--include={PACKAGES}"]
    release, uri = mirror()
    subprocess.run([path_of("debootstrap"), *options, release, part / "download", uri], check=True)
    unpack = ["tar", "-x", "--no-same-owner", "--keep-directory-symlink", "--wildcards", "--exclude=./[!lu]*"]
    for package in sorted(part.glob("download/var/cache/apt/archives/*.deb")):
        contents = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
        subprocess.run(unpack, input=contents, cwd=part, check=True)
    shutil.rmtree(part / "download")
    part.rename(root)


def make_scripts(bin_: Path, python: Path) -> None:
    """`python` and `revolute`: the kernel runs scripts, whatever their interpreter is."""
    root = python.parents[2]
    start = f'exec {path_of("qemu-aarch64-static")} -cpu {CPU} -L {root} -0 {bin_}/python {python} "$@"'
    scripts = {
        "python": f"#!/bin/sh\n{start}\n",
        "revolute": f"#!{bin_}/python\nfrom revolute.cli.app import app\n\napp()\n",
    }
    bin_.mkdir(exist_ok=True)
    for name, text in scripts.items():
        (bin_ / name).write_text(text)
        (bin_ / name).chmod(0o755)


def install(site: Path) -> None:
    """This project, as it stands here, and wheels that this machine's pip chooses for Arm and unpacks."""
    shutil.rmtree(site, ignore_errors=True)
    version = site.parent.name.removeprefix("python")
    for_arm = [f"--target={site}", "--only-binary=:all:", f"--python-version={version}", *PLATFORMS]
    quiet = ["--disable-pip-version-check", "--quiet", "--no-warn-conflicts"]
    pip = [sys.executable, "-P", "-m", "pip", "install", *quiet, *for_arm]
    subprocess.run([*pip, "--editable", ".", *WHEELS], check=True)


def main() -> None:
    """Make the environment in the given folder. A root that is there is used again."""
    folder = Path(sys.argv[1]).resolve()
    root = folder / "root"
    for tool in TOOLS:
        path_of(tool)
    folder.mkdir(parents=True, exist_ok=True)
    if not root.exists():
        make_root(root)
    python = root / "usr/bin" / os.readlink(root / "usr/bin/python3")
    (folder / "pyvenv.cfg").write_text(f"home = {python.parent}\n")
    make_scripts(folder / "bin", python)
    install(folder / "lib" / python.name / "site-packages")
    shown = "import platform, revolute; print(f'Revolute {revolute.__version__} on {platform.machine()}')"
    subprocess.run([folder / "bin/python", "-c", shown], check=True)


if __name__ == "__main__":
    main()
