"""What a command is: its options, its result, how it reports."""
