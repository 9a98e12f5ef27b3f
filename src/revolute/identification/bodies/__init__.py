"""Links that are bodies that can exist, and payloads."""
