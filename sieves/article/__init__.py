"""What the article itself tells about a mention: its definitions and its other mentions."""
