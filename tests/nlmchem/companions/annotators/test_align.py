"""`nlmchem align`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import corpora
from corpora.model.document import mentions
from nlmchem.companions.annotators.aligning import alignment

Nlmchem = Callable[..., tuple[int, str, str]]
ARTICLES = "1|t|Zinc and aspirin.\n1|a|Aspirin was given.\n\n2|t|No zinc.\n2|a|\n"


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    path = tmp_path / "articles.pubtator"
    path.write_text(ARTICLES, "utf-8")
    return path


def rows(folder: Path, *values: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return path


def found(path: Path) -> dict[str, list[tuple[str, tuple[str, ...], str | None, str | None]]]:
    return {
        document.id: [(m.text, m.identifiers, m.annotator, alignment(m)) for m in mentions(document)]
        for document in corpora.read(path)
    }


def test_rows_become_mentions_with_the_reason(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(
        tmp_path,
        {"document": "1", "model": "gpt", "mentions": [{"text": "aspirin", "identifier": "D001241", "score": 0.8}]},
        {"document": "PMID:2", "text": "zinc"},
        {"document": "2", "text": "zinc", "label": "B-Chemical", "model": "gpt"},
        {"document": "2", "text": "zinc", "label": "Disease"},
    )
    code, printed, told = run(
        "align", articles, "--mentions", given, "-o", tmp_path / "out.xml", "--fates", tmp_path / "f"
    )
    assert code == 3
    assert "4 rows: placed 2, label not chemical 1, no such document 1; 3 mentions in 2 articles" in printed
    assert "rows.jsonl, line 2: 'zinc' names no document of the articles" in told
    aspirin = ("MESH:D001241",)
    assert found(tmp_path / "out.xml") == {
        "1": [
            ("aspirin", aspirin, "gpt (aligned)", "document"),
            ("Aspirin", aspirin, "gpt (aligned)", "document; case"),
        ],
        "2": [("zinc", (), "gpt (aligned)", "document")],
    }
    fates = [line.split("\t") for line in (tmp_path / "f").read_text("utf-8").splitlines()]
    assert [line[5] for line in fates] == ["fate", "placed", "no such document", "placed", "label not chemical"]


def test_the_answer_as_json(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(tmp_path, {"document": "1", "text": "Zinc"})
    code, printed, _ = run("align", articles, "--mentions", given, "-o", tmp_path / "o.json", "--json")
    answer = json.loads(printed)
    assert (code, answer["fates"], answer["mentions"]) == (0, {"placed": 1}, 1)


def test_rows_of_one_article_need_no_document(run: Nlmchem, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Low zinc.", "utf-8")
    given = rows(tmp_path, {"text": "zinc"})
    assert run("align", tmp_path / "a.txt", "--mentions", given, "-o", tmp_path / "o.xml")[0] == 0
    assert [m for m, *_ in found(tmp_path / "o.xml")["a"]] == ["zinc"]


def test_several_runs_are_aligned_one_by_one(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(
        tmp_path, {"document": "1", "text": "Zinc", "run": "a"}, {"document": "1", "text": "aspirin", "run": "b"}
    )
    code, _, told = run("align", articles, "--mentions", given, "-o", tmp_path / "o.xml")
    assert (code, "the mentions are of 2 runs (a, b); align each by itself with --run" in told) == (2, True)
    assert run("align", articles, "--mentions", given, "--run", "b", "-o", tmp_path / "o.xml")[0] == 0
    assert len(found(tmp_path / "o.xml")["1"]) == 2
    assert run("align", articles, "--mentions", given, "--run", "c", "-o", tmp_path / "p.xml")[0] == 2


def test_mentions_of_the_articles_are_kept_replaced_or_refused(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(tmp_path, {"document": "1", "text": "Zinc"})
    first = tmp_path / "first.xml"
    assert run("align", articles, "--mentions", given, "-o", first)[0] == 0
    again = rows(tmp_path, {"document": "1", "text": "aspirin"})
    code, _, told = run("align", first, "--mentions", again, "-o", tmp_path / "p.xml")
    assert (code, "already has 1 chemical mention" in told) == (3, True)
    for existing, number in (("keep", 3), ("replace", 2)):
        out = tmp_path / f"{existing}.xml"
        assert run("align", first, "--mentions", again, "-o", out, "--existing", existing)[0] == 0
        assert len(found(out)["1"]) == number


def test_answers_to_a_route_replace_the_mentions_of_its_passages(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(tmp_path, {"document": "1", "text": "Zinc"}, {"document": "1", "text": "Aspirin"})
    first = tmp_path / "first.xml"
    assert run("align", articles, "--mentions", given, "-o", first)[0] == 0
    route = tmp_path / "ask.jsonl"
    route.write_text(
        json.dumps({"document": "1", "passage": 18, "text": "Aspirin was given.", "mentions": []}), "utf-8"
    )
    answer = rows(tmp_path, {"document": "1", "passage": 18, "mentions": [{"text": "given", "start": 12, "end": 17}]})
    assert run("align", first, "--mentions", answer, "--route", route, "-o", tmp_path / "o.xml")[0] == 0
    assert [text for text, *_ in found(tmp_path / "o.xml")["1"]] == ["Zinc", "aspirin", "given"]


def test_a_file_of_the_user_stays(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    given = rows(tmp_path, {"document": "1", "text": "Zinc"})
    fates = tmp_path / "fates.tsv"
    fates.write_text("mine", "utf-8")
    assert run("align", articles, "--mentions", given, "-o", tmp_path / "o.xml", "--fates", fates)[0] == 2
    assert fates.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("given", "written"),
    [((95, 1, 0.5), (0.95, 0.01, 0.005)), ((0.95, 1, 0.5), (0.95, 1.0, 0.5)), ((100, 0, 50), (1.0, 0.0, 0.5))],
)
def test_scores_of_a_run_are_percentages_if_one_of_them_is_above_1(
    run: Nlmchem, articles: Path, tmp_path: Path, given: tuple[float, ...], written: tuple[float, ...]
) -> None:
    quotes = (("1", "Zinc"), ("1", "aspirin"), ("2", "zinc"))
    values = [
        {"document": document, "text": text, "quote": text, "score": score}
        for (document, text), score in zip(quotes, given, strict=True)
    ]
    code, _, _ = run("align", articles, "--mentions", rows(tmp_path, *values), "-o", tmp_path / "out.xml")
    assert code == 0
    scores = {m.text: m.evidence.score for document in corpora.read(tmp_path / "out.xml") for m in mentions(document)}
    assert (scores["Zinc"], scores["aspirin"], scores["zinc"]) == pytest.approx(written)
