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


@pytest.fixture
def annotated(run: Nlmchem, articles: Path, tmp_path: Path) -> Path:
    """Zinc and aspirin in article 1 at 0, aspirin at 18; zinc in article 2 at 0."""
    texts = [{"document": "1", "text": text} for text in ("Zinc", "aspirin")] + [{"document": "2", "text": "zinc"}]
    assert run("align", articles, "--mentions", rows(tmp_path, *texts), "-o", tmp_path / "first.xml")[0] == 0
    return tmp_path / "first.xml"


def route_of(folder: Path) -> Path:
    asked = [("1", 0, "Zinc and aspirin."), ("1", 18, "Aspirin was given."), ("2", 0, "No zinc.")]
    path = folder / "ask.jsonl"
    lines = [json.dumps({"document": d, "passage": at, "text": text, "mentions": []}) + "\n" for d, at, text in asked]
    path.write_text("".join(lines), "utf-8")
    return path


FIRST, SECOND, THIRD = "1 at 0", "1 at 18", "2 at 0"


@pytest.mark.parametrize(
    ("answers", "stay"),
    [
        ([{"document": "1", "passage": 18, "mentions": ["given"]}], {FIRST, THIRD}),
        ([{"document": "1", "passage": 18, "mentions": []}], {FIRST, THIRD}),
        ([{"document": "1", "passage": 18, "text": "given"}], {FIRST, THIRD}),
        ([{"document": "PMID:2", "passage": 0, "mentions": []}], {FIRST, SECOND, THIRD}),
        ([{"document": "1", "passage": 18, "mentions": None}], {FIRST, SECOND, THIRD}),
        ([{"document": "1", "text": "given"}], {FIRST, SECOND, THIRD}),
        ([{"document": d, "passage": at, "mentions": []} for d, at in (("1", 0), ("1", 18), ("2", 0))], set()),
    ],
    ids=["one", "an empty one", "a row", "another article", "no list", "no passage", "all"],
)
def test_a_passage_without_an_answer_keeps_its_mentions(
    run: Nlmchem, annotated: Path, tmp_path: Path, answers: list[object], stay: set[str]
) -> None:
    given, out = rows(tmp_path, *answers), tmp_path / "o.xml"
    code, _, told = run("align", annotated, "--mentions", given, "--route", route_of(tmp_path), "-o", out)
    assert code == (3 if stay else 0)
    if stay:
        assert f"{len(stay)} of 3 passages that were asked for have no answer and keep their mentions" in told
        assert all(passage in told for passage in stay)
    texts = {text for of_article in found(out).values() for text, *_ in of_article}
    assert ("Zinc" in texts, "Aspirin" in texts, "zinc" in texts) == (FIRST in stay, SECOND in stay, THIRD in stay)


@pytest.mark.parametrize(
    ("answers", "code", "left"),
    [
        ([{"document": "1", "text": "Zinc"}], 3, {"1": 1, "2": 1}),
        ([{"document": "1", "text": "Zinc"}, {"document": "2", "mentions": []}], 0, {"1": 1, "2": 0}),
        ([{"1": ["Zinc"], "2": []}], 0, {"1": 1, "2": 0}),
    ],
)
def test_an_article_without_a_row_keeps_its_mentions(
    run: Nlmchem, annotated: Path, tmp_path: Path, answers: list[object], code: int, left: dict[str, int]
) -> None:
    given, out = rows(tmp_path, *answers), tmp_path / "o.xml"
    ended, _, told = run("align", annotated, "--mentions", given, "--existing", "replace", "-o", out)
    assert ended == code
    assert ("mentions stay in 1 article without a row: 2" in told) == bool(code)
    assert {document: len(of_article) for document, of_article in found(out).items()} == left


def test_a_route_that_asks_for_nothing_is_refused(run: Nlmchem, annotated: Path, tmp_path: Path) -> None:
    given, route = rows(tmp_path, {"document": "1", "text": "Zinc"}), tmp_path / "route.json"
    route.write_text("[]")
    code, _, told = run("align", annotated, "--mentions", given, "--route", route, "-o", tmp_path / "o.xml")
    assert (code, "it asks for no passage; leave out --route" in told) == (3, True)


def test_a_route_and_replace_contradict_each_other(run: Nlmchem, annotated: Path, tmp_path: Path) -> None:
    given, route = rows(tmp_path, {"document": "1", "text": "Zinc"}), route_of(tmp_path)
    out = ("--existing", "replace", "-o", tmp_path / "o.xml")
    code, _, told = run("align", annotated, "--mentions", given, "--route", route, *out)
    assert (code, "with --route the mentions of other passages stay; leave out --existing replace" in told) == (2, True)


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
