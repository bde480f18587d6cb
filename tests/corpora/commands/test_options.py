"""Options as dataclass fields: groups, arguments, required options, their values and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corpora.commands.options import (
    FILE,
    FOLDER,
    REQUIRED,
    argument,
    check,
    filled,
    from_python,
    from_text,
    group,
    option,
    options_of,
    value_of,
)
from corpora.errors import ConfigurationError, OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    missing: str = option("error", "What happens.", choices=("error", "abstain"))
    workers: int | None = option(None, "How many.", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    runs: tuple[str, ...] = argument("Runs.", metavar="RUN...")
    out: Path = option(REQUIRED, "Output folder.", place=FOLDER)
    reading: Reading = group(Reading)
    weights: tuple[float, ...] = option((), "Weights.")
    names: tuple[Path, ...] = option((), "Files.", repeat=True)
    exact: bool = option(False, "Exact.")


BY_NAME = {one.name: one for one in options_of(Votes)}


def test_a_group_has_its_options_at_its_place() -> None:
    assert list(BY_NAME) == ["runs", "out", "missing", "workers", "weights", "names", "exact"]
    assert (BY_NAME["missing"].groups, BY_NAME["runs"].groups) == (("reading",), ())
    options = filled(Votes, {"runs": ("a",), "out": Path("o"), "workers": 3})
    assert options.reading == Reading(workers=3)
    assert [value_of(options, one) for one in BY_NAME.values()] == [("a",), Path("o"), "error", 3, (), (), False]


def test_what_must_be_given_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"^the argument RUN\.\.\. is missing: Runs\.$"):
        filled(Votes, {"out": Path("o")})
    with pytest.raises(OptionError, match=r"^out must be given: Output folder\.$"):
        filled(Votes, {"runs": ("a",)})
    with pytest.raises(ConfigurationError, match=r"RUN\.\.\. is missing"):
        check(filled(Votes, {"runs": (), "out": Path("o")}))
    assert BY_NAME["out"].required
    assert not BY_NAME["weights"].required


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("runs", "a,b", ("a,b",)),
        ("runs", Path("a"), ("a",)),
        ("runs", ["a", Path("b")], ("a", "b")),
        ("weights", "1, 2", (1.0, 2.0)),
        ("weights", [1, 2], (1, 2)),
        ("names", "x.tsv", (Path("x.tsv"),)),
        ("out", "o", Path("o")),
        ("missing", "abstain", "abstain"),
        ("workers", None, None),
    ],
)
def test_python_values_become_those_of_the_field(name: str, value: Any, expected: Any) -> None:
    assert from_python(BY_NAME[name], value) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("runs", ("a,b", "c"), ("a,b", "c")),
        ("weights", "1,2", (1.0, 2.0)),
        ("names", ("a", "b"), (Path("a"), Path("b"))),
        ("workers", "4", 4),
        ("out", "o", Path("o")),
        ("exact", "true", True),
    ],
)
def test_texts_become_values(name: str, text: Any, expected: Any) -> None:
    assert from_text(BY_NAME[name], text) == expected


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("workers", "many", "workers must be a whole number, not 'many'"),
        ("weights", "a", "weights must be numbers joined by commas, not 'a'"),
        ("exact", "yes", "exact must be true or false, not 'yes'"),
    ],
)
def test_a_text_that_is_no_value_is_refused(name: str, text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        from_text(BY_NAME[name], text)
    assert str(caught.value) == sentence


def test_the_place_of_an_output_is_checked(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Outputs:
        file: Path = option(Path("x"), "A file.", place=FILE)
        folder: Path = option(Path("y"), "A folder.", place=FOLDER)

    (tmp_path / "a").touch()
    check(Outputs(tmp_path / "a", tmp_path))
    with pytest.raises(OptionError, match=r"file must be a file, but .* is a folder"):
        check(Outputs(tmp_path, tmp_path))
    with pytest.raises(OptionError, match=r"folder must be a folder, but .* is a file"):
        check(Outputs(tmp_path / "a", tmp_path / "a"))
