"""Physically consistent parameters of links, and payloads."""
