"""The two ways in which work stops with something to tell the user."""


class InputError(Exception):
    """Bad input: the message names the file, the line or system, and what to do."""


class Missing(Exception):
    """A result that cannot exist, with the reason; it travels in place of the result."""
