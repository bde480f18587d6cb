"""Greek letters and their English names, in the order of the alphabet."""

from __future__ import annotations

LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
NAME_OF = dict(zip(LETTERS, NAMES, strict=True))

FINAL_SIGMA = "ς"
MICRO = "µ"
"""The micro sign, U+00B5: another character than the letter mu, U+03BC."""
