"""Submissions: the text of the reference with the annotations of the task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCRelation, biocjson, biocxml

import corpora
from corpora.errors import ArticleError, ConfigurationError
from corpora.submission import check_submission, file_name, write_submission

ZINC = "MESH:D015032"


def silent(sentence: str) -> None:
    """Ignores what is reported."""


def mark(start: int, text: str, identifier: str | None = None, **infons: str) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id = f"T{start}-{len(text)}"
    annotation.infons = {"type": "Chemical", **infons}
    if identifier is not None:
        annotation.infons["identifier"] = identifier
    annotation.add_location(BioCLocation(start, len(text)))
    annotation.text = text
    return annotation


def article(id: str, *annotations: BioCAnnotation, text: str = "zinc and copper sulfate") -> BioCDocument:
    document = BioCDocument()
    document.id = id
    passage = BioCPassage()
    passage.offset, passage.text, passage.infons = 10, text, {"type": "front"}
    passage.annotations = list(annotations)
    document.add_passage(passage)
    return document


@pytest.fixture
def submit(tmp_path: Path) -> Callable[..., Any]:
    """Write run and reference as files, submit; (submission, the written documents)."""

    def call(
        run: list[BioCDocument],
        reference: list[BioCDocument],
        task: str = "identification",
        out: str = "",
        report: Callable[[str], None] = silent,
    ) -> Any:
        corpora.write(run, tmp_path / "run.xml")
        corpora.write(reference, tmp_path / "reference.xml")
        submission = write_submission(
            str(tmp_path / "run.xml"), str(tmp_path / "reference.xml"), task, "999", 1, tmp_path / "out" / out, report
        )
        return submission, list(corpora.read(submission.path))

    return call


def facts(document: BioCDocument) -> list[tuple[str, str, dict[str, str]]]:
    return [(a.id, a.text, a.infons) for passage in document.passages for a in passage.annotations]


def test_the_file_name_follows_the_track() -> None:
    assert file_name("identification", "999", 1) == "Track2-Team-999-Subtask1-Run-1.xml"
    assert file_name("indexing", "127", 5, ".json") == "Track2-Team-127-Subtask2-Run-5.json"


@pytest.mark.parametrize(
    "arguments", [("tagging", "999", 1), ("indexing", "9/9", 1), ("indexing", "999", 0), ("indexing", "9", 1, ".tsv")]
)
def test_parts_that_are_not_allowed_in_the_name_are_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ConfigurationError):
        file_name(*arguments)


def test_a_submission_has_the_documents_of_the_reference_and_the_mentions_of_the_run(
    submit: Callable[..., Any],
) -> None:
    gold = article("1", mark(10, "zinc", "MESH:D000001"))
    relation = BioCRelation()
    relation.id = "R1"
    gold.passages[0].add_relation(relation)
    abbreviation = mark(10, "zinc", None, type="ABBR")
    run = [article("2"), article("1", abbreviation, mark(10, "zinc", ZINC, score="0.5", voters="a,b", annotator="x"))]
    submission, (first, second) = submit(run, [gold, article("2")])
    assert (first.id, second.id) == ("1", "2")
    # The reference's own annotations and relations, other types and all other infons are gone.
    assert facts(first) == [("0", "zinc", {"type": "Chemical", "identifier": ZINC})]
    assert first.passages[0].relations == []
    assert (first.passages[0].offset, first.passages[0].infons) == (10, {"type": "front"})
    assert submission.path.name == "Track2-Team-999-Subtask1-Run-1.xml"
    assert (submission.documents, submission.annotations, submission.without_annotations) == (2, 1, 1)


@pytest.mark.parametrize(
    ("stated", "written"),
    [
        ("MESH:D015032", "MESH:D015032"),
        ("D015032", "MESH:D015032"),
        ("D015032, MESH:C000597310", "MESH:D015032,MESH:C000597310"),
        ("MESH:D015032,MESH:D015032", "MESH:D015032"),
        ("MESH:D015032,-", "MESH:D015032,-"),
        ("-", "-"),
        ("", "-"),
        (None, "-"),
    ],
)
def test_identifiers_get_their_prefix(submit: Callable[..., Any], stated: str | None, written: str) -> None:
    _, (document,) = submit([article("1", mark(10, "zinc", stated))], [article("1")])
    assert facts(document)[0][2]["identifier"] == written


@pytest.mark.parametrize("stated", ["CHEBI:27363", "zinc", "MESH:D15", "MESH:D015032|MESH:D003300"])
def test_identifiers_that_are_not_in_mesh_are_refused(submit: Callable[..., Any], stated: str) -> None:
    with pytest.raises(ArticleError, match=r"document '1', mention 'zinc' at offset 10: .* is not a MeSH identifier"):
        submit([article("1", mark(10, "zinc", stated))], [article("1")])


def test_of_overlapping_mentions_the_best_or_else_the_longest_is_kept(submit: Callable[..., Any]) -> None:
    messages: list[str] = []
    run = article(
        "1", mark(19, "copper"), mark(19, "copper sulfate"), mark(26, "sulfate"), mark(10, "zinc", None, score="0.9"),
        mark(10, "zinc and copper", None, score="0.2"),
    )  # fmt: skip
    submission, (document,) = submit([run], [article("1")], report=messages.append)
    assert [text for _, text, _ in facts(document)] == ["zinc", "copper sulfate"]
    assert submission.dropped_overlaps == 3
    assert messages == ["left out: 3 mentions overlapping a better or longer one"]


def test_mentions_of_length_zero_are_left_out_and_reported(submit: Callable[..., Any]) -> None:
    messages: list[str] = []
    submission, (document,) = submit(
        [article("1", mark(10, ""), mark(10, "zinc"))], [article("1")], report=messages.append
    )
    assert len(facts(document)) == submission.annotations == 1
    assert messages[-1] == "left out: 1 mention of length zero"
    assert "its location at offset 10 is empty; kept unchanged" in messages[0]


def test_mentions_in_pieces_keep_their_pieces(submit: Callable[..., Any]) -> None:
    pieces = mark(10, "zinc")
    pieces.locations.append(BioCLocation(26, 7))
    pieces.text = "zinc sulfate"
    _, (document,) = submit([article("1", pieces)], [article("1")])
    (annotation,) = document.passages[0].annotations
    assert [(place.offset, place.length) for place in annotation.locations] == [(10, 4), (26, 7)]


def test_a_mention_with_another_text_is_refused(submit: Callable[..., Any]) -> None:
    with pytest.raises(ArticleError, match="'lead' at offset 10 is not the text there"):
        submit([article("1", mark(10, "lead"))], [article("1")])


def term(identifier: str, name: str = "Zinc") -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id = f"MIC-{identifier}"
    annotation.infons = {"type": "MeSH_Indexing_Chemical", "identifier": identifier, "entry_term": name, "score": "1"}
    return annotation


def test_an_indexing_submission_has_only_index_terms(submit: Callable[..., Any]) -> None:
    run = article("1", mark(10, "zinc", ZINC), term("D015032"), term(ZINC), term("MESH:D003300", "Copper"), term("-"))
    submission, (document,) = submit([run], [article("1")], "indexing")
    kind = "MeSH_Indexing_Chemical"
    assert facts(document) == [
        ("MIC1", "Copper", {"type": kind, "identifier": "MESH:D003300", "entry_term": "Copper"}),
        ("MIC2", "Zinc", {"type": kind, "identifier": ZINC, "entry_term": "Zinc"}),
    ]
    assert submission.path.name == "Track2-Team-999-Subtask2-Run-1.xml"


def test_both_formats_are_read_by_the_bioc_library(submit: Callable[..., Any]) -> None:
    run, reference = [article("1", mark(10, "zinc", ZINC))], [article("1")]
    written, _ = submit(run, reference, out="Track2-Team-999-Subtask1-Run-1.json")
    with written.path.open(encoding="utf-8") as stream:
        from_json = biocjson.load(stream)
    written, _ = submit(run, reference, out="Track2-Team-999-Subtask1-Run-1.xml")
    with written.path.open(encoding="utf-8") as stream:
        from_xml = biocxml.load(stream)
    for collection in (from_json, from_xml):
        (annotation,) = collection.documents[0].passages[0].annotations
        assert (annotation.text, annotation.infons["identifier"]) == ("zinc", ZINC)


def test_another_file_name_is_reported(submit: Callable[..., Any]) -> None:
    messages: list[str] = []
    submit([article("1", mark(10, "zinc"))], [article("1")], out="mine.xml", report=messages.append)
    assert messages == [
        "the track requires the file name Track2-Team-999-Subtask1-Run-1.xml; the file is named mine.xml"
    ]


def test_a_submission_without_annotations_is_reported(submit: Callable[..., Any]) -> None:
    messages: list[str] = []
    submit([article("1", mark(10, "zinc"))], [article("1")], "indexing", report=messages.append)
    assert messages == ["the submission has no annotations; check that the run has annotations for indexing"]


def test_another_text_is_refused_with_the_first_difference(submit: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'1', passage 1: .* from character 9: .*annotate the ref"):
        submit([article("1", text="zinc and silver sulfate")], [article("1")])
    assert not list((tmp_path / "out").glob("*"))


def test_other_documents_are_refused_on_either_side(submit: Callable[..., Any]) -> None:
    with pytest.raises(ConfigurationError, match="document '2' of the reference is not in"):
        submit([article("1")], [article("1"), article("2")])
    with pytest.raises(ConfigurationError, match=r"document '2' of .* is not in the reference"):
        submit([article("1"), article("2")], [article("1")])
    with pytest.raises(ConfigurationError, match="occurs twice"):
        submit([article("1"), article("1")], [article("1")])


def test_the_same_run_gives_the_same_bytes(submit: Callable[..., Any]) -> None:
    run, reference = [article("1", mark(19, "copper"), mark(10, "zinc", ZINC))], [article("1")]
    first, _ = submit(run, reference)
    second, _ = submit(run, reference)
    assert first.sha256 == second.sha256


# -- the check by itself ------------------------------------------------------------------------


def broken(change: Callable[[BioCDocument], None]) -> BioCDocument:
    document = article("1", mark(10, "zinc", ZINC))
    change(document)
    return document


def first_annotation(document: BioCDocument) -> BioCAnnotation:
    return document.passages[0].annotations[0]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda d: setattr(d, "id", "2"), "document '2' is in the position of '1' in the reference"),
        (lambda d: setattr(d.passages[0], "offset", 9), "begins at offset 10 in the reference"),
        (lambda d: first_annotation(d).infons.update(type="Disease"), "'Disease' does not belong to this task"),
        (lambda d: first_annotation(d).infons.update(identifier="D015032"), "not a MeSH identifier with its prefix"),
        (lambda d: first_annotation(d).infons.pop("identifier"), "it has no identifier"),
        (lambda d: d.passages[0].annotations.append(mark(10, "zinc", "-")), "its id occurs twice"),
        (lambda d: d.passages[0].annotations.append(mark(12, "nc and", "-")), "overlap"),
        (lambda d: d.passages[0].annotations.append(mark(19, "silver", "-")), "the text at its location is"),
        (lambda d: d.passages[0].annotations.append(mark(90, "zinc", "-")), "is outside its passage"),
        (lambda d: d.passages[0].annotations.append(mark(19, "", "-")), "is empty"),
        (lambda d: first_annotation(d).locations.clear(), "it has no location"),
        (lambda d: d.annotations.append(term(ZINC)), "does not belong to this task"),
    ],
)
def test_the_check_reports_a_fault(change: Callable[[BioCDocument], None], fault: str, tmp_path: Path) -> None:
    corpora.write([article("1")], tmp_path / "reference.xml")
    corpora.write([broken(change)], tmp_path / "file.xml")
    faults = list(check_submission(tmp_path / "file.xml", str(tmp_path / "reference.xml"), "identification"))
    assert any(fault in found for found in faults), faults


def test_the_check_reports_missing_and_added_documents(tmp_path: Path) -> None:
    corpora.write([article("1"), article("2")], tmp_path / "two.xml")
    corpora.write([article("1")], tmp_path / "one.xml")
    two, one = tmp_path / "two.xml", tmp_path / "one.xml"
    assert list(check_submission(one, str(two), "indexing")) == ["document '2' is missing"]
    assert list(check_submission(two, str(one), "indexing")) == ["document '2' is not in the reference"]
    assert list(check_submission(two, str(two), "indexing")) == []
