"""Least squares of base parameters in bounded memory, and the statistics of their errors."""
