"""Archives that are cut off, lead out of their folder or have bad members; how often an archive is opened."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpora import reading
from corpora.storage.inputs import InputFile

GOOD = 6
"""Articles of the fixture `good`."""


def _zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _tar(add: Callable[[tarfile.TarFile], None]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        add(archive)
    return stream.getvalue()


def _put(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


@pytest.mark.parametrize(
    "name", ["../../escaped.xml", "/tmp/escaped-by-nlmchem.xml", "..\\escaped.xml", "a/../../e.xml"]
)
@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_no_member_of_an_archive_is_written_outside_the_output_folder(
    kind: str, name: str, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    members = {"escaped.xml": articles.one(31), name: articles.one(32), "whole.xml": articles.one(33)}
    packed = _zip(members) if kind == "zip" else _tar(lambda t: [_put(t, n, c) for n, c in members.items()] and None)
    (good / f"archive.{kind}").write_bytes(packed)
    before = {path for path in tmp_path.rglob("*") if "out" not in path.parts}
    run = annotate(good)
    there = run.tree
    assert there.pop("archive/escaped.xml")
    assert there.pop("archive/whole.xml")
    assert there == undisturbed
    (failure,) = run.failures()
    assert failure["path"] == str(good / f"archive.{kind}")
    assert "leads out of the archive" in str(failure["message"])
    assert {path for path in tmp_path.rglob("*") if "out" not in path.parts} == before
    assert not Path("/tmp/escaped-by-nlmchem.xml").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_a_tar_are_not_followed(
    kind: bytes, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    def add(archive: tarfile.TarFile) -> None:
        entry = tarfile.TarInfo("link.xml")
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
        _put(archive, "whole.xml", articles.one(33))

    (good / "archive.tar.gz").write_bytes(_tar(add))
    run = annotate(good)
    there = run.tree
    assert there.pop("archive/whole.xml")
    assert there == undisturbed
    (failure,) = run.failures()
    assert failure["member"] == "link.xml"
    assert "pack the file itself" in str(failure["message"])


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_truncated_archive_is_named_and_stays_failed(
    kind: str, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    members = {f"{number}.xml": articles.many(range(number, number + 40)) for number in range(100, 600, 50)}
    packed = _zip(members) if kind == "zip" else _tar(lambda t: [_put(t, n, c) for n, c in members.items()] and None)
    (good / f"archive.{kind}").write_bytes(packed[: len(packed) * 2 // 3])
    first = annotate(good)
    assert first.counts.failed >= 1
    assert all("get the file again" in str(failure["message"]) for failure in first.failures())
    assert {path: content for path, content in first.tree.items() if not path.startswith("archive/")} == undisturbed
    again = annotate(good)
    assert (again.counts.done, again.counts.failed) == (0, first.counts.failed)
    # After the repair no failure is left.
    (good / f"archive.{kind}").write_bytes(packed)
    repaired = annotate(good)
    assert repaired.counts.failed == 0
    assert repaired.counts.read == repaired.counts.articles == GOOD + 400
    assert not list((repaired.out / "quarantine").rglob("*"))


def test_bad_members_of_a_zip_do_not_affect_the_others(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    packed = bytearray(_zip({"a.xml": articles.one(31), "b.xml": articles.one(32), "c.xml": articles.one(33)}))
    place = packed.index(b"Article 32")
    packed[place] ^= 1  # its checksum is wrong now
    for at in (packed.index(b"PK\x03\x04"), packed.index(b"PK\x01\x02") + 2):
        packed[at + 6] |= 1  # the first member says that it is encrypted
    (good / "archive.zip").write_bytes(packed)
    run = annotate(good)
    there = run.tree
    assert there.pop("archive/c.xml")
    assert there == undisturbed
    assert {failure["member"] for failure in run.failures()} == {"a.xml", "b.xml"}


def test_a_file_that_is_twice_in_an_archive_fails_alone(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path
) -> None:
    packed = _tar(lambda t: [_put(t, "a.xml", articles.one(n)) for n in (1, 2)] and None)
    (good / "archive.tar.gz").write_bytes(packed)
    run = nlmchem("annotate", good, "-o", tmp_path / "out")
    assert run.returncode == 3
    assert "another member has the same name" in run.stderr
    assert "pack the archive again without duplicates" in run.stderr
    assert (tmp_path / "out" / "archive" / "a.xml").is_file(), "the first file of this name is annotated"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the input files that are opened, in order."""
    names: list[str] = []
    members = reading.members

    def counted(file: InputFile, *more: Any) -> Any:
        names.append(Path(file.path).name)
        return members(file, *more)

    monkeypatch.setattr(reading, "members", counted)
    return names


def test_every_input_is_opened_once(tmp_path: Path, articles: Any, annotate: Any, opened: list[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    packed = _tar(lambda t: [_put(t, f"{n}.xml", articles.one(n)) for n in (1, 2)] and None)
    (folder / "archive.tar.gz").write_bytes(packed)
    (folder / "one.xml").write_bytes(articles.one(3))
    (folder / "picture.jpg").write_bytes(b"\xff\xd8\xff\x00")
    everything = ["archive.tar.gz", "one.xml", "picture.jpg"]
    assert annotate(folder).counts.done == 3
    assert opened == everything
    # A file that did not change is not opened again.
    unknown = ["archive.tar.gz", "picture.jpg"]
    del opened[:]
    assert annotate(folder).counts.skipped == 3
    assert opened == unknown
    # Whether the articles are the same is known only at the end of the archive.
    del opened[:]
    (folder / "archive.tar.gz").touch()
    assert annotate(folder).counts.skipped == 3
    assert opened == ["archive.tar.gz", *unknown]


def test_one_member_with_mentions_fails_alone(tmp_path: Path, articles: Any, annotate: Any) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    packed = {"a.xml": articles.one(1), "b.pubtator": b"2|t|Glucose\n2|a|\n2\t0\t7\tGlucose\tChemical\tD005947\n\n"}
    (folder / "archive.tar.gz").write_bytes(_tar(lambda t: [_put(t, n, c) for n, c in packed.items()] and None))
    run = annotate(folder)
    assert (run.counts.done, run.counts.failed) == (1, 1)
    assert (run.failures()[0]["member"], run.failures()[0]["stage"]) == ("b.pubtator", "existing")
