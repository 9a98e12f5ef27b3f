"""The recursions of the theory: one a file, in the books' letters, over any scalar."""
