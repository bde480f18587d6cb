"""`python -m nlmchem`: the same as the command `nlmchem`."""

from __future__ import annotations

from nlmchem.cli import main

if __name__ == "__main__":
    main()
