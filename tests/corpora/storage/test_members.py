"""Open streams of files: compressed or not, archives, standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from corpora.storage import members, packed_streams
from corpora.storage.inputs import InputFile


def contents(path: Path | str) -> dict[str, bytes | str]:
    """The content of each member, or its fault."""
    found: dict[str, bytes | str] = {}
    for member, stream in members.members(InputFile(str(path), PurePosixPath(Path(path).name))):
        found[str(member.relative)] = member.fault or stream.read()
    return found


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_a_named_pipe_or_a_folder_is_a_fault(tmp_path: Path, kind: str) -> None:
    (os.mkfifo if kind == "pipe" else os.mkdir)(tmp_path / "x")
    assert ("named pipe" if kind == "pipe" else "not a regular file") in str(contents(tmp_path / "x")["x"])


def test_a_link_to_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "gone.xml").symlink_to(tmp_path / "nowhere")
    assert contents(tmp_path / "gone.xml") == {"gone.xml": "it no longer exists; restore it and run again"}


def test_the_place_of_a_member_names_its_archive() -> None:
    file = InputFile("in/x.zip", PurePosixPath("x.zip"))
    assert str(members.Member(file, "a.xml", PurePosixPath("x/a.xml"))) == "in/x.zip, member a.xml"
    assert str(members.Member(file, None, PurePosixPath("x.zip"))) == "in/x.zip"


# -- compression --------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compression_is_recognised_by_content(tmp_path: Path, pack: object) -> None:
    (tmp_path / "a.xml.gz").write_bytes(pack(b"text"))  # type: ignore[operator]
    (tmp_path / "wrong.txt").write_bytes(pack(b"text"))  # type: ignore[operator]
    assert contents(tmp_path / "a.xml.gz") == {"a.xml": b"text"}
    assert contents(tmp_path / "wrong.txt") == {"wrong.txt": b"text"}


def test_a_plain_file_with_a_suffix_of_compression_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(b"<plain/>")
    assert contents(tmp_path / "a.xml.gz") == {"a.xml.gz": b"<plain/>"}


def test_concatenated_compressed_files_are_read_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert contents(tmp_path / "a.gz") == {"a": b"one two"}


# -- archives -----------------------------------------------------------------------------------


def tar(entries: dict[str, bytes], mode: str = "w") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zipped(entries: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return packed.getvalue()


ENTRIES = {"b.xml": b"b", "folder/a.xml": b"a", "./c.xml": b"c"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.tar", tar(ENTRIES)),
        ("x.tar.gz", tar(ENTRIES, "w:gz")),
        ("x.tgz", tar(ENTRIES, "w:gz")),
        ("x.tar.xz", tar(ENTRIES, "w:xz")),
        ("x.zip", zipped(ENTRIES)),
    ],
)
def test_members_of_an_archive_come_in_its_order(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert contents(tmp_path / name) == {"x/b.xml": b"b", "x/folder/a.xml": b"a", "x/c.xml": b"c"}


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_names_that_lead_out_of_an_archive_are_faults(tmp_path: Path, pack: object) -> None:
    names = ["../up.xml", "/root.xml", "a/../../u2.xml", "C:\\x.xml", "..\\u3.xml", "ok/Ä β\n.xml", "10.1000:a.xml"]
    (tmp_path / "x").write_bytes(pack(dict.fromkeys(names, b"ok")))  # type: ignore[operator]
    found = list(contents(tmp_path / "x").values())
    assert ["leads out of the archive" in str(content) for content in found] == [True] * 5 + [False] * 2
    for file in contents(tmp_path / "x"):
        assert ".." not in PurePosixPath(file).parts
        assert not file.startswith("/")


def test_hidden_members_and_folders_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(tar({".a": b"", "._b.xml": b"", ".git/c": b"", "__MACOSX/d": b"", "e.xml": b"e"}))
    assert contents(tmp_path / "x") == {"x/e.xml": b"e"}


def test_links_and_devices_in_an_archive_are_faults(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, kind in (
            ("a", tarfile.SYMTYPE),
            ("b", tarfile.LNKTYPE),
            ("c", tarfile.CHRTYPE),
            ("d", tarfile.DIRTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    (tmp_path / "x").write_bytes(packed.getvalue())
    found = contents(tmp_path / "x")
    assert list(found) == ["x/a", "x/b", "x/c"]
    assert all("link or a device" in str(content) for content in found.values())


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_compressed_members_are_read_and_archives_in_archives_are_not(tmp_path: Path, pack: object) -> None:
    inner = {
        "a.xml.gz": gzip.compress(b"a"),
        "b.zip": zipped(ENTRIES),
        "c.tar.gz": gzip.compress(tar(ENTRIES)),
        "d": b"d",
    }
    (tmp_path / "x").write_bytes(pack(inner))  # type: ignore[operator]
    found = contents(tmp_path / "x")
    assert (found["x/a.xml"], found["x/d"]) == (b"a", b"d")
    assert sum("archive inside an archive" in str(content) for content in found.values()) == 2


def test_an_encrypted_member_does_not_stop_the_others(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.xml": b"a" * 100, "b.xml": b"b", "c.xml": b"c"}))
    for header in (b"PK\x03\x04", b"PK\x01\x02"):
        place = data.find(header) + (6 if header == b"PK\x03\x04" else 8)
        data[place] |= 1  # the flag that says: encrypted
    (tmp_path / "x.zip").write_bytes(data)
    found = contents(tmp_path / "x.zip")
    assert "cannot be unpacked" in str(found["x/a.xml"])
    assert (found["x/b.xml"], found["x/c.xml"]) == (b"b", b"c")


@pytest.mark.parametrize("share", [0.35, 0.65, 0.95])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_cut_off_archive_yields_the_members_before_the_cut(tmp_path: Path, share: float, mode: str) -> None:
    whole = tar({f"{n}.xml": os.urandom(3000) for n in range(5)}, mode)
    used = len(whole) if mode == "w:gz" else 5 * (512 + 3072)
    (tmp_path / "x").write_bytes(whole[: int(used * share)])
    found = list(members.members(InputFile(str(tmp_path / "x"), PurePosixPath("x"))))
    whole_members = sum(1 for member, _ in found if member.fault is None)
    assert whole_members >= int(5 * share)
    rest, _ = found[-1]
    assert "cannot be read" in str(rest.fault)
    assert rest.is_rest == (whole_members > 0)


# Names of cases are given where data hold the time of day: two processes must collect the same ones.
@pytest.mark.parametrize("data", [b"PK\x03\x04nonsense", zipped(ENTRIES)[:80]], ids=["nonsense", "cut off"])
def test_a_broken_zip_is_a_fault(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    assert "cannot be read" in str(contents(tmp_path / "x")["x"])


# -- standard input -----------------------------------------------------------------------------


class Slow(io.RawIOBase):
    """A pipe that returns one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._left = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        chunk, self._left = self._left[:1], self._left[1:]
        buffer[: len(chunk)] = chunk
        return len(chunk)


@pytest.mark.parametrize(
    "data",
    [b"plain", b"", b"x" * 600, gzip.compress(b"packed"), tar(ENTRIES, "w:gz"), tar(ENTRIES)],
    ids=["plain", "empty", "long", "gz", "tar.gz", "tar"],
)
def test_standard_input_may_arrive_one_byte_at_a_time(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow(data))))
    found = contents("-")
    if b"ustar" in data or (data[:2] == b"\x1f\x8b" and len(data) > 60):
        assert list(found.values()) == [b"b", b"a", b"c"]
    else:
        assert list(found.values()) == [gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data]


def test_a_zip_on_standard_input_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Slow(zipped(ENTRIES)))))
    assert "zip archive cannot be read from a pipe" in str(contents("-")["-"])


# -- hostile archives ---------------------------------------------------------------------------


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """The header of a tar member that claims `size` bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def test_a_tar_member_that_claims_more_bytes_than_the_archive_has_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_bytes(header("a.xml", 1 << 60))
    (tmp_path / "y.tar").write_bytes(header(".hidden", 1 << 60) + bytes(1024))
    found = list(members.members(InputFile(str(tmp_path / "x.tar"), PurePosixPath("x.tar"))))
    assert "unexpected end of data" in str(found[-1][0].fault)
    assert "unexpected end of data" in str(contents(tmp_path / "y.tar"))


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK])
def test_a_tar_header_of_many_megabytes_is_a_fault(tmp_path: Path, kind: bytes) -> None:
    size = 4 << 20
    (tmp_path / "x.tgz").write_bytes(gzip.compress(header("a", size, kind) + bytes(size) + tar({"a.xml": b"a"})))
    assert "headers of a member have more than 1 MB" in str(contents(tmp_path / "x.tgz")["x.tgz"])


def test_global_headers_that_add_up_to_many_megabytes_are_a_fault(tmp_path: Path) -> None:
    parts = []
    for number in range(4):
        record = f"x{number}=" + "a" * 500_000 + "\n"
        text = f"{len(record) + 7} {record}".encode()
        parts += [header("g", len(text), tarfile.XGLTYPE), text, bytes(-len(text) % 512), header(f"{number}.xml", 0)]
    (tmp_path / "x.tar").write_bytes(b"".join(parts) + bytes(1024))
    assert "global headers" in str(contents(tmp_path / "x.tar")["x.tar"])


def test_a_broken_header_between_members_of_a_tar_is_a_fault(tmp_path: Path) -> None:
    data = bytearray(tar({"a.xml": b"a", "b.xml": b"b"}))
    data[1024 + 150] ^= 1
    (tmp_path / "x.tar").write_bytes(data)
    found = contents(tmp_path / "x.tar")
    assert found["x/a.xml"] == b"a"
    assert "header of its next member is broken" in str(found["x.tar"])


def test_a_zip_with_a_name_that_is_not_utf8_is_a_fault(tmp_path: Path) -> None:
    data = zipped({"ä.xml": b"a"}).replace("ä".encode(), b"\xff\xfe")
    (tmp_path / "x.zip").write_bytes(data)
    assert "cannot be read" in str(contents(tmp_path / "x.zip")["x.zip"])


def test_a_member_of_a_zip_without_a_name_is_read(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"a")
    (tmp_path / "x.zip").write_bytes(packed.getvalue())
    assert contents(tmp_path / "x.zip") == {"x/unnamed": b"a"}


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_members_with_very_long_names_are_faults_with_short_names(tmp_path: Path, pack: object) -> None:
    (tmp_path / "x").write_bytes(pack({"a" * 300 + ".xml": b"", "a" * 300 + ".json": b"", "b.xml": b"b"}))  # type: ignore[operator]
    found = contents(tmp_path / "x")
    assert found.pop("x/b.xml") == b"b"
    assert len(found) == 2
    for name, fault in found.items():
        assert len(name) < 100
        assert "shorter name" in str(fault)


@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_content_that_expands_without_measure_is_a_fault(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_streams, "FREE_EXPANSION", 1 << 16)
    data = b" " * (1 << 24)
    (tmp_path / "x").write_bytes(gzip.compress(data) if kind == "gz" else zipped({"a.xml": data}))
    opened = members.members(InputFile(str(tmp_path / "x"), PurePosixPath("x")))
    _, stream = next(opened)
    with pytest.raises(OSError, match="250 times its size"):
        stream.read()


def test_a_zip_inside_a_compressed_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "x.zip.gz").write_bytes(gzip.compress(zipped({"a.xml": b"a"})))
    assert "unpack the outer one" in str(contents(tmp_path / "x.zip.gz")["x.zip.gz"])


@pytest.mark.parametrize("path", ["/".join(["d" * 200] * 25), "/".join("e" * 3000)], ids=["long parts", "many parts"])
def test_a_member_whose_whole_path_is_too_long_fails_alone(tmp_path: Path, path: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(f"{path}/x.xml", b"<lost/>")
        archive.writestr(f"{path}/y.xml", b"<lost/>")
        archive.writestr("ok.xml", b"<ok/>")
    found = contents(tmp_path / "a.zip")
    assert found.pop("a/ok.xml") == b"<ok/>"
    assert len(found) == 2
    for name, fault in found.items():
        assert len(name) < 255
        assert "its path is longer than 1000 bytes, so it was not read; pack it under a shorter path" in str(fault)
