"""Robots in a browser, with viser: links, sliders, motions, recordings."""

from revolute.view.view import View, check_page, view

__all__ = ["View", "check_page", "view"]
