"""Exciting motions: Fourier trajectories that are optimal for identification within limits."""
