"""A loop for NumPy without floating-point warnings.

NumPy warns of the processor's exception flags, which vector code also sets for values that it discards: those of the
other branch of a choice, and those of lanes beyond the last row. So which rows warn would depend on the processor.
"""

from __future__ import annotations

__all__ = ["SILENT"]

SILENT = """
; Run the first of two functions as an inner loop, then the second, which clears the flags.
define void @silent(ptr %arguments, ptr %extents, ptr %steps, ptr %functions) {
  %loop = load ptr, ptr %functions
  call void %loop(ptr %arguments, ptr %extents, ptr %steps, ptr null)
  %second = getelementptr ptr, ptr %functions, i64 1
  %clear = load ptr, ptr %second
  call void %clear()
  ret void
}
"""
