"""Checks that several steps share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.errors import OptionError
from nlmchem.run.plan import Configuration
from nlmchem.steps.shared import CorrectionOptions

WITH_CORRECTIONS = ("tag", "repair")


def checked(step: str, **options: Any) -> CorrectionOptions:
    found = Configuration.of(steps=(step,), **options).parse().options(CorrectionOptions)
    assert found is not None
    return found


@pytest.mark.parametrize("step", WITH_CORRECTIONS)
def test_sections_are_folded_and_sorted_and_unknown_ones_are_refused(step: str) -> None:
    assert checked(step, skip_sections=("suppl", "REF")).skip_sections == ("REF", "SUPPL")
    with pytest.raises(OptionError, match="skip_sections contains 'REFS'"):
        checked(step, skip_sections=("refs",))


@pytest.mark.parametrize("step", WITH_CORRECTIONS)
def test_a_lexicon_is_stored_by_its_absolute_path_and_starter_by_its_name(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert checked(step, lexicon="mesh.tsv").lexicon == str(tmp_path / "mesh.tsv")
    assert checked(step, lexicon="starter").lexicon == "starter"


@pytest.mark.parametrize("step", WITH_CORRECTIONS)
def test_reasons_need_a_decision(step: str) -> None:
    with pytest.raises(OptionError, match="explain has no effect with the decision rules"):
        checked(step, decision="rules", explain=True)


def test_a_decision_is_a_name_or_a_model() -> None:
    with pytest.raises(OptionError, match=r"must be knowledge, learnt, rules or the path of a model \(.json\)"):
        checked("tag", decision="best")
