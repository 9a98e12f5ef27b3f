"""Compilation of functions to machine code for NumPy arrays: kernels, batches, fast calls, the disk cache."""
