"""Generated code on a Cortex-M4 and M7 that QEMU emulates: C by gcc, and the object file that LLVM wrote."""

import shutil
import subprocess
from pathlib import Path

import pytest

import revolute

TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {' and '.join(TOOLS)}"),
]

FLAGS = "-mthumb -mfloat-abi=hard -O2 -Wall -Wextra -Wconversion -Werror"
BOARDS = {"cortex-m4": ("mps2-an386", "fpv4-sp-d16", "float32"), "cortex-m7": ("mps2-an500", "fpv5-d16", "float64")}
"""{processor: board of the emulator, floating-point unit, numbers that it computes with}."""
LINKER = """
ENTRY(reset)
MEMORY { CODE (rx) : ORIGIN = 0x0, LENGTH = 4M  DATA (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > CODE
  .ARM.exidx : { *(.ARM.exidx*) } > CODE
  .data : { *(.data*) } > DATA
  .bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; } > DATA
  end = .; __end__ = .;
}
"""
START = """
void _start(void); void _init(void); void _fini(void); void reset(void); void fault(void);
void _init(void) {}
void _fini(void) {}
void fault(void) { for (;;) {} }
void reset(void)  /* with the floating-point unit on */
{
    *(volatile unsigned *)0xE000ED88 |= 0xFu << 20;
    __asm volatile("dsb\\nisb");
    _start();
}
__attribute__((section(".vectors"), used)) void (*const vectors[])(void) = {
    (void (*)(void))0x20300000, reset, fault, fault};
"""
COUNT = """
#include "arm.h"
#include <stdio.h>
int main(void)  /* the timer counts 25 MHz, and the emulator a nanosecond for each instruction */
{
    static float x[6] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f}, tau[6];
    volatile unsigned *const timer = (volatile unsigned *)0xE000E010;
    unsigned begin;
    timer[1] = 0xFFFFFF; timer[2] = 0; timer[0] = 5;
    begin = timer[2];
    for (int k = 0; k < 1000; k++) arm_inverse_dynamics(x, x, x, tau);
    printf("%u\\n", ((begin - timer[2]) & 0xFFFFFF) * 40 / 1000);
    return 0;
}
"""


def output_of(processor: str, folder: Path, *sources: str) -> str:
    """What a program prints."""
    name, unit, _ = BOARDS[processor]
    (folder / "link.ld").write_text(LINKER)
    (folder / "start.c").write_text(START)
    gcc = ["arm-none-eabi-gcc", f"-mcpu={processor}", f"-mfpu={unit}", *FLAGS.split()]
    library = ["--specs=rdimon.specs", "-nostartfiles", "-T", "link.ld"]
    first = subprocess.check_output([*gcc, "-print-file-name=rdimon-crt0.o"], text=True).strip()
    build = [*gcc, *library, "start.c", *sources, first, "-lm", "-o", "program.elf"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    board = ["-M", name, "-cpu", processor, "-nographic", "-icount", "shift=0"]
    semihosting = ["-semihosting-config", "enable=on,target=native"]
    run = ["qemu-system-arm", *board, *semihosting, "-kernel", "program.elf"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("processor", BOARDS)
def test_the_dynamics_of_a_ur5(tmp_path: Path, processor: str) -> None:
    names, dtype = ["inverse_dynamics", "forward_dynamics"], BOARDS[processor][2]
    revolute.robots.ur5().to_c(names, tmp_path / "arm.c", dtype=dtype, target=processor)
    for code in ("arm.c", "arm.o"):
        assert output_of(processor, tmp_path, "arm_test.c", code).count("right") == 2


@pytest.mark.parametrize("code", ["arm.c", "arm.o"])
def test_a_cortex_m4_takes_less_than_a_thousand_instructions(tmp_path: Path, code: str) -> None:
    revolute.robots.ur5().to_c("inverse_dynamics", tmp_path / "arm.c", dtype="float32", target="cortex-m4")
    (tmp_path / "count.c").write_text(COUNT)
    count = int(output_of("cortex-m4", tmp_path, "count.c", code))
    assert count < 1000  # 345 products, sums and functions, loads and stores


def test_the_object_file_of_a_ur5_is_small(tmp_path: Path) -> None:
    *_, made = revolute.robots.ur5().to_c("inverse_dynamics", tmp_path / "arm.c", dtype="float32", target="cortex-m4")
    assert made.stat().st_size <= 12_000
