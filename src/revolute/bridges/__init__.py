"""Bridges: functions of machines, callable from CasADi, Dask, JAX and PyTorch."""
