"""The description of a robot as data, which recursions read: bodies, joints, frames, gravity, closures."""
