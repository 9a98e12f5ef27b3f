"""A robot as data, the input of all recursions: bodies, joints, frames, gravity, closures."""
