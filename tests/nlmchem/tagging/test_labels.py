"""Models whose config.json does not name its labels as BIO: the user names them (`--labels`)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command_line import call

import nlmchem
from corpora.errors import ConfigurationError
from nlmchem.run.plan import Configuration
from nlmchem.tagging.inference.labels import LabelSet, spans_of_roles
from nlmchem.tagging.inference.scoring import best_roles
from nlmchem.tagging.models.loading import labels_of
from nlmchem.tagging.registry import TaggerChoice

TEXT = "Mice were given glucose and dopamine; the level of NaCl rose after aspirin."
BIO = ("O", "B-Chemical", "I-Chemical")


def renamed(model: Path, out: Path, names: Sequence[str]) -> Path:
    """A copy of a model with other names of its labels."""
    shutil.copytree(model, out)
    config = json.loads((out / "config.json").read_text())
    config["id2label"] = {str(number): name for number, name in enumerate(names)}
    config["label2id"] = {name: number for number, name in enumerate(names)}
    (out / "config.json").write_text(json.dumps(config))
    return out


def with_labels(model: Path, out: Path, labels: Mapping[str, object]) -> Path:
    """A copy of a model with other keys for labels in its config.json, and no other ones."""
    shutil.copytree(model, out)
    config = json.loads((out / "config.json").read_text())
    for key in ("id2label", "label2id"):
        config.pop(key, None)
    (out / "config.json").write_text(json.dumps(config | labels))
    return out


def found(model: Path, labels: Sequence[str] = ()) -> list[tuple[int, int, str]]:
    pipe = nlmchem.load(lexicon="starter", steps=["tag"], tagger=model, labels=labels, decision="rules", rules="none")
    return [(mention.start, mention.end, str(mention.score)) for mention in pipe(TEXT).mentions]


@pytest.mark.parametrize("names", [("LABEL_0", "LABEL_1", "LABEL_2"), ("0", "1", "2"), ("0", "CHEMICAL", "IN")])
def test_named_labels_give_the_mentions_of_the_same_model_with_bio_labels(
    names: tuple[str, ...], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    model = make_model("bert")
    expected = found(model)
    assert expected
    other = renamed(model, tmp_path / "other", names)
    assert found(other, BIO) == expected
    assert found(other, ("B-Chemical", "O", "I-Chemical")) != expected
    with pytest.raises(ConfigurationError, match=rf"the label '{names[0]}' does not have"):
        found(other)


def test_labels_without_a_beginning_mark_runs_of_pieces() -> None:
    labels = LabelSet.parse({0: "O", 1: "I-Chemical"})
    shares = np.array([0.1, 0.9, 0.8, 0.05, 0.95, 0.2], dtype=np.float32)
    roles = labels.reduce(np.stack([1 - shares, shares], axis=1))
    assert roles.sum(axis=1) == pytest.approx(np.ones(6))
    assert roles[:, 0] == pytest.approx(1 - shares)
    best = best_roles(roles, np.zeros(6, dtype=bool), labels.scheme)
    assert spans_of_roles(best) == [(1, 3), (4, 5)]
    # A word is marked as a whole.
    glued = np.array([False, False, False, False, False, True])
    assert spans_of_roles(best_roles(roles, glued, labels.scheme))[-1] == (4, 6)


@pytest.mark.parametrize("name", ["CHEMICAL", "I-Chemical"])
def test_a_model_with_two_labels(name: str, make_model: Callable[..., Path]) -> None:
    spans = found(make_model("bert", labels=["O", name]))
    assert spans
    assert all(end <= start for (_, end, _), (start, _, _) in pairwise(spans))
    assert spans == found(make_model("bert", labels=["0", "1"]), ("O", "I-Chemical"))


def test_a_model_of_another_type_marks_chemicals_only_if_its_labels_are_named(
    make_model: Callable[..., Path], tmp_path: Path
) -> None:
    model = make_model("bert")
    other = renamed(model, tmp_path / "other", ("O", "B-Disease", "I-Disease"))
    with pytest.raises(ConfigurationError, match=r"its labels mark Disease.*labels=.O,B-Chemical"):
        found(other)
    assert found(other, BIO) == found(model) != []


@pytest.mark.parametrize(
    "labels",
    [
        {"id2label": list(BIO)},
        {"label2id": {"I-Chemical": 2, "O": 0, "B-Chemical": 1}},
        {"id2label": None, "label2id": {"I-Chemical": "2", "O": "0", "B-Chemical": "1"}},
    ],
)
def test_other_forms_of_labels_in_the_configuration(
    labels: dict[str, object], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    model = make_model("bert")
    assert found(with_labels(model, tmp_path / "other", labels)) == found(model) != []


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({}, r"has no labels \(id2label or label2id\), so it is not a trained tagger"),
        ({"id2label": []}, "has no labels"),
        ({"id2label": {"a": "O", "b": "I-Chemical"}}, "the labels of its config.json are not numbered"),
        ({"id2label": 3}, "the labels of its config.json are not numbered"),
        ({"label2id": {"O": 1, "B-Chemical": 2, "I-Chemical": 3}}, "has the numbers 1, 2, 3; number the labels from 0"),
        ({"id2label": {"0": "O", "2": "I-Chemical"}}, "id2label of its config.json has the numbers 0, 2"),
    ],
)
def test_labels_without_numbers_are_one_sentence(
    labels: dict[str, object], reason: str, make_model: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        labels_of(with_labels(make_model("bert"), tmp_path / "other", labels))


def test_wrong_labels_are_one_sentence(make_model: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    model = make_model("bert", labels=["LABEL_0", "LABEL_1", "LABEL_2"])
    cases = {
        "O,B-Chemical": "it has 3 labels (LABEL_0, LABEL_1, LABEL_2), but 2 are named in --labels; name each label of",
        "O,B-Chemical,CHEMICAL": "the label 'CHEMICAL' does not have the form O, B-TYPE, I-TYPE (BIO, BIOES or BILOU)",
        "O,B-Gene,B-Cell": "its labels mark Cell, Gene, and no type is a usual name of chemicals",
    }
    for labels, reason in cases.items():
        done = call("annotate", "--text", TEXT, "--tagger", model, "--labels", labels, capsys=capsys)
        assert done.returncode == 2
        assert done.stdout == ""
        assert f"the model {model} cannot be used: {reason}" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_they_are_checked_for_each_model_before_any_work(make_model: Callable[..., Path]) -> None:
    named, unnamed = str(make_model("bert")), str(make_model("bert", labels=["0", "1"]))
    assert set(TaggerChoice((named, "default"), labels=BIO).versions()) == {"tagger 1", "tagger 2"}
    with pytest.raises(ConfigurationError, match="it has 2 labels"):
        TaggerChoice((named, unnamed), labels=BIO).versions()


def test_models_whose_labels_are_known_refuse_others(make_model: Callable[..., Path]) -> None:
    for tagger in ("default", "default,lexicon"):
        with pytest.raises(ConfigurationError, match="labels has no effect with the embedded model"):
            nlmchem.load(lexicon="starter", tagger=tagger, labels=BIO)


def test_the_fingerprint_contains_the_labels(make_model: Callable[..., Path]) -> None:
    """A run with other labels is another run."""
    tagger = str(make_model("bert", labels=["0", "1", "2"]))
    options = {"steps": ("tag",), "tagger": tagger, "lexicon": "starter"}
    one, other = (
        Configuration.of(**options, labels=labels).parse() for labels in (BIO, ("B-Chemical", "O", "I-Chemical"))
    )
    assert one.fingerprint() != other.fingerprint()
