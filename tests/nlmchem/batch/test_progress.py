"""A bar on a terminal, plain lines elsewhere; messages spoil neither."""

from __future__ import annotations

import io

import pytest

from nlmchem.batch import progress
from nlmchem.batch.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_elsewhere_a_line_tells_articles_mentions_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    stream = io.StringIO()
    shown = Progress(1000, stream)
    shown.article_read(100)
    shown.article_ended(mentions=7, failed=False)
    assert stream.getvalue() == ""
    clock[0] += 20
    shown.article_ended(mentions=1, failed=True)
    assert stream.getvalue() == "2 articles, 8 mentions, 1 failed, 0.1 articles/s, about 3 min left\n"
    shown.close()


def test_a_terminal_has_a_bar_and_messages_stand_on_lines_of_their_own() -> None:
    stream = Terminal()
    shown = Progress(1000, stream)
    shown.article_read(100)
    shown.article_ended(mentions=7, failed=False)
    shown.message("failed: a.xml")
    shown.file_read(1000)
    shown.article_ended(mentions=1, failed=False)
    shown.close()
    told = stream.getvalue()
    assert "left, 2 articles, 8 mentions, 0 failed" in told
    assert any(line.strip() == "failed: a.xml" for line in told.replace("\r", "\n").split("\n"))


def test_a_compressed_file_that_holds_more_than_its_size_does_not_go_beyond_the_end() -> None:
    stream = Terminal()
    shown = Progress(10, stream)
    shown.article_read(500)
    shown.article_ended(0, False)
    shown.file_read(10)
    shown.article_ended(0, False)
    shown.close()
    assert "100%" in stream.getvalue()


@pytest.mark.parametrize(("seconds", "told"), [(0, "0 s"), (59, "59 s"), (61, "1 min"), (7260, "2 h 1 min")])
def test_durations_are_told_in_the_two_units_that_matter(seconds: float, told: str) -> None:
    assert progress._duration(seconds) == told
