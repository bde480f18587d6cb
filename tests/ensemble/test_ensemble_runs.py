"""Runs in step: what joins documents, what is refused, what does not matter."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora.errors import ConfigurationError, InputError, NlmchemError
from ensemble.runs import open_poll

Write = Callable[..., str]
Document = Callable[..., BioCDocument]
COPPER, ZINC = (0, 6), (19, 23)


def silent(sentence: str) -> None:
    """Ignores what is reported."""


def documents_and_votes(paths: list[str], **options: object) -> list[tuple[str, list[int]]]:
    with open_poll(paths, report=silent, **options) as poll:  # type: ignore[arg-type]
        return [
            (ballot.document.id, [-1 if vote is None else len(vote.mentions) for vote in ballot.votes])
            for ballot in poll.ballots()
        ]


def test_documents_are_read_in_step_whatever_their_order(write_run: Write, document: Document) -> None:
    one = write_run("one", [document("1", [COPPER]), document("2", [COPPER, ZINC]), document("3")])
    two = write_run("two", [document("3", [ZINC]), document("1"), document("2", [ZINC])])
    assert documents_and_votes([one, two]) == [("1", [1, 0]), ("2", [2, 1]), ("3", [0, 1])]


def test_the_order_of_runs_does_not_matter(write_run: Write, document: Document) -> None:
    one, two = write_run("one", [document("1", [COPPER])]), write_run("two", [document("1", [ZINC])])
    with open_poll([one, two], report=silent) as here, open_poll([two, one], report=silent) as there:
        assert here.names == there.names == ("one", "two")
        assert here.digest == there.digest


def test_a_poll_can_be_read_again(write_run: Write, document: Document) -> None:
    path = write_run("one", [document("1", [COPPER])])
    with open_poll([path], report=silent) as poll:
        assert len(list(poll.ballots())) == len(list(poll.ballots())) == 1


def test_several_processes_give_the_same_result(write_run: Write, document: Document) -> None:
    paths = [write_run(name, [document("1", [COPPER]), document("2", [ZINC])]) for name in ("a", "b", "c")]
    assert documents_and_votes(paths, workers=2) == documents_and_votes(paths)


def test_processes_read_from_the_folder_that_is_current(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes of an earlier vote are used again."""
    for number in ("1", "2"):
        folder = tmp_path / number
        folder.mkdir()
        for name in ("a.xml", "b.xml"):
            corpora.write([document(number, [COPPER])], folder / name)
        monkeypatch.chdir(folder)
        assert documents_and_votes(["a.xml", "b.xml"], workers=2) == [(number, [1, 1])]


def test_runs_may_be_in_different_formats_and_folders(write_run: Write, document: Document, tmp_path: Path) -> None:
    marked = [document("1", [(*COPPER, "MESH:D003300")]), document("2", [ZINC])]
    folder = tmp_path / "folder"
    folder.mkdir()
    for article in marked:
        corpora.write([article], folder / f"{article.id}.xml")
    paths = [
        write_run("xml", marked),
        write_run("json", marked, "biocjson", ".json"),
        write_run("lines", marked, "jsonl", ".jsonl"),
        write_run("pub", marked, "pubtator", ".pubtator"),
        str(folder),
    ]
    with open_poll(paths, report=silent) as poll:
        for ballot in poll.ballots():
            assert {vote.mentions for vote in ballot.votes if vote} == {ballot.votes[0].mentions}  # type: ignore[union-attr]
        # PubTator has no index terms and no infons, but the same mentions.
        assert {run.digest for run in poll.runs} == {poll.runs[0].digest}


def test_the_text_comes_from_the_run_with_most_infons(write_run: Write, document: Document) -> None:
    rich = document("1")
    rich.passages[0].infons["section_type"] = "METHODS"
    paths = [write_run("a-poor", [document("1")]), write_run("b-rich", [rich])]
    with open_poll(paths, report=silent) as poll:
        (ballot,) = poll.ballots()
    assert ballot.document.passages[0].infons["section_type"] == "METHODS"


def test_manifest_and_card_are_not_read_as_articles(write_run: Write, document: Document, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "quarantine").mkdir(parents=True)
    corpora.write([document("1", [COPPER])], folder / "1.xml")
    manifest = {"made_by": "nlmchem annotate", "state": "finished"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "README.md").write_text("# A card")
    (folder / "quarantine" / "failure.json").write_text("{}")
    assert documents_and_votes([str(folder)]) == [("1", [1])]


def test_two_documents_of_one_id_with_different_texts_are_kept_apart(write_run: Write, document: Document) -> None:
    # As Auto-CORPus writes them: the tables are a file of their own, with the article's id.
    def run(name: str, *order: int) -> str:
        parts = [document("1", [COPPER]), document("1", texts=("A table of zinc",))]
        return write_run(name, [parts[at] for at in order])

    assert documents_and_votes([run("one", 0, 1), run("two", 1, 0)]) == [("1", [1, 1]), ("1", [0, 0])]


# -- what is refused ----------------------------------------------------------------------------


def refusal(paths: list[str], **options: object) -> str:
    with pytest.raises(NlmchemError) as caught, open_poll(paths, report=silent, **options):  # type: ignore[arg-type]
        pass
    return str(caught.value)


def test_a_missing_document_is_an_error_with_its_id(write_run: Write, document: Document) -> None:
    whole = write_run("whole", [document("1"), document("2")])
    part = write_run("part", [document("1")])
    message = refusal([whole, part])
    assert message == (
        "part does not have 1 of 2 documents (the first, '2', is in whole); add them, or use missing=\"abstain\""
    )


def test_with_abstain_shares_are_of_the_runs_that_have_the_document(write_run: Write, document: Document) -> None:
    paths = [
        write_run("a", [document("1", [COPPER])]),
        write_run("b", [document("1", [COPPER]), document("2", [ZINC])]),
        write_run("c", [document("1"), document("2", [COPPER])]),
    ]
    reports: list[str] = []
    with open_poll(paths, missing="abstain", report=reports.append) as poll:
        ballots = {ballot.document.id: ballot for ballot in poll.ballots()}
    # Only b and c have document 2: the share is one of two, not one of three.
    assert ballots["1"].share([0, 1]) == 0.6667
    assert ballots["2"].votes[0] is None
    assert ballots["2"].share([1]) == 0.5
    assert reports == ["a does not have 1 of 2 documents (the first, '2', is in b): the other runs vote without it"]


def test_runs_over_different_documents_are_refused(write_run: Write, document: Document) -> None:
    message = refusal([write_run("one", [document("1")]), write_run("two", [document("2")])])
    assert message.startswith("one does not have 1 of 2 documents")


def test_different_texts_are_refused_with_document_and_offset(write_run: Write, document: Document) -> None:
    one = write_run("one", [document("0"), document("1", texts=("Zinc", "in blood"))])
    two = write_run("two", [document("0"), document("1", texts=("Zinc", "in bloob"))])
    message = refusal([one, two], missing="abstain")
    assert message.startswith("document '1', passage 2: the texts differ from character 7: 'in blood' in one")
    assert message.endswith("make them from the same input")


def test_a_document_that_occurs_twice_in_a_run_is_refused(write_run: Write, document: Document) -> None:
    assert refusal([write_run("one", [document("1"), document("1")])]) == (
        "document '1' occurs twice in one; remove one of them"
    )


def test_an_empty_run_is_refused(write_run: Write, document: Document, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "has no document" in refusal([str(empty)])
    assert "has no document" in refusal([write_run("none", [])])
    nothing = tmp_path / "nothing.xml"
    nothing.write_bytes(b"")
    assert "it is empty" in refusal([str(nothing)])


def test_a_run_without_annotations_gives_a_warning(write_run: Write, document: Document) -> None:
    reports: list[str] = []
    with open_poll([write_run("a", [document("1")]), write_run("b", [document("1", [ZINC])])], report=reports.append):
        pass
    assert reports == ["a has no annotations; it lowers the share of every span and index term"]


def test_a_single_run_gives_a_warning(write_run: Write, document: Document) -> None:
    reports: list[str] = []
    with open_poll([write_run("alone", [document("1", [ZINC])])], report=reports.append):
        pass
    assert reports == ["alone is the only run, so every score is 1"]


def test_two_equal_runs_give_a_warning(write_run: Write, document: Document) -> None:
    reports: list[str] = []
    paths = [write_run(name, [document("1", [ZINC])]) for name in ("a", "b")]
    with open_poll(paths, report=reports.append):
        pass
    assert reports == ["b has the same annotations as a, so these annotations count twice"]


def test_a_mention_that_differs_from_the_text_has_no_vote(write_run: Write, document: Document) -> None:
    broken = document("1", [COPPER, ZINC])
    broken.passages[0].annotations[0].text = "Silver"
    reports: list[str] = []
    with open_poll([write_run("a", [broken])], report=reports.append) as poll:
        (ballot,) = poll.ballots()
    assert [mention.spans for mention in ballot.votes[0].mentions] == [(ZINC,)]  # type: ignore[union-attr]
    assert "its text is 'Silver', but the text at its location is 'Copper'" in reports[0]


@pytest.mark.parametrize("weights", [["1"], ["1", "0"], ["1", "-2"], ["1", "much"], ["1", "1/0"]])
def test_wrong_weights_are_refused(write_run: Write, document: Document, weights: list[str]) -> None:
    paths = [write_run(name, [document("1")]) for name in ("a", "b")]
    with pytest.raises(ConfigurationError, match="weight"), open_poll(paths, weights=weights):
        pass


def test_no_run_and_a_run_given_twice_are_refused(write_run: Write, document: Document) -> None:
    assert "no run was given" in refusal([])
    path = write_run("a", [document("1")])
    assert "is given twice" in refusal([path, path])
    assert "read only once" in refusal(["-"])
    assert "no file or folder" in refusal([path + ".gone"])


def test_a_run_that_changes_while_it_is_read_is_refused(write_run: Write, document: Document) -> None:
    path = write_run("a", [document("1")])
    with open_poll([path], report=silent) as poll:
        write_run("a", [document("1", texts=("another text",))])
        with pytest.raises(InputError, match="changed while it was read"):
            list(poll.ballots())


def test_temporary_files_are_removed(write_run: Write, document: Document, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with open_poll([write_run("a", [document("1")])], scratch=scratch, report=silent):
        assert list(scratch.iterdir())
    assert not list(scratch.iterdir())


# -- memory -------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_number_of_documents(write_run: Write, document: Document) -> None:
    text = "zinc " * 2000
    marks = [(5 * at, 5 * at + 4) for at in range(100)]

    def peak(number: int) -> int:
        articles = [document(str(at), marks, texts=(text,)) for at in range(number)]
        paths = [write_run(f"run{at}-{number}", articles[:: 1 if at else -1]) for at in range(2)]
        del articles
        tracemalloc.start()
        with open_poll(paths, report=silent) as poll:
            for _ in poll.ballots():
                pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(5)  # what is loaded and cached once
    few, many = peak(5), peak(35)
    # Thirty documents more of 10 kB and 100 mentions in two runs: held, they would be some megabytes.
    assert many - few < 500_000
