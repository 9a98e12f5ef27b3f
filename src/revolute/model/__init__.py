"""What a robot is: bodies, joints, frames, gravity, closures, as data that recursions read."""
