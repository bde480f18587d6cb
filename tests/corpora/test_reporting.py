from __future__ import annotations

import io
import logging

import pytest

from corpora import reporting
from corpora.errors import Argument, Text
from corpora.reporting import Visible, visible


def test_log_warns_with_the_logger_of_the_project(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "nlmchem"):
        reporting.log("one sentence")
    assert [(record.name, record.message) for record in caplog.records] == [("nlmchem", "one sentence")]


def test_prefixed_puts_the_place_in_front() -> None:
    messages: list[str] = []
    reporting.prefixed(messages.append, "pack.zip, member a.xml")("it is empty")
    reporting.prefixed(messages.append, "a.xml")(Text("use ", Argument("lines", True)))
    assert messages == ["pack.zip, member a.xml: it is empty", "a.xml: use lines=True"]
    assert isinstance(messages[1], Text)
    assert Argument("lines", True) in messages[1].parts


def test_what_is_printed_has_no_word_of_a_million_characters() -> None:
    path = "/" + "a" * 4095
    assert reporting.printable(f"{path} has \x1b[1m") == f"{path} has \\x1b[1m"
    assert reporting.printable(f"no {'X' * 1_000_000}; remove it") == f"no {'X' * 100}... remove it"


def test_once_passes_each_sentence_on_one_time() -> None:
    messages: list[str] = []
    report = reporting.once(messages.append)
    for sentence in ("a", "b", "a"):
        report(sentence)
    assert messages == ["a", "b"]


def test_describe_names_the_enclosing_places_from_the_outside() -> None:
    document = (None, "document", "7")
    assert reporting.describe((document, "passage at offset", 12)) == "document '7', passage at offset 12"
    assert reporting.describe((document, "header", None)) == "document '7', header"


def test_control_characters_are_symbols_on_a_terminal() -> None:
    """Also where bytes are written in pieces, and in an encoding in which a byte is a control character."""
    assert visible("a\x1b]0;title\x07\x7f\tb\r\nc") == "a␛]0;title␇␡\tb␍\nc"
    assert visible("\x9b2J \u202eevil\u2069 é ​") == "\\u009b2J \\u202eevil\\u2069 é ​"
    for encoding in ("utf-8", "latin-1"):
        stream = io.BytesIO()
        shown = Visible(stream, encoding)
        for byte in "é\x9b1m\x1b".encode(encoding):
            assert shown.write(bytes([byte])) == 1
        assert stream.getvalue().decode(encoding) == ("é\\u009b1m␛" if encoding == "utf-8" else r"é\u009b1m\u241b")
