"""Scripts that make what ships with nlmchem, and measure it. They are not part of the wheel."""
