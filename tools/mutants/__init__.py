"""How well the tests notice small changes of the source: `make mutants`."""
