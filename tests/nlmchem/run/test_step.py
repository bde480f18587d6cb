"""What a step works with: its own lexicon, and the options of the other steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from corpora.commands.options import option
from nlmchem.run.step import Chosen, Context, LexiconRead, NoOptions, Stage, Step, lexicon_read_by, options_in
from sieves.lexicon.options import LexiconOptions, YearOptions


@dataclass(frozen=True)
class Looking(LexiconOptions):
    """The options of a step that looks names up."""

    scale: int = option(1, "A number.")


@dataclass(frozen=True)
class Writing(YearOptions):
    """The options of a step that writes identifiers."""


def chosen(options: object) -> Chosen:
    def stage(options: object, context: Context) -> Stage:
        return lambda documents: None

    return Chosen(Step("step", type(options), stage), options)


@pytest.mark.parametrize(
    ("options", "read"),
    [
        (Looking("a.tsv"), ("a.tsv", 2020, ())),
        (Looking("b.tsv"), ("b.tsv", None, ())),
        (Writing("b.tsv", as_of=2019, names=("my.tsv",)), ("b.tsv", 2019, ("my.tsv",))),
        # Without the option: the lexicon of the run.
        (NoOptions(), ("a.tsv", 2020, ())),
    ],
)
def test_a_step_reads_the_lexicon_of_its_own_options(options: object, read: LexiconRead) -> None:
    """Before, the last step with the option decided for all."""
    assert lexicon_read_by(options, [Looking("a.tsv"), Writing("a.tsv", as_of=2020), Looking("b.tsv")]) == read


def test_steps_share_an_open_lexicon_and_another_file_is_another_lexicon(mesh: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("MESH:D000001\tzinc\n")
    steps = [chosen(Looking(str(mesh))), chosen(Writing(str(mesh))), chosen(Looking(str(other)))]
    context = Context(steps)
    first, same, last = (context.of(step).lexicon for step in steps)
    assert (first is same, first is last, context.lexicon is first) == (True, False, True)
    context.close()


def test_the_options_of_other_steps_are_found_by_their_class() -> None:
    steps = [chosen(NoOptions()), chosen(Looking("a.tsv")), chosen(Writing("b.tsv", 2020))]
    assert options_in(steps, LexiconOptions) == [Looking("a.tsv"), Writing("b.tsv", 2020)]
    assert options_in(steps, YearOptions) == [Writing("b.tsv", 2020)]
