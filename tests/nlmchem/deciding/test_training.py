"""Training a decision, on articles of our own writing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import invoke
from marked_passages import document_of, marked, shown

import corpora
from corpora.errors import ConfigurationError
from corpora.model.document import add_mention, fresh_ids, mentions
from nlmchem.deciding.decision import Decision, read_model
from nlmchem.deciding.features import FEATURES
from nlmchem.deciding.training import DecisionOptions, Tagged, label, learn, strict_f
from sieves.lexicon.lexicon import Lexicon

SMALL = DecisionOptions(trees=8, leaves=4, folds=2, rate=0.5)


def articles(number: int = 12) -> Iterator[Tagged]:
    """Articles in which known names are right and unknown ones are wrong."""
    for at in range(number):
        passage = marked(f"given «cisplatin» or «loxatin{at}» and «gemcitabine» or «bomotin{at}»")
        document = document_of(passage)
        right = [span for span in passage.spans if "tin" not in passage.text_of(span) or "cis" in passage.text_of(span)]
        yield document, [passage], {((span.start, span.end),) for span in right}


def silent(_: str) -> None:
    pass


def test_a_decision_learns_to_tell_right_from_wrong(kinds: Lexicon) -> None:
    labelled = list(label(articles(), kinds))
    model = learn(labelled, SMALL, report=silent)
    assert strict_f(labelled, model) == 1
    passage = marked("with «cisplatin» and «zolotin»")
    Decision(kinds, model)(document_of(passage), [passage])
    assert shown(passage) == "with «cisplatin» and zolotin"


def test_the_same_articles_give_the_same_model(kinds: Lexicon) -> None:
    first, second = (learn(list(label(articles(), kinds)), SMALL, report=silent) for _ in range(2))
    assert (first.trees.trees, first.threshold) == (second.trees.trees, second.threshold)
    assert first.trees.features == FEATURES


def test_too_few_articles_or_only_right_candidates_are_refused(kinds: Lexicon) -> None:
    with pytest.raises(ConfigurationError, match="1 article is too few; give at least 2"):
        learn(list(label(articles(1), kinds)), SMALL, report=silent)
    only = [replace(article, right=np.ones_like(article.right)) for article in label(articles(3), kinds)]
    with pytest.raises(ConfigurationError, match="a decision needs right and wrong ones"):
        learn(only, SMALL, report=silent)


# -- the commands -------------------------------------------------------------------------------


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A folder with a gold corpus. Every name of the lexicon is marked, but not `sodium`."""
    folder = tmp_path / "gold"
    folder.mkdir()
    documents = []
    for at in range(12):
        passage = marked(f"given «cisplatin» with sodium, then «gemcitabine» and sodium ({at})")
        document = document_of(passage)
        document.id = str(at)
        ids = fresh_ids(document, "C")
        for span in passage.spans:
            add_mention(document.passages[0], [(span.start, span.end)], id=next(ids), annotator=None)
        documents.append(document)
    corpora.write(documents, folder / "gold.xml")
    return folder


def run(*arguments: object) -> str:
    result = invoke([str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_train_annotate_and_explain(gold: Path, kinds_file: Path, tmp_path: Path) -> None:
    """The lexicon tagger marks `sodium`; the decision learns that the corpus does not."""
    given = ("--tagger", "lexicon", "--lexicon", kinds_file)
    printed = run("train", "decision", gold, *given, "-o", tmp_path / "d.json", "--folds", 2, "--floor", 0.01)
    assert "12 articles" in printed
    model = read_model(tmp_path / "d.json")
    assert model.card["articles"] == 12

    def annotated(*more: object) -> list[str]:
        out = tmp_path / f"out{len(more)}.xml"
        run("annotate", gold, *given, "--steps", "tag", "--existing", "replace", "-o", out, *more)
        (first, *_) = corpora.read(out)
        return [mention.text for mention in mentions(first)]

    assert annotated() == ["cisplatin", "sodium", "gemcitabine", "sodium"]
    assert annotated("--decision", tmp_path / "d.json") == ["cisplatin", "gemcitabine"]
    assert annotated("--decision", tmp_path / "d.json", "--explain") == ["cisplatin", "gemcitabine"]
    assert "; for it: " in (tmp_path / "out3.xml").read_text("utf-8")
    rows = run("explain", gold / "gold.xml", *given, "--decision", tmp_path / "d.json", "--mention", "SODIUM")
    header, *table = rows.splitlines()
    assert header.split("\t") == [
        "   text",
        *["places", "score", "sieve", "identifiers", "probability", "kind", "why", "numbers", "article"],
    ]
    cells = table[0].split("\t")
    assert cells[:2] == ["   sodium", "0/2"]
    assert cells[7].startswith("in MeSH as a chemical; marked by the tagger; left out: not probable enough")
    assert cells[8].startswith("probability 0.0")
    assert len({row.split("\t")[-1] for row in table}) == 12


def test_articles_can_be_left_out(gold: Path, kinds_file: Path, tmp_path: Path) -> None:
    words = ["train", "decision", gold, "--leave-out", gold, "--tagger", "lexicon", "--lexicon", kinds_file]
    result = invoke([*words, "-o", tmp_path / "d"])
    assert isinstance(result.exception, ConfigurationError)
    assert "no article is left to train on" in str(result.exception)


def test_a_model_that_is_no_json_file_is_refused_before_any_work(gold: Path, tmp_path: Path) -> None:
    result = invoke(["annotate", str(gold), "-o", str(tmp_path / "o"), "--decision", "model.pkl"])
    assert result.exit_code != 0
    assert "must be knowledge, learnt, rules or the path of a model" in str(result.exception) + result.output
