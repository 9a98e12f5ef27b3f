"""Functions of machines on Dask arrays and data frames, and on xarray arrays."""

from revolute.bridges.dask.functions import DaskFunction, DaskFunctions

__all__ = ["DaskFunction", "DaskFunctions"]
