"""Bad input beside good input: the output of the good articles is the same, and the bad one is named."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GOOD = 6
"""Articles of the fixture `good`."""


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
        Bad("other.nxml", b"<html><body>glucose</body></html>", ("it is a web page",)),
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
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 2, "--json", processes=True)
    assert run.returncode == 3, run.stderr
    numbers = json.loads(run.stdout)
    assert (numbers["failed"], numbers["skipped"]) == (sum(one.failed for one in bad), 0)
    assert numbers["input"] == numbers["done"] + numbers["failed"]
    there = tree_of(tmp_path / "out")
    assert {path: content for path, content in there.items() if not path.startswith("k-bad")} == undisturbed
    # The first of each kind is printed with its reason, the others are counted; the folder of failures has all.
    first = [line for line in run.stderr.splitlines() if line.startswith("failed: /")]
    more = [int(number) for number in re.findall(r"^failed: (\d+) more articles? like ", run.stderr, re.MULTILINE)]
    assert len(first) + sum(more) == numbers["failed"]
    records = [json.loads(record.read_text())["input"] for record in (tmp_path / "out/quarantine").rglob("error.json")]
    assert {Path(path).name for path in records} == {one.name for one in bad}
    assert "Traceback" not in run.stderr
    assert "quarantine" in run.stderr
    assert "--retry-failed" in run.stderr


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
            "1 of 1 annotation does not have its text at its offset; each has it 490 characters before it",
        ),
        (
            f"<passage><offset>10</offset><text>glucose</text>{_annotation(-4, 7, 'glucose')}</passage>",
            "1 of 1 annotation does not have its text at its offset; each has it 14 characters after it",
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


def test_a_fifty_megabyte_passage_is_annotated(tmp_path: Path, articles: Any, annotate: Any) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    text = "Rats were given glucose in water. " * (50_000_000 // 34)
    (folder / "huge.json").write_bytes(articles.json(articles.value(1, text)))
    (folder / "good.xml").write_bytes(articles.one(2))
    run = annotate(folder, steps="")
    assert run.counts.done == 2
    assert len(run.tree["huge.xml"]) > 50_000_000
