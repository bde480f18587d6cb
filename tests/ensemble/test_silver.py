"""Silver corpora and ensembles as files: their content, how they are read, and that they are complete or absent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

import corpora
from corpora.errors import ConfigurationError, InputError
from corpora.model.document import Mention, index_terms
from ensemble import TASKS
from ensemble.combine import ENSEMBLE, Rule, whole_folder, write_ensemble
from ensemble.runs import open_poll
from ensemble.silver import SILVER, CorpusPlan, read_silver, write_silver

ZINC, COPPER, SALT = (19, 23), (0, 6), (0, 14)
D_ZINC, D_SALT = "MESH:D015032", "MESH:D019327"
Write = Callable[..., str]
Document = Callable[..., BioCDocument]


@pytest.fixture
def three(write_run: Write, document: Document) -> list[str]:
    """Three runs over two documents; of the first all mark zinc, of the second nobody marks anything."""
    marks: dict[str, list[tuple[Any, ...]]] = {
        "a": [(*ZINC, D_ZINC), (*COPPER, "MESH:D003300")],
        "b": [(*ZINC, D_ZINC), (4, 14, D_SALT)],
        "c": [(*ZINC, "-")],
    }
    return [
        write_run(name, [document("1", spans, [D_ZINC] if name != "c" else []), document("2")])
        for name, spans in marks.items()
    ]


def silver(runs: list[str], folder: Path, threshold: float = 0.33, **options: Any) -> Path:
    restart = options.pop("restart", False)
    with (
        whole_folder(folder, SILVER, restart) as partial,
        open_poll(runs, report=lambda sentence: None, scratch=partial) as poll,
    ):
        write_silver(poll, Rule(TASKS, threshold), partial, CorpusPlan(**options))
    return folder


def votes_of(mention: Mention) -> dict[str, str]:
    keys = ("score", "votes", "voters", "merged_from", "identifier_score")
    return {key: mention.annotation.infons[key] for key in keys if key in mention.annotation.infons}


def test_every_annotation_has_its_score_votes_and_voters(three: list[str], tmp_path: Path) -> None:
    first, second = read_silver(silver(three, tmp_path / "silver"))
    merged, zinc = corpora.mentions(first)
    assert (zinc.text, zinc.identifiers) == ("zinc", (D_ZINC,))
    # zinc: all three runs; its identifier by two of the three votes cast (the vote of c: no concept).
    assert votes_of(zinc) == {"score": "1.0000", "votes": "3", "voters": "a,b,c", "identifier_score": "0.6667"}
    # copper of a and "er sulfate" of b overlap: one span that no run had. Its identifiers: those inside, one
    # vote each; of equals the first in the alphabet, MESH:D003300.
    assert (merged.text, merged.identifiers) == ("Copper sulfate", ("MESH:D003300",))
    assert votes_of(merged) == {
        "score": "0.3333", "votes": "2", "voters": "a,b", "merged_from": "0-6:0.3333;4-14:0.3333",
        "identifier_score": "0.5000",
    }  # fmt: skip
    (term,) = index_terms(first)
    assert (term.identifier, term.score) == (D_ZINC, 0.6667)
    assert second.id == "2"


def test_the_annotator_contains_the_hash_of_the_runs(three: list[str], tmp_path: Path) -> None:
    folder = silver(three, tmp_path / "silver")
    manifest = json.loads((folder / "manifest.json").read_text())
    signatures = {mention.annotator for article in read_silver(folder) for mention in corpora.mentions(article)}
    assert signatures == {manifest["annotator"]}
    assert manifest["annotator"].startswith("nlmchem:ensemble@")


def test_the_manifest_counts_what_the_paper_reports(three: list[str], tmp_path: Path) -> None:
    manifest = json.loads((silver(three, tmp_path / "silver") / "manifest.json").read_text())
    assert manifest["rule"] == {
        "tasks": list(TASKS), "threshold": 0.33, "overlaps": "merge", "identifiers_by": "text"
    }  # fmt: skip
    assert [(run["name"], run["mentions"], run["index_terms"]) for run in manifest["runs"]] == [
        ("a", 2, 1), ("b", 2, 1), ("c", 1, 0)
    ]  # fmt: skip
    assert all(len(run["sha256"]) == 64 for run in manifest["runs"])
    counts = manifest["counts"]
    assert (counts["documents"], counts["mentions"], counts["merged"], counts["candidates"]) == (2, 2, 1, 3)
    assert (counts["distinct_texts"], counts["distinct_identifiers"], counts["index_terms"]) == (2, 2, 1)
    assert (counts["without_mentions"], counts["without_identifier"]) == (1, 0)


def test_the_card_describes_method_and_limits(three: list[str], tmp_path: Path) -> None:
    card = (silver(three, tmp_path / "silver") / "README.md").read_text()
    for words in (
        "at least 0.3300 of the runs",
        "| mentions | 2 |",
        "Do not evaluate on the corpus",
        "No person has checked",
    ):
        assert words in card


def test_shards_hold_the_documents_in_order(write_run: Write, document: Document, tmp_path: Path) -> None:
    run = write_run("a", [document(str(number), [ZINC]) for number in range(5)])
    folder = silver([run], tmp_path / "silver", shard_size=2, format="jsonl")
    names = [f"silver-{number:04}-of-0003.jsonl" for number in (1, 2, 3)]
    assert sorted(path.name for path in folder.glob("[!.]*")) == ["README.md", "manifest.json", *names]
    shards = json.loads((folder / "manifest.json").read_text())["shards"]
    assert [(shard["name"], shard["documents"]) for shard in shards] == list(zip(names, (2, 2, 1), strict=True))
    assert [article.id for article in read_silver(folder)] == ["0", "1", "2", "3", "4"]


def test_a_silver_corpus_is_a_run_for_every_other_command(three: list[str], tmp_path: Path) -> None:
    folder = silver(three, tmp_path / "silver")
    with open_poll([str(folder)], report=lambda sentence: None) as poll:
        assert len(poll) == 2


def test_the_same_runs_give_the_same_bytes_in_any_order(three: list[str], tmp_path: Path) -> None:
    here, there = silver(three, tmp_path / "one"), silver(three[::-1], tmp_path / "two")
    for name in ("silver.xml", "README.md", "manifest.json"):
        assert (here / name).read_bytes() == (there / name).read_bytes()


def test_the_ensemble_of_one_run_is_this_run(write_run: Write, document: Document, tmp_path: Path) -> None:
    given = document("1", [(*ZINC, f"{D_ZINC},MESH:C000001"), (*SALT, "-")], [D_ZINC])
    (found,) = read_silver(silver([write_run("alone", [given])], tmp_path / "silver", threshold=1.0))

    def facts(article: BioCDocument) -> list[tuple[Any, ...]]:
        return sorted((m.spans, m.text, m.annotation.infons["identifier"]) for m in corpora.mentions(article))

    assert facts(found) == facts(given)
    assert [term.identifier for term in index_terms(found)] == [D_ZINC]
    assert [passage.text for passage in found.passages] == [passage.text for passage in given.passages]


def test_mentions_without_identifiers_stay_without(write_run: Write, document: Document, tmp_path: Path) -> None:
    (found,) = read_silver(silver([write_run("alone", [document("1", [ZINC])])], tmp_path / "silver"))
    (mention,) = corpora.mentions(found)
    assert "identifier" not in mention.annotation.infons


def test_annotations_of_other_types_are_kept(write_run: Write, document: Document, tmp_path: Path) -> None:
    given = document("1", [ZINC])
    given.passages[0].annotations[0].infons["type"] = "Disease"
    (found,) = read_silver(silver([write_run("alone", [given])], tmp_path / "silver"))
    assert [mention.type for mention in corpora.mentions(found, type=None)] == ["Disease"]


def test_an_ensemble_of_spans_has_no_identifiers_and_one_of_terms_no_mentions(three: list[str], tmp_path: Path) -> None:
    for task, mentions, identified, terms in (("spans", 2, 0, 0), ("identifiers", 2, 2, 0), ("indexing", 0, 0, 1)):
        with whole_folder(tmp_path / task, ENSEMBLE) as folder, open_poll(three, report=lambda sentence: None) as poll:
            write_ensemble(poll, Rule((task,), 0.33), folder)
        article = next(corpora.read(tmp_path / task / "ensemble.xml"))
        found = list(corpora.mentions(article))
        assert len(found) == mentions
        assert sum(bool(mention.identifiers) for mention in found) == identified
        assert len(list(index_terms(article))) == terms


# -- what is refused ----------------------------------------------------------------------------


def test_a_changed_or_missing_shard_is_refused(three: list[str], tmp_path: Path) -> None:
    folder = silver(three, tmp_path / "silver")
    shard = folder / "silver.xml"
    shard.write_bytes(shard.read_bytes().replace(b"zinc", b"zink"))
    with pytest.raises(InputError, match="was changed"):
        list(read_silver(folder))
    shard.unlink()
    with pytest.raises(InputError, match="is missing"):
        list(read_silver(folder))


def test_a_folder_without_silver_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not a silver corpus"):
        list(read_silver(tmp_path))


def test_restart_replaces_only_a_folder_of_the_same_command(three: list[str], tmp_path: Path) -> None:
    folder = silver(three, tmp_path / "silver")
    with pytest.raises(ConfigurationError, match="restart=True"):
        silver(three, folder)
    before = (folder / "silver.xml").read_bytes()
    silver(three, folder, threshold=1.0, restart=True)
    assert (folder / "silver.xml").read_bytes() != before
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "thesis.txt").write_text("years of work")
    with pytest.raises(ConfigurationError, match="was not made by"):
        silver(three, theirs, restart=True)
    assert (theirs / "thesis.txt").exists()


def test_a_failure_leaves_no_new_folder_and_keeps_the_old_one(three: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError):
        _failing(tmp_path / "silver")
    assert not (tmp_path / "silver").exists()
    assert not list(tmp_path.glob(".silver*"))
    folder = silver(three, tmp_path / "silver")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError):
        _failing(folder, restart=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def _failing(folder: Path, restart: bool = False) -> None:
    with whole_folder(folder, SILVER, restart) as partial:
        (partial / "silver.xml").write_text("half")
        raise InputError("a run broke off")


def test_a_file_name_as_output_folder_is_refused(three: list[str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is the name of a file"):
        silver(three, tmp_path / "silver.xml")


def test_a_shard_of_no_documents_is_refused(three: list[str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="shard_size is"):
        silver(three, tmp_path / "silver", shard_size=0)


@pytest.mark.parametrize("rule", [{"tasks": ("spans",), "threshold": 1.5}, {"tasks": ("words",), "threshold": 0.5}])
def test_invalid_rules_are_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Rule(**rule)


def test_a_format_that_cannot_be_read_again_is_refused(three: list[str], tmp_path: Path) -> None:
    with (
        open_poll(three, report=lambda sentence: None) as poll,
        pytest.raises(ConfigurationError, match="'tsv' is written, but not read"),
    ):
        write_silver(poll, Rule(("spans",), 0.5), tmp_path, CorpusPlan(format="tsv"))


def test_a_silver_corpus_of_folders_is_read_back(three: list[str], tmp_path: Path) -> None:
    with open_poll(three, report=lambda sentence: None) as poll:
        number = len(poll)
        write_silver(poll, Rule(("spans",), 0.5), tmp_path, CorpusPlan(shard_size=1, format="brat"))
    assert len(list(read_silver(tmp_path))) == number
