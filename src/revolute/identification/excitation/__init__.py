"""Exciting motions: Fourier trajectories that tell most about parameters, within limits; what a log excites."""
