"""C and the object files that LLVM wrote, in programs for other processors, which QEMU runs on this system."""

import shutil
import subprocess
from pathlib import Path

import pytest

import revolute

PROCESSORS = {
    "armv7": ("arm-linux-gnueabihf-gcc", "qemu-arm"),
    "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
    "riscv64": ("riscv64-linux-gnu-gcc", "qemu-riscv64"),
}
"""{target: cross compiler, emulator}: packages gcc-* and qemu-user of Debian."""


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "sincos"), [("float64", "math.h"), ("float32", "own")])
@pytest.mark.parametrize("target", PROCESSORS)
def test_other_processors_compute_the_dynamics_of_a_ur5(tmp_path: Path, target: str, dtype: str, sincos: str) -> None:
    compiler, emulator = PROCESSORS[target]
    if not (shutil.which(compiler) and shutil.which(emulator)):
        pytest.skip(f"needs {compiler} and {emulator}")
    names = ["inverse_dynamics", "forward_dynamics", "jacobian"]
    revolute.robots.ur5().to_c(
        names, tmp_path / "arm.c", dtype=dtype, sincos=sincos, target=target, options={"jacobian": {"frame": "tool0"}}
    )
    for code in ("arm.c", "arm.o"):
        build = [compiler, "-std=c99", "-O2", "-static", "-o", "program", code, "arm_test.c", "-lm"]
        done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        done = subprocess.run([emulator, "program"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.stdout.count("right") == len(names), done.stdout + done.stderr
