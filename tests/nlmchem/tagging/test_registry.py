"""Taggers by the names of the command line, and what they import."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.errors import ConfigurationError
from corpora.model.document import mentions
from nlmchem.tagging.lexicon_tagger import LexiconTagger
from nlmchem.tagging.registry import TaggerChoice, split_names
from nlmchem.tagging.training.scores import bare
from sieves.lexicon.lexicon import Lexicon, Match


def test_names_are_separated_by_commas() -> None:
    assert split_names("lexicon, models/a,b") == ("lexicon", "models/a", "b")
    for wrong in ("", ",", "a,b,a"):
        with pytest.raises(ConfigurationError, match="give the name of each tagger once"):
            split_names(wrong)


def test_an_unknown_name_is_reported_before_any_work() -> None:
    with pytest.raises(ConfigurationError, match="no tagger 'nowhere'"):
        TaggerChoice(("lexicon", "nowhere")).versions()


def test_the_lexicon_tagger_needs_no_model() -> None:
    choice = TaggerChoice(("lexicon",))
    assert choice.versions() == {"tagger 1": "lexicon"}
    assert isinstance(choice.stage(Lexicon.open(None)), LexiconTagger)


@pytest.mark.parametrize(("names", "used"), [("", False), ("lexicon,", True)])
def test_the_lexicon_votes_only_if_it_is_a_tagger(
    make_model: Callable[..., Path], mesh: Path, monkeypatch: pytest.MonkeyPatch, names: str, used: bool
) -> None:
    queried: list[str] = []
    spelt = Lexicon.spelt

    def recorded(lexicon: Lexicon, text: str, external: bool = True) -> tuple[Match, ...]:
        # The starter names vote in any case.
        if lexicon.version == given.version:
            queried.append(text)
        return spelt(lexicon, text, external)

    monkeypatch.setattr(Lexicon, "spelt", recorded)

    document = BioCDocument()
    document.id = "1"
    document.add_passage(BioCPassage.of_text("Ethanol."))
    with Lexicon.open(mesh) as given:
        TaggerChoice(split_names(f"{names}{make_model('bert')}")).stage(given)([document])
    assert bool(queried) is used


@pytest.mark.parametrize(("rules", "found"), [("default", True), ("none", False)])
def test_the_starter_lexicon_votes_with_a_model(make_model: Callable[..., Path], rules: str, found: bool) -> None:
    document = BioCDocument()
    document.id = "1"
    passage = BioCPassage()
    passage.text = "Acetaminophen and glutathione."
    document.add_passage(passage)
    folder = make_model("bert")
    (folder / "nlmchem.json").write_text('{"outside_bias": -20}')  # It finds nothing by itself.
    TaggerChoice((str(folder),), rules=rules).stage(Lexicon.open(None))([document])
    texts = {mention.text for mention in mentions(document)}
    assert texts == ({"Acetaminophen", "glutathione"} if found else set())


def test_models_and_lexicon_together(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    folder = make_model("bert")
    other = make_model("roberta")
    choice = TaggerChoice(("lexicon", str(folder), str(other)))
    assert len(set(choice.versions().values())) == 3
    copies = [bare(document) for document in articles]
    choice.stage(Lexicon.open(None))(copies)
    assert any(True for document in copies for _ in mentions(document))


def test_torch_and_transformers_are_imported_when_a_model_is_used(make_model: Callable[..., Path]) -> None:
    """The command line, the choice of taggers and their hashes need neither; the stored model no transformers."""
    code = (
        "import sys\n"
        "import nlmchem.tagging.training.commands, nlmchem.tagging.registry as named\n"
        f"named.TaggerChoice(({str(make_model('bert'))!r},)).versions()\n"
        "print([name for name in ('torch', 'transformers', 'sklearn', 'tokenizers') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("arithmetic", ["int8", "float32"])
def test_a_stored_model_tags_without_torch_and_transformers(
    arithmetic: str, make_model: Callable[..., Path], tmp_path: Path
) -> None:
    from nlmchem.tagging.training.folders import store

    store(make_model("bert"), tmp_path / "stored")
    code = (
        "import sys, nlmchem\n"
        f"nlmchem.load(tagger={str(tmp_path / 'stored')!r}, arithmetic={arithmetic!r})('NaCl and glucose (Glc)')\n"
        "print([name for name in ('torch', 'transformers', 'sklearn') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_calibration_holds_for_the_measured_tagger_and_for_models_that_were_trained_from_it(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    from nlmchem.tagging.models.folders import DEFAULT, folder_of, version_of
    from nlmchem.tagging.training.data import TrainingCorpus
    from nlmchem.tagging.training.folders import store
    from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
    from nlmchem.tagging.training.run import run

    base, other = make_model("bert"), make_model("bert", seed=1)
    card = {"tagger 1": version_of(base), "lexicon": "any"}
    quick = StageOptions(rate=1e-3, passes=1, batch=128)
    target = [TrainingCorpus("own", tuple(articles[:1]))]
    (model,) = run(TrainingPlan(base, tmp_path / "out", target, options=TaggerTraining(window=64, second=quick))).models
    store(model, tmp_path / "int8")
    for folder, holds in ((base, True), (model, True), (tmp_path / "int8", True), (other, False)):
        assert TaggerChoice((str(folder),)).measured_by(card) is holds
    assert not TaggerChoice((str(base),), rules="none").measured_by(card)
    for names in (("lexicon",), (DEFAULT,), (str(base), "lexicon")):
        assert not TaggerChoice(names).measured_by(card)
    # The decision that comes with nlmchem was measured with the embedded tagger.
    assert TaggerChoice((DEFAULT,)).measured_by({})
    assert not TaggerChoice((DEFAULT,), guidelines="bc5cdr").measured_by({})
    assert not TaggerChoice(("lexicon",)).measured_by({})
    assert TaggerChoice((DEFAULT,)).measured_by({"tagger 1": version_of(folder_of(DEFAULT))})
