"""Control laws, over any scalar: joint forces computed from a state and a reference."""
