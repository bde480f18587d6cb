"""The steps of a run. Each file is one step: its options, their check, its models, and its stage."""
