"""Bad input beside good input: the output of the good articles is the same, and the bad one is named."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GOOD = 6
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE collection [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><collection><document><id>1</id><passage><offset>0</offset><text>&j;</text></passage></document></collection>"
).encode()
EXTERNAL = (
    b'<?xml version="1.0"?><!DOCTYPE collection [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    b"<collection><document><id>1</id><passage><offset>0</offset><text>&x;</text></passage></document></collection>"
)
UNDECLARED = (
    b'<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd">'
    b"<collection><document><id>1</id><passage><offset>0</offset><text>&alpha;</text></passage></document></collection>"
)


@dataclass
class Bad:
    """A bad file: words of its failure messages, and the numbers of its failed and of its finished articles."""

    name: str
    content: bytes
    words: tuple[str, ...]
    failed: int = 1
    done: int = 0


def _document(inner: str) -> bytes:
    return f"<collection><document><id>77</id>{inner}</document></collection>".encode()


def bad_files(a: Any) -> list[Bad]:
    two = a.many([21, 22])
    in_json = a.json(a.value(21), a.value(22))
    text = "<passage><offset>0</offset><text>glucose{}</text></passage>"
    return [
        Bad("truncated.xml", two[:-60], ("cut off", "get it again", "article"), done=1),
        Bad("truncated.json", in_json[:-40], ("get", "again"), done=1),
        Bad("truncated.xml.gz", gzip.compress(two)[:-30], ("get the file again",), done=-1),
        Bad("broken.xml", two.replace(b"</text>", b"</txet>", 1), ("broken at line", "correct it"), done=1),
        Bad("broken.json", in_json.replace(b'"passages": [', b'"passages": (', 1), ("broken at line 1", "correct")),
        Bad("latin.xml", a.one(21, "Cr\xe8me").decode().encode("latin-1"), ("UTF-8", "line")),
        Bad("wrong-encoding.xml", a.one(21).replace(b"UTF-8", b"UTF-16"), ("encoding",)),
        Bad("unknown-encoding.xml", a.one(21).replace(b"UTF-8", b"KLINGON"), ("encoding",)),
        Bad("latin.json", a.json(a.value(21)).replace(b"rats", b"r\xe4ts"), ("not UTF-8", "save the file as UTF-8")),
        Bad("empty.xml", b"", ("empty",)),
        Bad("blank.json", b" \n\n ", ("empty",)),
        Bad("binary.xml", bytes(range(256)) * 8, ("remove it",)),
        Bad("picture.xml", b"\x89PNG\r\n\x1a\n" + b"\x00" * 99, ("binary", "remove it")),
        Bad("words.nxml", b"Glucose is sweet.\n", ("none of the formats",)),
        Bad("other.nxml", b"<html><body>glucose</body></html>", ("<html>",)),
        Bad("bomb.xml", BOMB, ("declares entities", "remove")),
        Bad("external.xml", EXTERNAL, ("declares entities", "remove")),
        Bad("undeclared.xml", UNDECLARED, ("entity &alpha;",)),
        Bad("no-offset.xml", _document("<passage><text>glucose</text></passage>"), ("offset", "77")),
        Bad("offset-word.json", a.json({"id": "77", "passages": [{"offset": "x", "text": "t"}]}), ("offset", "'77'")),
        Bad("raw-vt.xml", _document(text.format("\x0b")), ("'77'", "U+000B", "remove it")),
        Bad("raw-nul.xml", _document(text.format("\x00")), ("'77'", "U+0000")),
        Bad("reference-vt.xml", _document(text.format("&#11;")), ("'77'", "U+000B")),
        Bad("vt.json", a.json(a.value(77, "glucose \x0b")), ("1077", "U+000B", "BioC JSON")),
        Bad("nul.json", a.json(a.value(77, "glucose \x00")), ("1077", "U+0000")),
        Bad("surrogate.json", a.json(a.value(77, "glucose \ud800")), ("1077", "U+D800")),
        Bad("surrogate-id.json", a.json({**a.value(77), "id": "x\ud800"}), ("U+D800",)),
        Bad("not-a-document.json", a.json({"id": "77", "text": "glucose"}), ("passages",)),
        Bad("deep.json", b'{"documents": [' + b"[" * 100_000, ("deep",)),
        Bad("long-number.json", b'{"documents": [{"id": ' + b"1" * 5000 + b', "passages": []}]}', ()),
        Bad("infons-list.json", a.json({**a.value(77), "infons": [1]}), ("infons", "1077")),
    ]


NAMES = [
    "truncated.xml", "truncated.json", "truncated.xml.gz", "broken.xml", "broken.json", "latin.xml",
    "wrong-encoding.xml", "unknown-encoding.xml", "latin.json", "empty.xml", "blank.json", "binary.xml",
    "picture.xml", "words.nxml", "other.nxml", "bomb.xml", "external.xml", "undeclared.xml", "no-offset.xml",
    "offset-word.json", "raw-vt.xml", "raw-nul.xml", "reference-vt.xml", "vt.json", "nul.json", "surrogate.json",
    "surrogate-id.json", "not-a-document.json", "deep.json", "long-number.json", "infons-list.json",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_file_is_named_and_does_not_affect_the_others(
    name: str, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    bad = {bad.name: bad for bad in bad_files(articles)}[name]
    (good / "k-bad").mkdir()
    (good / "k-bad" / bad.name).write_bytes(bad.content)
    run = annotate(good)
    assert {path: content for path, content in run.tree.items() if not path.startswith("k-bad")} == undisturbed
    assert run.counts.failed == bad.failed
    assert run.counts.done == GOOD + bad.done if bad.done >= 0 else run.counts.done >= GOOD
    assert run.counts.read == run.counts.done + run.counts.failed + run.counts.skipped
    (failure,) = run.failures()
    assert failure["path"] == str(good / "k-bad" / bad.name)
    for word in bad.words:
        assert word in f"{failure['document']} {failure['message']}"
    (record,) = (run.out / "quarantine").rglob("error.json")
    assert json.loads(record.read_text())["message"] == failure["message"]


def test_all_of_them_at_once_on_the_command_line(
    good: Path, articles: Any, nlmchem: Any, undisturbed: dict[str, bytes], tree_of: Any, tmp_path: Path
) -> None:
    (good / "k-bad").mkdir()
    bad = bad_files(articles)
    for one in bad:
        # Each file has a folder of its own, because some of them have the same output name.
        (good / "k-bad" / one.name.replace(".", "-")).mkdir()
        (good / "k-bad" / one.name.replace(".", "-") / one.name).write_bytes(one.content)
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 2, "--json")
    assert run.returncode == 3, run.stderr
    numbers = json.loads(run.stdout)
    assert (numbers["failed"], numbers["skipped"]) == (sum(one.failed for one in bad), 0)
    assert numbers["input"] == numbers["done"] + numbers["failed"]
    there = tree_of(tmp_path / "out")
    assert {path: content for path, content in there.items() if not path.startswith("k-bad")} == undisturbed
    for one in bad:
        assert f"{one.name.replace('.', '-')}/{one.name}, article" in run.stderr
    assert "Traceback" not in run.stderr
    assert "quarantine" in run.stderr
    assert "--retry-failed" in run.stderr


# -- what is odd, but can be annotated ----------------------------------------------------------------


def _annotation(start: int, length: int, text: str) -> str:
    return (
        f'<annotation id="T1"><infon key="type">Gene</infon><location offset="{start}" length="{length}"/>'
        f"<text>{text}</text></annotation>"
    )


@pytest.mark.parametrize(
    ("inner", "note"),
    [
        ("", "has no passages"),
        ("<passage><offset>0</offset></passage>", None),
        ("<passage><offset>0</offset><text/></passage>", None),
        (
            "<passage><offset>0</offset><text>glucose here</text></passage>"
            "<passage><offset>5</offset><text>ethanol</text></passage>",
            "begins before an earlier passage ends",
        ),
        (
            f"<passage><offset>10</offset><text>glucose</text>{_annotation(500, 7, 'glucose')}</passage>",
            "passage at offset 10, annotation 'T1': its location 500..507 is outside its passage",
        ),
        (
            f"<passage><offset>10</offset><text>glucose</text>{_annotation(-4, 7, 'glucose')}</passage>",
            "is outside its passage",
        ),
        (
            f"<passage><offset>10</offset><text>glucose</text>{_annotation(10, 4, 'ethanol')}</passage>",
            "its text is 'ethanol', but the text at its location is 'gluc'",
        ),
        (
            f"<passage><offset>10</offset><text>glucose</text>{_annotation(10, 0, '')}</passage>",
            "is empty",
        ),
    ],
)
def test_wrong_annotations_are_kept_and_noted(
    inner: str, note: str | None, good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    (good / "odd.xml").write_bytes(_document(inner))
    run = annotate(good)
    there = run.tree
    odd = there.pop("odd.xml").decode()
    assert there == undisturbed
    assert run.counts.done == GOOD + 1
    if "T1" in inner:
        assert inner[inner.index("<annotation") : inner.index("</annotation>")] in odd
    if note is None:
        assert run.notes() == []
    else:
        (found,) = run.notes()
        assert note in found
        assert "'77'" in found


def test_repeated_document_ids_are_reported(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    (good / "again.xml").write_bytes(articles.many([1, 1]))
    run = annotate(good)
    there = run.tree
    assert there.pop("again.xml").count(b"<document>") == 2
    assert there == undisturbed
    assert run.manifest["repeated_document_ids"] == {"number": 1, "first": ["1001"]}
    printed = capsys.readouterr().err
    assert "'1001'" in printed
    assert str(good / "again.xml") in printed


def test_a_header_that_cannot_be_written_does_not_affect_articles(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    content = articles.json(articles.value(9)).replace(b'"source": "test"', b'"source": "te\\u0000st"')
    (good / "header.json").write_bytes(content)
    run = annotate(good)
    there = run.tree
    assert b"glucose" in there.pop("header.xml")
    assert there == undisturbed
    (note,) = run.notes()
    assert "header" in note
    assert note in capsys.readouterr().err


@pytest.mark.parametrize("infons", ['"text"', "[1]", "3"])
def test_a_collection_with_wrong_infons_is_annotated(
    infons: str, good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    content = articles.json(articles.value(9)).replace(b'"infons": {}', f'"infons": {infons}'.encode(), 1)
    (good / "odd.json").write_bytes(content)
    there = annotate(good).tree
    assert b"glucose" in there.pop("odd.xml")
    assert there == undisturbed


def test_a_control_character_affects_only_its_article(good: Path, articles: Any, annotate: Any) -> None:
    (good / "three.xml").write_bytes(
        articles.xml(articles.document(7), articles.document(8, "a\x0bb"), articles.document(9))
    )
    run = annotate(good)
    assert (run.counts.done, run.counts.failed) == (GOOD + 2, 1)
    (failure,) = run.failures()
    assert failure["position"] == 1
    assert "'1008'" in str(failure["message"])
    assert run.tree["three.xml"].count(b"<document>") == 2


def test_deeply_nested_xml_does_not_end_the_run(
    good: Path, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    depth = 300_000
    (good / "deep.xml").write_bytes(_document("<passage>" * depth + "</passage>" * depth))
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 1)
    assert run.returncode == 3, run.stderr[-2000:]
    there = tree_of(tmp_path / "out")
    there.pop("deep.xml", None)
    assert there == undisturbed


# -- archives ---------------------------------------------------------------------------------------


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


# -- the command itself --------------------------------------------------------------------------------


def _refused(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.returncode == 2, run.stderr
    assert run.stderr.count("\n") == 1
    for word in words:
        assert word in run.stderr


def test_two_inputs_with_one_output_are_refused_before_any_work(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, tree_of: Any
) -> None:
    (good / "a-good.json").write_bytes(articles.json(articles.value(1)))
    _refused(nlmchem("annotate", good, "-o", tmp_path / "out"), "a-good.xml", "a-good.json", "rename one")
    assert tree_of(tmp_path / "out") == {}


def test_a_file_and_a_folder_of_one_name_are_refused_before_any_work(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path
) -> None:
    (good / "b.xml.zip").write_bytes(_zip({"x.xml": articles.one(1)}))
    (good / "b.xml").write_bytes(articles.one(2))
    _refused(nlmchem("annotate", good, "-o", tmp_path / "out"), "b.xml", "rename one")


def test_the_input_folder_cannot_be_the_output_folder(good: Path, nlmchem: Any) -> None:
    _refused(nlmchem("annotate", good, "-o", good), "is the input folder")


def test_no_input_is_overwritten(good: Path, nlmchem: Any) -> None:
    before = (good / "a-good.xml").read_bytes()
    _refused(nlmchem("annotate", good / "a-good.xml", "-o", good), "would overwrite an input")
    assert (good / "a-good.xml").read_bytes() == before


@pytest.mark.parametrize("name", ["quarantine", "manifest.json"])
def test_reserved_names_are_refused(name: str, tmp_path: Path, articles: Any, annotate: Any) -> None:
    folder = tmp_path / "in" / "sub" if name == "quarantine" else tmp_path / "in"
    folder.mkdir(parents=True)
    if name == "quarantine":
        (tmp_path / "in" / "quarantine").mkdir()
        (tmp_path / "in" / "quarantine" / "x.xml").write_bytes(articles.one(1))
    else:
        (folder / "manifest.xml").write_bytes(articles.one(1))
    with pytest.raises(Exception, match="a name that is reserved for the run"):
        annotate(tmp_path / "in", format="biocjson" if name == "manifest.json" else "biocxml")


def test_an_output_folder_inside_the_input_folder_is_not_read(
    good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    for _ in range(2):
        run = annotate(good, out=good / "annotated")
        assert run.counts.articles == GOOD
    assert run.tree == undisturbed


def test_an_input_folder_inside_the_output_folder_is_read_with_its_subfolders(
    good: Path, annotate: Any, tmp_path: Path
) -> None:
    assert annotate(good, out=tmp_path).counts.done == GOOD
    assert annotate(Path(f"{good}/**/*.xml"), out=tmp_path / "in" / "..", retry_failed=True).counts.articles == 4


def test_folders_behind_links_are_read_once(good: Path, annotate: Any, tmp_path: Path) -> None:
    (good / "round").symlink_to(good)
    elsewhere = tmp_path / "elsewhere"
    (good / "sub").rename(elsewhere)
    (good / "sub").symlink_to(elsewhere)
    assert annotate(good).counts.done == GOOD


def test_a_file_with_a_very_long_name_is_refused_before_any_work(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path
) -> None:
    (good / ("x" * 245 + ".xml")).write_bytes(articles.one(7))
    _refused(nlmchem("annotate", good, "-o", tmp_path / "out"), "rename the input")


def test_a_file_name_that_is_not_utf8_is_refused_before_any_work(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path
) -> None:
    (Path(str(good)) / "caf\udce9.xml").write_bytes(articles.one(7))
    _refused(nlmchem("annotate", good, "-o", tmp_path / "out"), "not UTF-8", "rename")


def test_pipes_and_devices_are_named_and_do_not_block_the_run(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    import os

    os.mkfifo(good / "pipe.xml")
    (good / "zero.xml").symlink_to("/dev/zero")
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 1)
    assert run.returncode == 3
    assert "pipe.xml, article 1, read: it is a named pipe" in run.stderr
    assert "zero.xml, article 1, read: it is not a regular file" in run.stderr
    assert tree_of(tmp_path / "out") == undisturbed


def test_a_failed_command_leaves_no_configuration_behind(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _refused(nlmchem("annotate", tmp_path / "typo", "-o", out, "--format", "biocjson"), "no file or folder")
    assert nlmchem("annotate", good, "-o", out, "--workers", 1).returncode == 0


def test_a_fifty_megabyte_passage_is_annotated(tmp_path: Path, articles: Any, annotate: Any) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    text = "Rats were given glucose in water. " * (50_000_000 // 34)
    (folder / "huge.json").write_bytes(articles.json(articles.value(1, text)))
    (folder / "good.xml").write_bytes(articles.one(2))
    run = annotate(folder, steps="")
    assert run.counts.done == 2
    assert len(run.tree["huge.xml"]) > 50_000_000
