"""`nlmchem corpora augment` and `nlmchem corpora distant`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import corpora
from corpora.datasets.articles import article
from corpora.model.document import add_mention, mentions, set_identifiers

Nlmchem = Callable[..., tuple[int, str, str]]


def test_augment_writes_synthetic_articles(run: Nlmchem, tmp_path: Path) -> None:
    document = article("1", [("Glutathione in yeast", "TITLE", "front")])
    set_identifiers(add_mention(document.passages[0], [(0, 11)], id="1", annotator=None), ["MESH:D005978"])
    corpora.write([document], tmp_path / "train.xml")
    out = tmp_path / "synthetic.xml"
    options = ("--mode", "other,random", "--lexicon", "starter")
    code, printed, _ = run("corpora", "augment", tmp_path / "train.xml", "-o", out, *options)
    assert (code, printed) == (0, f"wrote 2 synthetic articles with 2 replaced mentions to {out}\n")
    assert all(next(mentions(document)).text != "Glutathione" for document in corpora.read(out))
    code, _, told = run("corpora", "augment", tmp_path / "train.xml", "-o", tmp_path)
    assert (code, "--out must be a file, but" in told) == (2, True)
    code, _, told = run("corpora", "augment", tmp_path / "train.xml", "-o", out, "--split", "dev", *options)
    assert (code, "add --corpus NAME" in told) == (2, True)


def test_distant_labels_articles_with_names_of_mesh(run: Nlmchem, tmp_path: Path) -> None:
    text = {"id": "PMC1", "text": "Title\nDexamethasone and pepsin were given."}
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.jsonl").write_text(json.dumps(text) + "\n")
    out = tmp_path / "distant.jsonl"
    _, printed, _ = run("corpora", "distant", tmp_path / "texts", "--corpus", "plain-text", "-o", out, "--json")
    assert json.loads(printed) == {"articles": 1, "chemicals": 1, "masked": 1, "out": str(out)}
    (document,) = corpora.read(out)
    assert [mention.text for mention in mentions(document)] == ["Dexamethasone"]
