"""Figures of the guides, thumbnails of their gallery, and figures of the texts."""
