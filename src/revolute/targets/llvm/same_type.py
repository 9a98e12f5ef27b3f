"""The function `same_type` in machine code: whether two of NumPy's descriptors are of one type of numbers."""

from __future__ import annotations

from revolute.targets.llvm.objects import DESCRIPTOR_TYPE

__all__ = ["SAME_TYPE"]

SAME_TYPE = f"""
; Arrays that were pickled have descriptors of their own; kind, character, byte order and number of the type are equal.
define internal i1 @same_type(ptr %a, ptr %b) alwaysinline nounwind {{
entry:
  %same = icmp eq ptr %a, %b
  br i1 %same, label %yes, label %look
look:
  %a.place = getelementptr i8, ptr %a, i64 {DESCRIPTOR_TYPE}
  %a.word = load i64, ptr %a.place
  %b.place = getelementptr i8, ptr %b, i64 {DESCRIPTOR_TYPE}
  %b.word = load i64, ptr %b.place
  %equal = icmp eq i64 %a.word, %b.word
  ret i1 %equal
yes:
  ret i1 true
}}
"""
