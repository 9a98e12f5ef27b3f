"""Models of forces and their parameters: links, drives, friction, offsets, springs, wrenches; base parameters."""
