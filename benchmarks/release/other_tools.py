"""The section "Names" of docs/reference/comparison.md, from the table of `nlmchem.api.other_tools`.

python -m benchmarks.release.other_tools        # writes the section; a test compares it
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from nlmchem.api.other_tools import CALL, GUESSES, LENGTH, LOAD, PIPE, Guess

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "comparison.md"
BEGIN, END = "<!-- names: begin (python -m benchmarks.release.other_tools) -->", "<!-- names: end -->"
_FUNCTIONS = (LOAD, CALL, PIPE)


def section() -> str:
    """The table in Markdown: names with the same answer share a row."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| of | names | here |"
    yield "|---|---|---|"
    for (owner, works, use), guesses in groupby(GUESSES, lambda guess: (guess.owner, guess.works, guess.use)):
        names = ", ".join(f"`{_shown(guess)}`" for guess in guesses)
        yield f"| `{owner}` | {names} | {'works: ' if works else ''}{use.replace('|', chr(92) + '|')} |"


def _shown(guess: Guess) -> str:
    if guess.name == LENGTH:
        return f"len({guess.owner.lower()})"
    return f"{guess.name}=" if guess.owner in _FUNCTIONS else guess.name


def page_with(names: str, page: str) -> str:
    """The page with another section."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{names}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    PAGE.write_text(page_with(section(), PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
