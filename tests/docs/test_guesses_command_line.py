"""What a new user types before reading anything: 20 guesses, and what happens now."""

from __future__ import annotations

import shlex
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
from first_hour import FAST, Nlmchem

GLUCOSE = "Glucose\tMESH:D005947\tGlucose\t"

RIGHT = {
    "": "Annotate and convert articles:",
    "version": "0.",
    "help annotate": "Usage: nlmchem annotate",
    "annotate --text 'Glucose in cells'": GLUCOSE,
    "| annotate -": GLUCOSE,
    "| annotate - --format tsv": "Glucose\tChemical\tMESH:D005947",
    "annotate --text Glucose --format json": '"identifier": "MESH:D005947"',
    "annotate --text Glucose -f pubtator": "Chemical\tMESH:D005947",
    "annotate articles -o out.tsv": "2 articles",
    "annotate articles -o out -f json": "2 articles",
    "convert annotated out.csv": "2 articles",
    "view annotated": "view.html in a browser",
    "view annotated --open": "which belong together; opened in a browser",
    "search annotated glucose": "Glucose (MESH:D005947): 1 of 2 articles",
    "summary annotated": "Glucose",
    "lexicon aspirin": "MESH:D001241",
    "evaluate annotated annotated --samples 0": "spans, type Chemical",
    "ensemble annotated articles -o both --threshold 0.1": "identifiers, 0 index terms; results in both",
    "annotate --text 'XR-9051 rose' --lexicon mine.tsv": "XR-9051\tMY:1",
    "completion bash": "_NLMCHEM_COMPLETE=bash_complete",
}
"""By the words behind `nlmchem`, what is printed."""

ANSWERED = {
    "migrate annotated --to 2021": "`nlmchem` has no command 'migrate'; did you mean `nlmchem lexicon migrate`?",
    "annotate articles -o out --limit 5": "leave it out: all inputs are used, so name fewer files",
    "annotate articles -o out --exclude-sections REF": "use --skip-sections REF,...",
    "annotate articles -o out --tsv": "use --format tsv",
    "annotate articles -o out --force": "use --restart to begin again or --overwrite to replace a file of yours",
    "annotate articles -o out --no-progress": "progress and notes are printed by default, and --quiet leaves them out",
    "evaluate annotated annotated --format json": "use --json or --tsv",
    "search annotated glucose AND zinc": "no place for 'AND' after RUN QUERY; put words that belong together",
    "lexicon build mine.tsv": "no arguments, so 'mine.tsv' has no place; write `nlmchem lexicon build --",
    "convert a b c d": "`nlmchem convert` has no place for 'c' after IN OUT; ",
    "annotate articles -o": "-o needs a value: A folder, one file",
    "ensemble annotated -o out --threshold": "--threshold needs a value: Lowest share of the runs",
    "annotate articles --quiet=1": "--quiet takes no value; leave out what follows the =",
    "annotate articles -o out --config wrong.toml": "'wrokers', which annotate does not have; did you mean workers?",
    "| annotate - --workers 2": "--workers cannot be used with --text",
}
"""By the words behind `nlmchem`, the sentence that names what works."""


@pytest.fixture
def typed(
    nlmchem: Nlmchem, annotated: Path, pipe: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], tuple[int, str]]:
    """Type a line behind `nlmchem`: the exit code, and what is printed. `|` stands for a text from a pipe."""
    Path("mine.tsv").write_text("XR-9051\tMY:1\n", "utf-8")
    Path("wrong.toml").write_text("[annotate]\nwrokers = 1\n", "utf-8")
    monkeypatch.setattr(webbrowser, "open", lambda address: address.startswith("file:///"))

    def run(line: str) -> tuple[int, str]:
        pipe("Glucose in cells.\n" if line.startswith("|") else "")
        words = shlex.split(line.removeprefix("|"))
        fast = (
            FAST[:2] if words[:1] == ["annotate"] and "-o" not in words else FAST if words[:1] == ["annotate"] else ()
        )
        done = nlmchem(*words[:1], *fast, *words[1:])
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize("line", RIGHT)
def test_a_guess_that_is_right(typed: Callable[[str], tuple[int, str]], line: str) -> None:
    code, printed = typed(line)
    assert code == 0, printed
    assert RIGHT[line] in printed


@pytest.mark.parametrize("line", ANSWERED)
def test_a_guess_that_is_answered(typed: Callable[[str], tuple[int, str]], line: str) -> None:
    code, printed = typed(line)
    assert (code, printed.count("\n"), printed.startswith("nlmchem: ")) == (2, 1, True), printed
    assert ANSWERED[line] in printed
    assert list(Path().glob("out*")) == []
