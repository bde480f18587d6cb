"""The quarantine: what it contains, and how articles are removed from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpora.errors import ConfigurationError
from corpora.formats import registry
from nlmchem.engine.quarantine import Quarantine, article_of, entry_of
from nlmchem.engine.tasks import Failure, Source, Task

SOURCE = Source(1, "in/sub/a.xml", None, PurePosixPath("sub/a.xml"))
RAW = b"<document/>"
TASK = Task(1, 3, sha256(RAW).hexdigest(), "biocxml", RAW, "a")
FAILURE = Failure("tag", "it is wrong", "Traceback\n  a line")


@pytest.fixture
def quarantine(tmp_path: Path) -> Quarantine:
    return Quarantine(tmp_path / "quarantine", {"steps": ["tag"]})


def test_a_failed_article_is_stored_unchanged_with_the_reason(quarantine: Quarantine, tmp_path: Path) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    place = tmp_path / "quarantine" / "sub" / "a.xml.3"
    assert (place / "article.xml").read_bytes() == TASK.raw
    facts = json.loads((place / "error.json").read_text())
    assert (facts["input"], facts["position"], facts["stage"]) == ("in/sub/a.xml", 3, "tag")
    assert (facts["message"], facts["traceback"]) == ("it is wrong", ["Traceback", "  a line"])
    assert facts["configuration"] == {"steps": ["tag"]}


def corrected(tmp_path: Path) -> Path:
    copy = tmp_path / "quarantine" / "sub" / "a.xml.3" / "article.xml"
    copy.write_bytes(b"<document>corrected</document>")
    return copy


@pytest.fixture
def copy(quarantine: Quarantine, tmp_path: Path) -> Path:
    """A copy that was corrected by hand."""
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    return corrected(tmp_path)


def test_a_corrected_copy_stays_when_its_article_fails_again(quarantine: Quarantine, copy: Path) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    assert copy.read_bytes() == b"<document>corrected</document>"
    assert quarantine.kept == [copy]
    (entry,) = quarantine.entries()
    assert entry.article == copy, "it can still be replayed"


def test_a_corrected_copy_gets_another_name_when_its_article_succeeds(quarantine: Quarantine, copy: Path) -> None:
    (copy.parent / "changed-article.xml").write_bytes(b"an earlier one")
    quarantine.remove(SOURCE, 3)
    assert (copy.parent / "changed-2-article.xml").read_bytes() == b"<document>corrected</document>"
    assert (copy.parent / "changed-article.xml").read_bytes() == b"an earlier one"
    assert not list(quarantine.entries())


def test_a_corrected_copy_that_was_replayed_is_removed_with_its_article(quarantine: Quarantine, copy: Path) -> None:
    (entry,) = quarantine.entries()
    quarantine.use(entry, copy.read_bytes())
    quarantine.remove(SOURCE, 3)
    assert not copy.parent.exists()


def test_a_file_at_the_place_of_a_copy_stays(quarantine: Quarantine, copy: Path) -> None:
    (copy.parent / "error.json").unlink()
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    assert copy.read_bytes() == b"<document>corrected</document>"
    assert quarantine.kept == [copy]


def test_entries_contain_what_was_added(quarantine: Quarantine, tmp_path: Path) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    (entry,) = quarantine.entries()
    assert (entry.output, entry.position, entry.hash, entry.format) == (SOURCE.output, 3, TASK.hash, "biocxml")
    assert entry.article is not None
    assert entry.article.read_bytes() == TASK.raw


@pytest.mark.parametrize("format", [format.name for format in registry.formats() if format.reader])
def test_an_article_of_every_readable_format_is_stored_and_read_back(quarantine: Quarantine, format: str) -> None:
    quarantine.add(SOURCE, 3, FAILURE, replace(TASK, format=format))
    (entry,) = quarantine.entries()
    assert entry.article is not None
    assert entry.article.name == f"article{registry.suffix_of(format)}"


def test_an_article_that_could_not_be_read_has_no_copy(quarantine: Quarantine) -> None:
    quarantine.add(SOURCE, 0, FAILURE, None)
    (entry,) = quarantine.entries()
    assert entry.article is None


def test_removing_the_last_article_removes_the_folders(quarantine: Quarantine, tmp_path: Path) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    quarantine.remove(SOURCE, 3)
    assert not (tmp_path / "quarantine").exists()
    quarantine.remove(SOURCE, 3)


def test_a_removal_that_was_interrupted_at_any_file_is_completed_by_the_next_run(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by the drills: the record was removed first, so a copy without a record stayed for ever."""
    unlink = Path.unlink
    for deleted in range(2):
        quarantine.add(SOURCE, 3, FAILURE, TASK)
        left = iter(range(deleted))

        def interrupted(path: Path, missing_ok: bool = False, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            unlink(path, missing_ok)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", interrupted)
            with pytest.raises(KeyboardInterrupt):
                quarantine.remove(SOURCE, 3)
        quarantine.keep(lambda output, position: False)
        assert not (tmp_path / "quarantine").exists()


COLLIDING = ["a.xml", "a.xml.3/b.xml", "a.xml.3/error.json/b.xml", "a.xml.3/article.xml/b.xml", "a.xml.3+/b.xml"]


def test_the_folder_of_an_article_is_never_a_folder_of_inputs(quarantine: Quarantine) -> None:
    for name in COLLIDING:
        quarantine.add(Source(1, name, None, PurePosixPath(name)), 3, FAILURE, TASK)
    entries = list(quarantine.entries())
    assert sorted(str(entry.output) for entry in entries) == sorted(COLLIDING)
    assert not [entry for entry in entries if any(entry.folder in other.folder.parents for other in entries)]
    quarantine.keep(lambda output, position: str(output) == "a.xml.3/error.json/b.xml")
    assert [str(entry.output) for entry in quarantine.entries()] == ["a.xml.3/error.json/b.xml"]


@given(st.lists(st.text("ab.3+", min_size=1), min_size=1, max_size=3), st.integers(0, 40))
def test_the_folder_of_an_article_names_its_output_and_position(parts: list[str], position: int) -> None:
    assume(not set(parts) & {".", ".."})
    output = PurePosixPath(*parts)
    assert article_of(entry_of(output, position)) == (output, position)


@pytest.mark.parametrize("name", ["mine", "a.xml", ".3", "a.xml.x", "a.xml.3+"])
def test_other_folders_are_not_articles(name: str) -> None:
    assert article_of(PurePosixPath("sub") / name) is None


def test_removing_an_article_keeps_an_article_in_its_folder(quarantine: Quarantine) -> None:
    inside = Source(2, "x", None, PurePosixPath("sub/a.xml.3/b.xml"))
    for source in (SOURCE, inside):
        quarantine.add(source, 3, FAILURE, TASK)
    quarantine.remove(SOURCE, 3)
    assert [entry.output for entry in quarantine.entries()] == [inside.output]


def test_keep_removes_all_other_articles(quarantine: Quarantine) -> None:
    for position in range(12):
        quarantine.add(SOURCE, position, FAILURE, TASK)
    quarantine.keep(lambda output, position: output == SOURCE.output and position == 11)
    assert [entry.position for entry in quarantine.entries()] == [11]


def test_a_missing_quarantine_is_empty(quarantine: Quarantine) -> None:
    assert list(quarantine.entries()) == []
    quarantine.keep(lambda output, position: False)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": "none", "output": "a", "position": 1}'])
def test_a_damaged_record_is_named(content: bytes, quarantine: Quarantine, tmp_path: Path) -> None:
    place = tmp_path / "quarantine" / "mine"
    place.mkdir(parents=True)
    (place / "error.json").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"mine/error.json is not a valid record"):
        list(quarantine.entries())


@pytest.mark.parametrize(
    "record",
    [
        "[]",
        "[" * 200_000,
        '{"format": null, "output": "a.xml", "position": 1e999}',
        '{"format": null, "output": "a.xml", "position": ' + "9" * 5000 + "}",
        '{"format": null, "output": "a.xml", "position": 1' + "0" * 30 + "}",
        '{"format": null, "output": "\\ud800", "position": 3, "hash": null, "fallback_id": null}',
        '{"format": "odd", "output": "a.xml", "position": 3}',
    ],
    ids=["list", "depth", "infinity", "digits", "large", "surrogate", "format"],
)
def test_an_edited_record_is_one_sentence(quarantine: Quarantine, tmp_path: Path, record: str) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    (tmp_path / "quarantine" / "sub" / "a.xml.3" / "error.json").write_text(record)
    with pytest.raises(ConfigurationError, match=r"error\.json is not a valid record of a failed article") as caught:
        list(quarantine.entries())
    assert len(str(caught.value)) < 500


def test_only_a_regular_file_is_the_copy_of_an_article(quarantine: Quarantine, tmp_path: Path) -> None:
    quarantine.add(SOURCE, 3, FAILURE, TASK)
    copy = tmp_path / "quarantine" / "sub" / "a.xml.3" / "article.xml"
    copy.unlink()
    os.mkfifo(copy)
    assert [entry.article for entry in quarantine.entries()] == [None]
    copy.unlink()
    copy.symlink_to("/dev/zero")
    assert [entry.article for entry in quarantine.entries()] == [None]


def test_a_deleted_quarantine_is_not_recommended(tmp_path: Path) -> None:
    from nlmchem.engine.account import ArticleCounts
    from nlmchem.engine.commands import _remedy

    counts = ArticleCounts(failed=2)
    assert f"their copies in {tmp_path}/quarantine are gone" in _remedy(counts, tmp_path, None)
    (tmp_path / "quarantine").mkdir()
    assert "contains the reason for each" in _remedy(counts, tmp_path, None)
