"""The loop for NumPy, without floating-point warnings.

NumPy warns of the processor's exception flags, which vector code also sets for values that it discards: those of the
other branch of a choice, and those of lanes beyond the last row. So which rows warn would depend on the processor.
"""

from __future__ import annotations

__all__ = ["silent_loop"]


def silent_loop() -> str:
    """`silent`: runs `loop`, then the function that it gets as the loop's data, which clears the flags."""
    return """
define void @silent(ptr %args, ptr %dims, ptr %steps, ptr %clear) {
  call void @loop(ptr %args, ptr %dims, ptr %steps, ptr null)
  call void %clear()
  ret void
}
"""
