"""How well the tests notice small changes of the source: `make mutants`.

A mutant is the source with one small change. It is killed when a test fails, and survives when none does.
"""
