"""`revolute cache`: the machine code on disk."""

from functools import partial

from rich.console import Console

from revolute.cli.commands import screen
from revolute.compiler import cache, cached_files
from revolute.compiler.versions import processor_line
from revolute.errors import InputError


def run(clear: bool, console: Console) -> None:
    """Print the cache's folder, its number of kernels, and the processor. If `clear` is set, remove the kernels."""
    if (folder := cache.folder()) is None:
        raise InputError("there is no kernel cache: see the warning")
    say = partial(screen.say, console)
    files = cached_files.entries(folder)
    size = sum(status.st_size for _, status in files) / 2**20
    most = f"at most {cached_files.FILES:,}, {cached_files.BYTES / 2**20:.0f} MB"
    say(f"{folder}: {len(files):,} kernels, {size:.1f} MB; {most}")
    say(f"compiled for {processor_line()}")
    if clear:
        cached_files.clear(folder)
        say("All removed.")
