"""Control laws, for any scalar type: joint forces computed from a state and a reference."""
