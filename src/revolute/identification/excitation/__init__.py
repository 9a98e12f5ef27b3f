"""Exciting motions: Fourier trajectories that determine parameters best, within limits; what a log excites."""
