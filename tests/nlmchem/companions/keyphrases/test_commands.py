"""`nlmchem keyphrases`, `evaluate keyphrases`, `train keyphrases`, and the step `keyphrases`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import corpora
import nlmchem
from nlmchem.companions.keyphrases.keyphrase import keyphrases
from nlmchem.run.plan import Configuration

Nlmchem = Callable[..., tuple[int, str, str]]
JATS = """<article><front><article-meta><article-id pub-id-type="pmc">{0}</article-id><title-group>
<article-title>Studies of {1}</article-title></title-group><abstract><p>We measured {1} in samples. The {1} of plants
was low.</p></abstract><kwd-group><kwd>{1}</kwd></kwd-group></article-meta></front><body><sec><title>Results</title>
<p>Soil water was high. Soil water had {1}.</p></sec></body></article>"""
TOPICS = ("zinc uptake", "membrane transport", "nitrogen fixation", "leaf senescence")


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.nxml").write_text(JATS.format(100 + number, TOPICS[number % 4]), "utf-8")
    return folder


def test_keyphrases_are_listed_as_a_table(run: Nlmchem, articles: Path) -> None:
    code, printed, told = run("keyphrases", articles / "0.nxml", "-n", 2)
    assert run("keyphrases", "list", articles / "0.nxml", "-n", 2)[1] == printed
    lines = [line.split("\t") for line in printed.splitlines()]
    assert (code, told.strip()) == (0, "nlmchem: 1 article read, 0 failed")
    assert lines[0] == ["document", "rank", "score", "phrase", "stem", "occurrences"]
    assert (lines[1][0], lines[1][1], lines[1][3], lines[1][5]) == ("100", "1", "zinc uptake", "4")
    assert len(lines) == 3


def test_keyphrases_as_json_are_scored(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    code, printed, _ = run("keyphrases", articles, "-n", 1, "--json")
    assert (code, len(printed.splitlines())) == (0, 12)
    (tmp_path / "run.jsonl").write_text(printed, "utf-8")
    code, printed, _ = run("evaluate", "keyphrases", articles, tmp_path / "run.jsonl", "--json")
    assert code == 0
    assert json.loads(printed)["author"]["5"]["micro"]["recall"] > 0.5
    assert "author" in run("evaluate", "keyphrases", articles, tmp_path / "run.jsonl")[1]


def test_the_reasons_are_shown(run: Nlmchem, articles: Path) -> None:
    code, printed, _ = run("keyphrases", "explain", articles / "0.nxml", "--candidates", 2, "--reasons", 1)
    assert (code, len(printed.splitlines())) == (0, 3)
    assert "zinc uptake" in printed
    assert run("keyphrases", "explain")[0] == 2


def test_wrong_usage(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    assert run("keyphrases", articles, "-n", 3, "--threshold", 0.2)[0] == 2
    assert run("keyphrases", articles, "--model", tmp_path / "none.json")[0] == 2
    code, _, message = run("keyphrases", "nowhere")
    assert (code, "no file or folder at nowhere; check the path" in message) == (2, True)


def test_a_broken_article_is_reported_and_the_others_are_listed(run: Nlmchem, articles: Path) -> None:
    (articles / "5.nxml").write_text("<article><front>", "utf-8")
    code, printed, told = run("keyphrases", articles, "-n", 1)
    assert (code, len(printed.splitlines())) == (3, 12)
    assert "11 articles read, 1 failed" in told


def test_articles_without_keyphrases_and_in_another_language_are_reported(run: Nlmchem, tmp_path: Path) -> None:
    texts = {
        "empty": "",
        "stops": "This is it.",
        "german": "Die Aufnahme von Zink durch Wurzeln wurde gemessen. " * 20,
        "english": "Zinc uptake of roots was measured in the soil. " * 20,
    }
    for name, text in texts.items():
        tmp_path.joinpath(f"{name}.json").write_text(json.dumps(one_passage(name, text)), "utf-8")
    code, printed, told = run("keyphrases", *(tmp_path / f"{name}.json" for name in texts), "--json")
    assert code == 0
    assert [json.loads(line)["document"] for line in printed.splitlines()] == list(texts)
    assert "document empty has no keyphrases, because it has no text" in told
    assert "document stops has no keyphrases with the lowest score; use --threshold or --number" in told
    assert "document german does not look like English; its keyphrases may be wrong" in told
    assert "document english" not in told
    assert "4 articles read, 0 failed" in told


def one_passage(name: str, text: str) -> dict[str, object]:
    """A BioC collection of one article without a section."""
    passage = {"offset": 0, "infons": {}, "text": text, "sentences": [], "annotations": [], "relations": []}
    document = {"id": name, "infons": {}, "passages": [passage], "annotations": [], "relations": []}
    return {"source": "", "date": "", "key": "", "infons": {}, "documents": [document]}


def test_training_writes_a_model(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    code, printed, _ = run("train", "keyphrases", articles, "-o", model, "--trees", 3, "--folds", 2)
    assert (code, model.exists()) == (0, True)
    assert "12 articles" in printed
    assert run("keyphrases", articles / "0.nxml", "--model", model, "-n", 1)[0] == 0
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"100": [["soil water"]]}), "utf-8")
    code, _, told = run("train", "keyphrases", articles, "-o", model, "--keys", keys)
    assert (code, "1 article with keyphrases, but training needs 10" in told) == (2, True)


def test_the_step_adds_keyphrases_and_is_off_by_default(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    assert "keyphrases" not in Configuration().steps
    out = tmp_path / "out"
    assert run("annotate", articles, "-o", out, "--steps", "keyphrases", "--keyphrase-threshold", 0.01)[0] == 0
    documents = list(corpora.read(out))
    assert len(documents) == 12
    assert all(next(keyphrases(document)).rank == 1 for document in documents)
    code, _, told = run(
        "annotate", articles, "-o", tmp_path / "b", "--steps", "abbreviate", "--keyphrase-threshold", 0.5
    )
    assert (code, "needs the step keyphrases" in told) == (2, True)


def test_the_remedy_for_damaged_answers_works(run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("Zinc chloride and ethanol in water.")
    Path("keys.json").write_text('{"a": [["zinc"]]}')
    Path("wrong.jsonl").write_text('{"document": "a", "keyphrases": [1]}\n')
    code, _, message = run("evaluate", "keyphrases", "keys.json", "wrong.jsonl")
    assert (code, "`nlmchem keyphrases --json`" in message) == (3, True)
    code, printed, _ = run("keyphrases", "a.txt", "--json")
    Path("printed.jsonl").write_text(printed)
    assert (code, run("evaluate", "keyphrases", "keys.json", "printed.jsonl")[0]) == (0, 0)


def test_articles_have_their_keyphrases_as_an_attribute(articles: Path) -> None:
    (article,) = nlmchem.read(articles / "0.nxml")
    assert article.keyphrases == []
    (again,) = nlmchem.load(steps="keyphrases")([article])
    assert again.keyphrases[0].rank == 1
    assert "keyphrases" in dir(again)
    values = again.to_dict()
    assert list(values)[-1] == "keyphrases"
    assert values["keyphrases"][0]["phrase"] == again.keyphrases[0].phrase
