"""Estimators that simulate the closed loop of a log: instrumental variables, direct inverse, output error."""
