"""What a graph can be turned into: a module a target."""
