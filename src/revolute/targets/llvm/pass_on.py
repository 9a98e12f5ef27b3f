"""The function `pass_on` in machine code: a call that a function does not take goes to its fallback."""

from __future__ import annotations

from revolute.targets.llvm.objects import (
    FASTCALL_KEYWORDS,
    FUNCTION_BOUND_TO,
    FUNCTION_METHOD,
    METHOD_CODE,
    METHOD_FLAGS,
    TYPE,
)

__all__ = ["PASS_ON"]

PASS_ON = f"""
; Builtin functions with the signature of our own are jumped to; Python calls all others.
define internal ptr @pass_on(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames) noinline nounwind {{
entry:
  %type = field %fallback {TYPE}
  %builtin.type = context builtin type
  %is.builtin = icmp eq ptr %type, %builtin.type
  br i1 %is.builtin, label %builtin, label %others
builtin:
  %method = field %fallback {FUNCTION_METHOD}
  %flags.place = getelementptr i8, ptr %method, i64 {METHOD_FLAGS}
  %flags = load i32, ptr %flags.place
  %is.fast = icmp eq i32 %flags, {FASTCALL_KEYWORDS}
  br i1 %is.fast, label %jump, label %others
jump:
  %code = field %method {METHOD_CODE}
  %bound = field %fallback {FUNCTION_BOUND_TO}
  %result = tail call ptr %code(ptr %bound, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %result
others:
  %vectorcall = context PyObject_Vectorcall
  %slow.result = tail call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %slow.result
}}
"""
