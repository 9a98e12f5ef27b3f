"""The thumbnails of the gallery of guides."""
