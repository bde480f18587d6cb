"""`nlmchem corpora pairs`, `pairs`, `train pairs` and `evaluate pairs` on articles and pairs of our own writing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran, invoke
from corpus_files import PUBTATOR, put

import corpora
from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, InputError, ResourceError
from corpora.model.document import add_mention, set_identifiers
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.companions.pairs.pair import read_pairs

LEXICON = "MESH:D000431\tethanol\tethyl alcohol\nMESH:D001241\taspirin\tacetylsalicylic acid\n"
NAMES = {"ethanol": "D1", "ethyl alcohol": "D1", "aspirin": "D2", "CD": "D3", "EA": "D1"}


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "names.tsv"
    path.write_text(LEXICON, "utf-8")
    return path


def ran(*arguments: object) -> Ran:
    return invoke(arguments)


def run(*arguments: object) -> str:
    result = ran(*arguments)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def write_articles(path: Path) -> Path:
    documents = []
    for number, (name, concept) in enumerate([*NAMES.items()] * 8):
        sentence = f"In case {number} the {name} rose."
        document = article(str(number), [(sentence, None, "paragraph")])
        start = sentence.index(name)
        mention = add_mention(document.passages[0], [(start, start + len(name))], id="0", annotator="gold")
        # The short form has another meaning in every second article.
        set_identifiers(mention, [f"MESH:{'D4' if name in ('CD', 'EA') and number % 2 else concept}"])
        documents.append(document)
    corpora.write(documents, path)
    return path


def row(number: int, term1: str, term2: str, same: int) -> dict[str, Any]:
    one, other = f"Case {number}: {term1} fell.", f"{term2} rose in case {number}."
    return {
        "id": f"p{number}", "term1": term1, "term2": term2, "sentence1": one, "sentence2": other, "cat": "synonyms",
        "start1": one.index(term1), "end1": one.index(term1) + len(term1), "start2": 0, "end2": len(term2),
        "label": same,
    }  # fmt: skip


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def training_rows() -> list[dict[str, Any]]:
    words = [f"word{number}x" for number in range(24)]
    return [row(n, word, word if n % 2 else words[n - 1] + "other", n % 2) for n, word in enumerate(words)]


def test_pairs_are_made_trained_answered_and_scored(tmp_path: Path, lexicon: Path) -> None:
    pairs, model, answers = tmp_path / "pairs.jsonl", tmp_path / "model.json", tmp_path / "answers.jsonl"
    write_rows(pairs, training_rows())
    printed = run("train", "pairs", pairs, "-o", model, "--lexicon", lexicon, "--encoder", "off")
    assert "24 pairs, accuracy" in printed
    solve = ("pairs", pairs, "--lexicon", lexicon, "--model", model, "--encoder", "off")
    first = run(*solve, "--json")
    assert first == run(*solve, "--json")
    answers.write_text(first, "utf-8")
    assert json.loads(first.splitlines()[0])["id"] == "p0"
    table = run(*solve).splitlines()
    assert table[0] == "pair\tanswer\tscore\tterm1\tterm2\treasons"
    assert len(table) == 25
    scores = json.loads(run("evaluate", "pairs", pairs, answers, "--json", "--samples", "100"))
    assert scores["groups"]["all"]["accuracy"] > 0.9
    compared = run("evaluate", "pairs", pairs, answers, pairs)
    assert "answers against pairs: only the first is right in 0 pairs" in compared


def test_each_file_of_pairs_is_predicted_from_the_others(tmp_path: Path, lexicon: Path) -> None:
    rows = training_rows()
    (tmp_path / "more").mkdir()
    files = [write_rows(tmp_path / name, own) for name, own in (("a.jsonl", rows[:12]), ("more/a.jsonl", rows[12:]))]
    found = json.loads(run("train", "pairs", *files, "-o", tmp_path / "model.json", "--lexicon", lexicon, "--json"))
    assert found["accuracy by source"] == {str(file): 1.0 for file in files}
    one = json.loads(run("train", "pairs", files[0], "-o", tmp_path / "one.json", "--lexicon", lexicon, "--json"))
    assert "accuracy by source" not in one


def test_pairs_of_articles_in_both_forms(tmp_path: Path, lexicon: Path) -> None:
    articles = write_articles(tmp_path / "gold.xml")
    out = tmp_path / "pairs.jsonl"
    printed = run("corpora", "pairs", articles, "-o", out, "--lexicon", lexicon)
    assert printed.splitlines()[0] == "file\tgroup\tanswer\tpairs"
    found = read_pairs(str(out))
    assert {pair.group for pair in found} >= {"term_identity", "abbreviations"}
    assert all(pair.documents[0] and pair.concepts[0] for pair in found)
    run("corpora", "pairs", articles, "-o", tmp_path / "again.json", "--lexicon", lexicon)
    assert len(json.loads((tmp_path / "again.json").read_text("utf-8"))) == len(found)


def test_pairs_in_parts(tmp_path: Path, lexicon: Path) -> None:
    articles = write_articles(tmp_path / "gold.xml")
    counts = json.loads(
        run(
            "corpora",
            "pairs",
            articles,
            "-o",
            tmp_path / "parts",
            "--lexicon",
            lexicon,
            "--parts",
            "--most",
            1,
            "--json",
        )
    )
    assert [Path(file).name for file in counts["files"]] == ["train.jsonl", "dev.jsonl", "test.jsonl"]
    assert all(Path(file).is_file() for file in counts["files"])


def test_pairs_of_defined_forms(tmp_path: Path, lexicon: Path) -> None:
    texts = [
        "We treated celiac disease (CD). The CD fell in case {}.",
        "We cut the cytoplasmic domain (CD). The CD was cut in case {}.",
    ]
    path = tmp_path / "articles"
    path.mkdir()
    for number in range(8):
        (path / f"{number}.txt").write_text(texts[number % 2].format(number), "utf-8")
    out = tmp_path / "pairs.jsonl"
    run("corpora", "pairs", path, "-o", out, "--lexicon", lexicon, "--definitions")
    found = read_pairs(str(out))
    assert {pair.same for pair in found} == {True, False}
    for pair in found:
        assert pair.term1 == "CD"
        assert "(CD)" not in pair.sentence1 + pair.sentence2


def test_a_term_that_is_not_in_its_sentence_ends_with_3(tmp_path: Path, lexicon: Path) -> None:
    rows = [row(1, "aspirin", "aspirin", 1), {**row(2, "ethanol", "ethanol", 1), "start2": 3}]
    pairs = write_rows(tmp_path / "pairs.jsonl", rows)
    model = tmp_path / "model.json"
    training = write_rows(tmp_path / "train.jsonl", training_rows())
    run("train", "pairs", training, "-o", model, "--lexicon", lexicon, "--encoder", "off")
    result = ran("pairs", pairs, "--lexicon", lexicon, "--model", model, "--encoder", "off", "--json")
    assert result.exit_code == INCOMPLETE
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["p1"]


def test_wrong_use_is_one_sentence(tmp_path: Path, lexicon: Path) -> None:
    pairs = write_rows(tmp_path / "pairs.jsonl", training_rows())
    with pytest.raises(ConfigurationError, match="no file or folder"):
        run("pairs", tmp_path / "none.jsonl")
    with pytest.raises(ResourceError, match=r"the pairs model at .* cannot be read"):
        run("pairs", pairs, "--lexicon", lexicon, "--model", tmp_path / "none.json")
    doubled = write_rows(tmp_path / "doubled.jsonl", [{"id": "p1", "label": 1}] * 2)
    with pytest.raises(InputError, match="a second answer to pair p1"):
        run("evaluate", "pairs", pairs, doubled)


def test_a_folder_in_place_of_the_output_file_is_refused(tmp_path: Path, lexicon: Path) -> None:
    articles = write_articles(tmp_path / "a.xml")
    with pytest.raises(ConfigurationError, match="must be a file, but"):
        run("corpora", "pairs", articles, "--lexicon", lexicon, "-o", tmp_path)


def test_a_folder_without_the_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="contains no file of sciad"):
        run("corpora", "pairs", tmp_path, "--corpus", "sciad", "-o", tmp_path / "pairs.json")


def test_articles_of_a_corpus_are_read(tmp_path: Path) -> None:
    folder = put(tmp_path / "corpus", {"BC5CDR_TrainDev.PubTator": PUBTATOR, "BC5CDR_Test.PubTator": PUBTATOR})
    run("corpora", "pairs", folder, "--corpus", "bc5cdr", "-o", tmp_path / "pairs.json")
    assert json.loads((tmp_path / "pairs.json").read_text()) == []


def test_the_help_shows_a_line_that_can_be_answered(tmp_path: Path) -> None:
    shown = run("pairs", "--help")
    line = shown[shown.index('{"term1') :].partition("}")[0] + "}"
    (tmp_path / "pairs.jsonl").write_text(" ".join(line.split()) + "\n", "utf-8")
    assert "\taspirin\tASA\t" in run("pairs", tmp_path / "pairs.jsonl")
