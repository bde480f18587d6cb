"""Downloads of public data: the only code that opens a network connection."""
