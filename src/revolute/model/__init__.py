"""The description of a robot as data: bodies, joints, frames, gravity, closures. Recursions read it."""
