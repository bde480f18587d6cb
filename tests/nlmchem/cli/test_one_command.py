"""One command each: a submission straight from articles, a silver corpus straight from articles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import corpora
from corpora.model.document import mentions
from nlmchem.tagging.training.data import read_corpus

Nlmchem = Callable[..., tuple[int, str, str]]
TEAM = ("--task", "identification", "--team", "999", "--run", 1)


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for number, words in enumerate(("Glucose in water", "Zinc oxide was added"), 1):
        (folder / f"{number}.pubtator").write_text(f"{number}|t|{words}\n{number}|a|Rats drank ethanol.\n\n", "utf-8")
    return folder


def test_submit_annotates_the_articles_first(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.xml"
    assert run("convert", articles, test)[0] == 0
    fast = ("--tagger", "lexicon", "--lexicon", "starter", "--workers", 1)
    code, printed, _ = run("submit", test, *TEAM, "-o", tmp_path / "out", *fast, "--json")
    values = json.loads(printed)
    assert (code, values["documents"], Path(values["file"]).name) == (0, 2, "Track2-Team-999-Subtask1-Run-1.xml")
    run("annotate", test, "-o", tmp_path / "run", "--tagger", "lexicon", "--lexicon", "starter")
    _, printed, _ = run("submit", tmp_path / "run", "--reference", test, *TEAM, "-o", tmp_path / "two", "--json")
    assert json.loads(printed)["sha256"] == values["sha256"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--team", "ours"), "--team is 'ours', and not a number"),
        (("--task", "ner"), "--task must be identification or indexing, not 'ner'"),
        (("--reference", "1.xml", "--tagger", "lexicon"), "--tagger has no effect with --reference"),
    ],
)
def test_wrong_options_of_submit_are_refused_before_any_work(
    run: Nlmchem, articles: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    code, printed, sentence = run("submit", articles, *TEAM, "-o", tmp_path / "out", *options)
    assert (code, printed) == (2, "")
    assert message in sentence


def test_articles_with_mentions_are_refused_with_the_reference(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    with (articles / "1.pubtator").open("a", encoding="utf-8") as stream:
        stream.seek(0)
        stream.truncate()
        stream.write("1|t|Glucose\n1|a|\n1\t0\t7\tGlucose\tChemical\tD005947\n\n")
    code, _, sentence = run("submit", articles, *TEAM, "-o", tmp_path / "out", "--tagger", "lexicon")
    assert code == 2
    assert "--reference must be given: article '1' in " in sentence


def test_a_silver_corpus_from_articles(
    run: Nlmchem, articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = (
        "silver", "build", "articles", "--taggers", "default,lexicon", "--lexicon", "starter", "-o", "silver",
        "--dataset",
    )  # fmt: skip
    code, printed, messages = run(*given, "--workers", 1)
    assert code == 0, messages
    last = printed.splitlines()[-1]
    assert last == "to train on it: nlmchem train tagger --base default --corpus GOLD --silver silver/corpus -o MODEL"
    # What the command names is what a training reads.
    assert len(read_corpus("silver/corpus", 0.5, print).documents) == 2
    assert Path("silver/corpus/data/train-00000-of-00001.parquet").exists()
    voted = {m.text for d in corpora.read("silver/corpus") for m in mentions(d)}
    assert {"Glucose", "ethanol"} <= voted
    # The runs are not made again; the vote is.
    code, printed, _ = run(*given, "--workers", 1, "--threshold", "1", "--json")
    assert (code, json.loads(printed)["threshold"]) == (0, 1.0)
    assert json.loads((tmp_path / "silver/runs/lexicon/manifest.json").read_text())["articles"]["skipped"] == 2
    # The votes over given runs are still the command without a name.
    code, _, messages = run("silver", "silver/runs/default", "silver/runs/lexicon", "-o", "again", "--workers", 1)
    assert code == 0, messages


def test_one_tagger_cannot_vote(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    code, _, sentence = run("silver", "build", articles, "--taggers", "lexicon", "-o", tmp_path / "silver")
    assert code == 2
    assert "--taggers must name two taggers or more" in sentence
