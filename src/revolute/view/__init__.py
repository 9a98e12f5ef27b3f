"""Robots in three dimensions, in a browser: links, sliders, motions, recordings. With viser: the extra `view`."""

from revolute.view.view import View, check_page, view

__all__ = ["View", "check_page", "view"]
