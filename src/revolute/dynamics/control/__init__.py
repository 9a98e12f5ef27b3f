"""Control laws, over any scalar: joint forces from a state and a reference."""
