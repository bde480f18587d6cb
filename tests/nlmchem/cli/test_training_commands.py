"""`nlmchem train dense`, `nlmchem train indexer`, `nlmchem lexicon explain --dense`, and the forms of gold terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke

import corpora
from corpora.datasets.index_terms import read_gold_terms
from corpora.errors import ConfigurationError, InputError
from corpora.model.document import IndexTerm, add_index_term, index_terms
from corpora.model.metadata import join_key
from indexing.terms.registry import open_indexer
from nlmchem.engine.executors import InlineExecutor

LEXICON = (
    "MESH:D000431\tethanol\tgrain spirit|ethyl alcohol|spirit of wine\n"
    "MESH:D004298\tdopamine\thydroxytyramine|intropin\nMESH:D005947\tglucose\tdextrose|grape sugar\n"
)
WORDS = ("ethanol", "dopamine", "glucose")


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "names.tsv"
    path.parent.mkdir()
    path.write_text(LEXICON, "utf-8")
    return path


def run(*arguments: object) -> str:
    result = invoke([str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result.stdout


# -- dense --------------------------------------------------------------------------------------


def test_explain_can_use_an_encoder_of_train_dense(lexicon: Path, tmp_path: Path) -> None:
    names = tmp_path / "more.tsv"
    names.write_text("D004298\tdihydroxyphenethylamine\n", "utf-8")
    weights = tmp_path / "e.safetensors"
    given = ("train", "dense", "--lexicon", lexicon, "--names", names, "--steps", 3, "--seed", 5, "--held-out", 0.5)
    card = json.loads(run(*given, "-o", weights, "--json"))
    assert (card["steps"], card["settings"]["seed"]) == (3, 5)
    assert sorted(path.name for path in tmp_path.glob("e.*")) == ["e.json", "e.safetensors"]
    explained = json.loads(run("lexicon", "explain", "odopamine", "--lexicon", lexicon, "--dense", weights, "--json"))
    assert explained["sieves"]["dense"][0]["identifiers"] == ["MESH:D004298"]


def test_explain_shows_the_nearest_names_and_the_threshold(lexicon: Path) -> None:
    far = run("lexicon", "explain", "wine", "--lexicon", lexicon, "--dense", "default")
    assert "   dense\tMESH:" in far
    assert "its identifier is - (the dense fallback needs a cosine of 0.85)" in far
    near = run("lexicon", "explain", "qdopamine", "--lexicon", lexicon, "--dense", "default", "--dense-threshold", 0.2)
    assert "-> dense\tMESH:D004298 ('dopamine' in " in near
    assert "dense" not in run("lexicon", "explain", "wine", "--lexicon", lexicon)


# -- indexers -----------------------------------------------------------------------------------


def article(number: int) -> str:
    """An article about one chemical, which names another one in passing."""
    about, other = WORDS[number % 3], WORDS[(number + 1) % 3]
    title = f"Effects of {about} on rats"
    abstract = f"Rats were given {about}. More {about} was worse than {other}, but {about} won."
    return f"{number}|t|{title}\n{number}|a|{abstract}\n\n"


@pytest.fixture
def annotated(lexicon: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from nlmchem.engine import runner
    from nlmchem.run.plan import Configuration, Job

    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pubtator").write_text("".join(map(article, range(1, 31))), "utf-8")
    configuration = Configuration.of(steps=("tag", "normalize"), tagger="lexicon", lexicon=str(lexicon)).parse()
    runner.annotate_folder(Job([str(tmp_path / "in")], configuration), tmp_path / "annotated")
    return tmp_path / "annotated"


IDS = {"ethanol": "D000431", "dopamine": "D004298", "glucose": "D005947"}


def test_annotate_can_use_a_model_of_train_indexer(annotated: Path, lexicon: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    lines = [{"id": str(n), "chemicals": [[f"MESH:{IDS[WORDS[n % 3]]}", WORDS[n % 3]]]} for n in range(1, 31)]
    gold.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    model = tmp_path / "model.json"
    card = json.loads(run("train", "indexer", annotated, "--gold", gold, "--lexicon", lexicon, "-o", model, "--json"))
    assert card["articles"] == 30
    indexer = open_indexer(str(model))
    chosen = [
        (join_key(document), [one.identifier for one in indexer(document)]) for document in corpora.read(annotated)
    ]
    assert len(chosen) == 30
    assert all(ids == [f"MESH:{IDS[WORDS[int(key) % 3]]}"] for key, ids in chosen)


def test_gold_terms_are_read_from_json_lines_and_from_documents(annotated: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(
        '{"pmcid": "PMC7", "pmid": "8", "chemicals": ["D000431", ["MESH:C000001", "x"]]}\n\n'
        '{"pmid": "9", "chemicals": []}\n',
        "utf-8",
    )
    documents = list(read_gold_terms(str(tmp_path / "gold.jsonl")))
    assert [join_key(document) for document in documents] == ["7", "9"]
    assert [[t.identifier for t in index_terms(d)] for d in documents] == [["MESH:D000431", "MESH:C000001"], []]
    document = next(corpora.read(annotated))
    add_index_term(document, IndexTerm("MESH:D000431"))
    for name in ("gold.xml", "gold-documents.jsonl"):
        corpora.write([document], tmp_path / name)
        (again,) = read_gold_terms(str(tmp_path / name))
        assert [term.identifier for term in index_terms(again)] == ["MESH:D000431"]


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"id": "1"}', '{"chemicals": []}', "nothing", '{"id": "1", "chemicals": [[]]}']
)
def test_a_wrong_line_of_gold_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "gold.jsonl").write_text('{"id": "1", "chemicals": []}\n' + line + "\n", "utf-8")
    with pytest.raises(InputError, match="line 2: not a line of gold index terms"):
        list(read_gold_terms(str(tmp_path / "gold.jsonl")))


def test_too_few_articles_are_refused(annotated: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text('{"id": "1", "chemicals": ["D000431"]}\n', "utf-8")
    with pytest.raises(ConfigurationError, match="annotated article with gold index terms, but training needs"):
        run("train", "indexer", annotated, "--gold", tmp_path / "gold.jsonl", "-o", tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


# -- taggers ------------------------------------------------------------------------------------


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """Replaces the training: each call is stored, and the time limit stops it after two models."""
    from nlmchem.tagging.training import run as training
    from nlmchem.tagging.training.plan import Cutoff, TrainingOutcome

    calls: list[Any] = []

    def run_plan(plan: Any, report: Any) -> TrainingOutcome:
        calls.append(plan)
        return TrainingOutcome((tmp_path / "a", tmp_path / "b"), None, Cutoff("seed-2/all", 5, 40, 2, 6))

    monkeypatch.setattr(training, "run", run_plan)
    return calls


def train_tagger(tmp_path: Path, *options: object) -> Any:
    (tmp_path / "gold.pubtator").write_text("1|t|Zinc.\n1|a|\n1\t0\t4\tZinc\tChemical\t-\n\n", "utf-8")
    corpus = ("--corpus", tmp_path / "gold.pubtator")
    arguments = ["train", "tagger", "--base", tmp_path, "--out", tmp_path / "models", *corpus, *options]
    return invoke([str(argument) for argument in arguments])


def test_a_training_that_minutes_ended_has_an_exit_code_of_its_own(outcome: list[Any], tmp_path: Path) -> None:
    result = train_tagger(tmp_path, "--seeds", "0,1,2", "--folds", 2, "--minutes", 1)
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [str(tmp_path / "a"), str(tmp_path / "b")]
    printed = json.loads(train_tagger(tmp_path, "--minutes", 1, "--json").stdout)
    assert printed == {"finished": False, "scores": None}


def test_seeds_is_a_list(outcome: list[Any], tmp_path: Path) -> None:
    for text, seeds in (("3", (3,)), ("0,1,2", (0, 1, 2))):
        train_tagger(tmp_path, "--seeds", text)
        assert outcome[-1].seeds == seeds
    result = train_tagger(tmp_path, "--seeds", "three")
    assert str(result.exception) == "seeds must be whole numbers joined by commas, not 'three'"
    assert "3 is the single seed 3" in " ".join(train_tagger(tmp_path, "--help").stdout.split())


def test_wrong_options_of_a_training_are_refused(outcome: list[Any], tmp_path: Path) -> None:
    result = train_tagger(tmp_path, "--store", "tree")
    assert str(result.exception) == "store must be float32 or int8, not 'tree'"
    assert outcome == []
