from __future__ import annotations

import logging

import pytest

from corpora import reporting


def test_warn_prints_on_standard_error_alone(capsys: pytest.CaptureFixture[str]) -> None:
    reporting.warn("a.xml: the file is empty")
    assert capsys.readouterr() == ("", "nlmchem: a.xml: the file is empty\n")


def test_log_warns_with_the_logger_of_the_project(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "nlmchem"):
        reporting.log("one sentence")
    assert [(record.name, record.message) for record in caplog.records] == [("nlmchem", "one sentence")]


def test_prefixed_puts_the_place_in_front() -> None:
    messages: list[str] = []
    reporting.prefixed(messages.append, "pack.zip, member a.xml")("it is empty")
    assert messages == ["pack.zip, member a.xml: it is empty"]


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


def test_control_characters_are_printed_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    reporting.warn("a\x1b[2Jb\x9b\u202ec\td\r")
    assert capsys.readouterr().err == "nlmchem: a\\x1b[2Jb\\x9b\\x202ec\td\\x0d\n"
